#include "inference/row_inference.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "inference/prior_marginals.hpp"
#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

std::int32_t most_probable(std::span<const double> marginal) {
    return static_cast<std::int32_t>(std::ranges::max_element(marginal) - marginal.begin());
}

/// Calls `visit(i)` for every incomplete row of a block, with its components found.
template <class Visit>
void for_each_incomplete(RowWorker& worker, const RunControl& control, const Visit& visit) {
    for (std::size_t i = 0; i < worker.block.n_incomplete() && !is_over(control); ++i) {
        worker.components.find(worker.block.cells(i));
        visit(i);
    }
}

/// Adds, for every row of a block, the logarithms of the families without missing cells.
void add_complete_families(const RowNetwork& network, RowBlock& block, double* sums) {
    for (VariableId child = 0; child < network.n_variables(); ++child) {
        const double* logs = network.log_table(child).data();
        block.for_each_complete(network, child, [&](std::size_t row, std::uint32_t entry) {
            sums[row] += logs[entry];
        });
    }
}

/// Where the distributions of the missing cells of each row begin, and the end of the last.
std::vector<std::size_t> first_entries(const RowNetwork& network, const RowTable& table,
                                       int n_threads) {
    std::vector<std::size_t> first(table.n_rows + 1);
    const std::size_t n_rows = rows_per_answer(network);
    parallel_for((table.n_rows + n_rows - 1) / n_rows, n_threads, [&](std::size_t block) {
        const std::size_t last = std::min((block + 1) * n_rows, table.n_rows);
        for (VariableId variable = 0; variable < network.n_variables(); ++variable)
            for (std::size_t row = block * n_rows; row < last; ++row)
                if (table.column(variable)[row] < 0) first[row + 1] += network.arity(variable);
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    return first;
}

class MarginalFinder {
public:
    using Visit = std::function<void(VariableId, std::span<const double>)>;

    MarginalFinder(const RowNetwork& network, const RowLimits& limits)
        : prior_(network, limits.max_bytes) {}

    /// Calls `visit(variable, marginal)` for the members of all components of a row.
    void find(RowWorker& worker, const std::int32_t* cells, const Visit& visit) {
        std::vector<double> marginal;
        for (const auto& plan : worker.components.plans()) {
            const double mass = worker.solver.solve(*plan, cells, KeptTables::conditional);
            if (mass != minus_infinity) worker.solver.join();
            for (const auto& clique : plan->cliques) {
                if (mass == minus_infinity) {
                    visit(clique.variable, prior_.of(clique.variable));
                    continue;
                }
                marginal.resize(clique.arity);
                worker.solver.marginal(clique, marginal);
                visit(clique.variable, marginal);
            }
        }
    }

    std::int32_t prior_state(VariableId variable) { return most_probable(prior_.of(variable)); }

private:
    PriorMarginals prior_;
};

void put_joint_states(RowWorker& worker, MarginalFinder& finder, std::int32_t* cells) {
    for (const auto& plan : worker.components.plans()) {
        const double mass = worker.solver.solve(*plan, cells, KeptTables::best);
        if (mass != minus_infinity) {
            worker.solver.put_best(cells);
            continue;
        }
        for (const auto& clique : plan->cliques)
            cells[clique.variable] = finder.prior_state(clique.variable);
    }
}

}  // namespace

LargeVector<double> log_likelihoods(const RowNetwork& network, const RowTable& table,
                                    const RowLimits& limits, RunControl& control) {
    auto result = large_vector<double>(table.n_rows, limits.n_threads);
    const auto find_block = [&](RowWorker& worker) {
        RowBlock& block = worker.block;
        double* sums = result.data() + block.first();
        std::fill_n(sums, block.size(), 0.0);
        add_complete_families(network, block, sums);
        for_each_incomplete(worker, control, [&](std::size_t i) {
            for (const auto& plan : worker.components.plans())
                sums[block.row(i)] += worker.solver.solve(*plan, block.cells(i), KeptTables::mass);
        });
    };
    for_each_block(network, table, {.drops_barren = true, .targets = {}}, limits, control,
                   find_block);
    return result;
}

LargeVector<std::int32_t> complete_rows(const RowNetwork& network, const RowTable& table,
                                        Completion completion, const RowLimits& limits,
                                        RunControl& control) {
    auto result = large_vector<std::int32_t>(table.codes.size(), limits.n_threads);
    MarginalFinder finder(network, limits);
    const auto complete_row = [&](RowWorker& worker, std::int32_t* cells) {
        if (completion == Completion::joint) return put_joint_states(worker, finder, cells);
        finder.find(worker, cells, [&](VariableId variable, std::span<const double> marginal) {
            cells[variable] = most_probable(marginal);
        });
    };
    const auto complete_block = [&](RowWorker& worker) {
        worker.block.copy_columns(result);
        for_each_incomplete(worker, control, [&](std::size_t i) {
            std::int32_t* cells = worker.block.cells(i);
            const std::size_t row = worker.block.first() + worker.block.row(i);
            complete_row(worker, cells);
            for (const auto& plan : worker.components.plans())
                for (const auto& clique : plan->cliques)
                    result[clique.variable * table.n_rows + row] = cells[clique.variable];
        });
    };
    for_each_block(network, table, {}, limits, control, complete_block);
    return result;
}

std::vector<LargeVector<double>> target_marginals(const RowNetwork& network, const RowTable& table,
                                                  VariableSpan targets, const RowLimits& limits,
                                                  RunControl& control) {
    std::vector<LargeVector<double>> result;
    for (const VariableId target : targets)
        result.push_back(
            large_vector<double>(table.n_rows * network.arity(target), limits.n_threads));
    MarginalFinder finder(network, limits);
    const auto find_block = [&](RowWorker& worker) {
        for_each_incomplete(worker, control, [&](std::size_t i) {
            const std::size_t row = worker.block.first() + worker.block.row(i);
            const auto keep = [&](VariableId variable, std::span<const double> marginal) {
                const auto target = std::ranges::lower_bound(targets, variable);
                if (target == targets.end() || *target != variable) return;
                auto& all = result[static_cast<std::size_t>(target - targets.begin())];
                std::ranges::copy(marginal, all.data() + row * marginal.size());
            };
            finder.find(worker, worker.block.cells(i), keep);
        });
    };
    const RowQuestion question{.drops_barren = true, .targets = {targets.begin(), targets.end()}};
    for_each_block(network, table, question, limits, control, find_block);
    return result;
}

LargeVector<double> cell_marginals(const RowNetwork& network, const RowTable& table,
                                   const RowLimits& limits, RunControl& control) {
    const auto first = first_entries(network, table, limits.n_threads);
    auto result = large_vector<double>(first.back(), limits.n_threads);
    MarginalFinder finder(network, limits);
    const auto find_block = [&](RowWorker& worker) {
        std::vector<std::size_t> place(network.n_variables());
        for_each_incomplete(worker, control, [&](std::size_t i) {
            const std::int32_t* cells = worker.block.cells(i);
            std::size_t next = first[worker.block.first() + worker.block.row(i)];
            for (const VariableId variable : worker.components.missing()) {
                place[variable] = next;
                next += network.arity(variable);
            }
            finder.find(worker, cells, [&](VariableId variable, std::span<const double> found) {
                std::ranges::copy(found, result.data() + place[variable]);
            });
        });
    };
    for_each_block(network, table, {}, limits, control, find_block);
    return result;
}

}  // namespace baytree
