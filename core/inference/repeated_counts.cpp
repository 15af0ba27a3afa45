#include "inference/repeated_counts.hpp"

#include <algorithm>
#include <utility>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr std::size_t tasks_a_look_at_the_clock = 16;

}  // namespace

RepeatedCounts::RepeatedCounts(const RowTable& table, std::span<const double> weights,
                               const RowLimits& limits, double most_bytes_kept)
    : table_(table),
      weights_(weights),
      limits_(limits),
      most_bytes_kept_(std::min(most_bytes_kept, limits.max_bytes)) {}

ExpectedCounts RepeatedCounts::count(const RowNetwork& network, RunControl& control) {
    // Where some states are impossible, whole rows may be, and do not count then.
    if (network.has_zeros()) return expected_counts(network, table_, weights_, limits_, control);
    if (!is_prepared_) prepare(network, control);
    std::vector<ExpectedCounts> parts = empty_counts(network, table_.n_rows);
    if (is_over(control)) return std::move(parts.front());
    count_kept(network, parts, control);
    count_others(network, parts, control);
    ExpectedCounts sums = summed(std::move(parts));
    add_complete(network, sums);
    return sums;
}

void RepeatedCounts::prepare(const RowNetwork& network, RunControl& control) {
    complete_ = complete_counts(network, table_, weights_, limits_, control);
    const std::size_t n_parts = empty_counts(network, table_.n_rows).size();
    tasks_.assign(n_parts, {});
    kept_until_.assign(n_parts, {});
    for_each_block_in_parts(network, table_, {}, {n_parts, {}}, limits_, control,
                            [&](RowWorker& worker, std::size_t part) {
                                const std::size_t number =
                                    worker.block.first() / rows_per_block(network);
                                keep_block(worker, number, part, control);
                            });
    for (ComponentTasks& tasks : tasks_) tasks.close();
    is_prepared_ = !is_over(control);
}

void RepeatedCounts::keep_block(RowWorker& worker, std::size_t number, std::size_t part,
                                const RunControl& control) {
    ComponentTasks& tasks = tasks_[part];
    const double most_bytes = most_bytes_kept_ / static_cast<double>(tasks_.size());
    const auto is_full = [&] { return static_cast<double>(tasks.n_bytes()) >= most_bytes; };
    if (is_full()) return;
    std::vector<std::uint32_t> bases;
    for (std::size_t i = 0; i < worker.block.n_incomplete() && !is_over(control); ++i) {
        if (is_full()) {
            kept_until_[part] = {number, i};
            return;
        }
        const double weight = this->weight(worker.block, i);
        if (!(weight > 0.0)) continue;
        const std::int32_t* cells = worker.block.cells(i);
        worker.components.find(cells);
        for (const auto& plan : worker.components.plans()) {
            plan->find_bases(cells, bases);
            tasks.add(plan, bases, weight);
        }
    }
    kept_until_[part] = {number + 1, 0};
}

void RepeatedCounts::count_kept(const RowNetwork& network, std::vector<ExpectedCounts>& parts,
                                RunControl& control) const {
    parallel_for(parts.size(), limits_.n_threads, control, [&](std::size_t part) {
        const ComponentTasks& tasks = tasks_[part];
        ComponentSolver solver(network);
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (i % tasks_a_look_at_the_clock == 0 && is_over(control)) return;
            const double mass =
                solver.solve(tasks.plan(i), tasks.bases(i), KeptTables::conditional);
            parts[part].log_likelihood += tasks.weight(i) * mass;
            solver.join();
            solver.add_counts(tasks.weight(i), parts[part].counts);
        }
    });
}

void RepeatedCounts::count_others(const RowNetwork& network, std::vector<ExpectedCounts>& parts,
                                  RunControl& control) const {
    std::vector<std::size_t> first_blocks;
    for (const Place& place : kept_until_) first_blocks.push_back(place.block);
    const auto add_block = [&](RowWorker& worker, std::size_t part) {
        const Place& place = kept_until_[part];
        const bool is_begun = worker.block.first() / rows_per_block(network) == place.block;
        for (std::size_t i = is_begun ? place.row : 0;
             i < worker.block.n_incomplete() && !is_over(control); ++i) {
            const double weight = this->weight(worker.block, i);
            if (!(weight > 0.0)) continue;
            const std::int32_t* cells = worker.block.cells(i);
            worker.components.find(cells);
            for (const auto& plan : worker.components.plans()) {
                const double mass = worker.solver.solve(*plan, cells, KeptTables::conditional);
                parts[part].log_likelihood += weight * mass;
                worker.solver.join();
                worker.solver.add_counts(weight, parts[part].counts);
            }
        }
    };
    for_each_block_in_parts(network, table_, {}, {parts.size(), first_blocks}, limits_, control,
                            add_block);
}

void RepeatedCounts::add_complete(const RowNetwork& network, ExpectedCounts& sums) const {
    for (VariableId child = 0; child < network.n_variables(); ++child) {
        const auto logs = network.log_table(child);
        const std::size_t first = network.first_entry(child);
        for (std::size_t entry = 0; entry < logs.size(); ++entry) {
            sums.log_likelihood += complete_[first + entry] * logs[entry];
            sums.counts[first + entry] += complete_[first + entry];
        }
    }
}

/// Of the i-th row of a block that has gaps.
double RepeatedCounts::weight(const RowBlock& block, std::size_t i) const {
    return weights_.empty() ? 1.0 : weights_[block.first() + block.row(i)];
}

}  // namespace baytree
