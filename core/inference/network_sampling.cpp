#include "inference/network_sampling.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "inference/prior_marginals.hpp"
#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// Draws variables that nothing observed depends on, from their tables.
void draw_barren(const RowNetwork& network, VariableSpan barren, std::int32_t* cells,
                 RandomStream& random) {
    for (const VariableId variable : barren) {
        std::size_t entry = 0;
        cells[variable] = 0;
        for (const FamilyTerm& term : network.family(variable))
            entry += static_cast<std::size_t>(cells[term.variable]) * term.stride;
        cells[variable] =
            drawn_state(network.table(variable).subspan(entry, network.arity(variable)), random);
    }
}

/// Whether every family that is observed as a whole is possible.
bool are_states_possible(const RowNetwork& network, std::span<const std::int32_t> cells) {
    for (VariableId child = 0; child < network.n_variables(); ++child) {
        std::size_t entry = 0;
        bool has_missing = false;
        for (const FamilyTerm& term : network.family(child)) {
            has_missing = has_missing || cells[term.variable] < 0;
            entry += static_cast<std::size_t>(cells[term.variable]) * term.stride;
        }
        if (!has_missing && network.table(child)[entry] == 0.0) return false;
    }
    return true;
}

/// One solver a component, all with the distributions that draws need.
std::vector<ComponentSolver> solved(const RowNetwork& network, const RowComponents& components,
                                    const std::int32_t* cells) {
    std::vector<ComponentSolver> solvers;
    for (const auto& plan : components.plans()) {
        solvers.emplace_back(network);
        if (solvers.back().solve(*plan, cells, KeptTables::conditional) == minus_infinity)
            throw std::invalid_argument("the evidence is impossible");
    }
    return solvers;
}

/// A row that is drawn.
struct DrawnRow {
    std::vector<std::int32_t> cells;
    RandomStream random;
};

/// Draws the missing cells of a row, whose components are found, again and again.
void draw_missing_cells(const RowNetwork& network, RowWorker& worker, PriorMarginals& prior,
                        const std::int32_t* cells, std::span<DrawnRow> drawn) {
    for (const auto& plan : worker.components.plans()) {
        const double mass = worker.solver.solve(*plan, cells, KeptTables::conditional);
        for (DrawnRow& row : drawn) {
            if (mass != minus_infinity) {
                worker.solver.draw(row.cells.data(), row.random);
                continue;
            }
            for (const auto& clique : plan->cliques)
                row.cells[clique.variable] = drawn_state(prior.of(clique.variable), row.random);
        }
    }
    for (DrawnRow& row : drawn)
        draw_barren(network, worker.components.barren(), row.cells.data(), row.random);
}

}  // namespace

LargeVector<std::int32_t> sample_rows(const RowNetwork& network,
                                      std::span<const std::int32_t> evidence, std::size_t n_rows,
                                      std::uint64_t seed, const RowLimits& limits,
                                      RunControl& control) {
    const std::size_t n_variables = network.n_variables();
    if (evidence.size() != n_variables)
        throw std::invalid_argument("evidence needs a code for every variable");
    for (VariableId variable = 0; variable < n_variables; ++variable)
        if (evidence[variable] >= static_cast<std::int64_t>(network.arity(variable)))
            throw std::invalid_argument("a code is not a state of its variable");
    if (!are_states_possible(network, evidence))
        throw std::invalid_argument("the evidence is impossible");
    RowComponents components(network, {.drops_barren = true, .targets = {}}, limits.max_bytes);
    components.find(evidence.data());
    const auto solvers = solved(network, components, evidence.data());
    const std::size_t block = rows_per_answer(network);
    auto result = large_vector<std::int32_t>(n_rows * n_variables, limits.n_threads);
    const auto draw_block = [&](std::size_t number) {
        const std::size_t first = number * block;
        const std::size_t last = std::min(first + block, n_rows);
        std::vector<std::int32_t> cells;
        for (std::size_t row = first; row < last && !is_over(control); ++row) {
            RandomStream random(seed, row);
            cells.assign(evidence.begin(), evidence.end());
            for (const ComponentSolver& solver : solvers) solver.draw(cells.data(), random);
            draw_barren(network, components.barren(), cells.data(), random);
            for (std::size_t v = 0; v < n_variables; ++v) result[v * n_rows + row] = cells[v];
        }
        control.add_done(last - first);
    };
    parallel_for((n_rows + block - 1) / block, limits.n_threads, control, draw_block);
    return result;
}

std::vector<LargeVector<std::int32_t>> draw_completions(const RowNetwork& network,
                                                        const RowTable& table,
                                                        std::span<const std::uint64_t> seeds,
                                                        const RowLimits& limits,
                                                        RunControl& control) {
    std::vector<LargeVector<std::int32_t>> result;
    for (std::size_t k = 0; k < seeds.size(); ++k)
        result.push_back(large_vector<std::int32_t>(table.codes.size(), limits.n_threads));
    PriorMarginals prior(network, limits.max_bytes);
    const auto draw_block = [&](RowWorker& worker) {
        for (auto& codes : result) worker.block.copy_columns(codes);
        std::vector<DrawnRow> drawn(seeds.size(), DrawnRow{{}, RandomStream(0, 0)});
        for (std::size_t i = 0; i < worker.block.n_incomplete() && !is_over(control); ++i) {
            const std::int32_t* cells = worker.block.cells(i);
            const std::size_t row = worker.block.first() + worker.block.row(i);
            for (std::size_t k = 0; k < seeds.size(); ++k) {
                drawn[k].cells.assign(cells, cells + network.n_variables());
                drawn[k].random = RandomStream(seeds[k], row);
            }
            worker.components.find(cells);
            draw_missing_cells(network, worker, prior, cells, drawn);
            for (std::size_t k = 0; k < seeds.size(); ++k)
                for (const VariableId variable : worker.components.missing())
                    result[k][variable * table.n_rows + row] = drawn[k].cells[variable];
        }
    };
    for_each_block(network, table, {.drops_barren = true, .targets = {}}, limits, control,
                   draw_block);
    return result;
}

}  // namespace baytree
