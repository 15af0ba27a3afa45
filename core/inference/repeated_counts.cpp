#include "inference/repeated_counts.hpp"

#include <algorithm>
#include <utility>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr std::size_t entries_a_look_at_the_clock = 1 << 14;

/// Adds a component to the counts, and returns the logarithm of its likelihood.
double add_component(ComponentSolver& solver, const ComponentPlan& plan,
                     std::span<const std::uint32_t> bases, double weight,
                     std::span<double> counts) {
    const double mass = solver.solve(plan, bases, KeptTables::conditional);
    solver.join();
    solver.add_counts(weight, counts);
    return mass;
}

}  // namespace

RepeatedCounts::RepeatedCounts(const RowTable& table, std::span<const double> weights,
                               const RowLimits& limits, std::size_t max_kept)
    : table_(table),
      weights_(weights),
      limits_(limits),
      max_kept_(max_kept) {}

std::size_t RepeatedCounts::n_kept() const noexcept {
    std::size_t n = 0;
    for (const ComponentTasks& tasks : tasks_) n += tasks.size();
    return n;
}

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
    const std::size_t n_parts = number_of_parts(network, table_.n_rows);
    tasks_.assign(n_parts, {});
    kept_until_.assign(n_parts, {});
    for_each_block_in_parts(
        network, table_, {}, {.n_parts = n_parts}, limits_, control,
        [&](RowWorker& worker, std::size_t part) { keep_block(worker, part, control); });
    parallel_for(n_parts, limits_.n_threads, [&](std::size_t part) { tasks_[part].close(); });
    is_prepared_ = !is_over(control);
}

template <class Visit>
void RepeatedCounts::for_each_component(RowWorker& worker, std::size_t i,
                                        const Visit& visit) const {
    const std::size_t row = worker.block.first() + worker.block.row(i);
    const double weight = weights_.empty() ? 1.0 : weights_[row];
    if (!(weight > 0.0)) return;
    const std::int32_t* cells = worker.block.cells(i);
    worker.components.find(cells);
    thread_local std::vector<std::uint32_t> bases;
    for (const auto& plan : worker.components.plans()) {
        plan->find_bases(cells, bases);
        visit(plan, bases, weight);
    }
}

void RepeatedCounts::keep_block(RowWorker& worker, std::size_t part, const RunControl& control) {
    ComponentTasks& tasks = tasks_[part];
    // Tasks of one plan are joined, so the plans at hand must not depend on the parts before.
    if (tasks.size() == 0) worker.components.forget_plans();
    const auto is_full = [&] { return tasks.n_bytes() >= max_kept_ / tasks_.size(); };
    if (is_full()) return;
    for (std::size_t i = 0; i < worker.block.n_incomplete() && !is_over(control); ++i) {
        if (is_full()) {
            kept_until_[part] = {worker.block.number(), i};
            return;
        }
        for_each_component(worker, i, [&](const auto& plan, const auto& bases, double weight) {
            tasks.add(plan, bases, weight);
        });
    }
    kept_until_[part] = {worker.block.number() + 1, 0};
}

void RepeatedCounts::count_kept(const RowNetwork& network, std::vector<ExpectedCounts>& parts,
                                RunControl& control) const {
    parallel_for(parts.size(), limits_.n_threads, control, [&](std::size_t part) {
        const ComponentTasks& tasks = tasks_[part];
        ComponentSolver solver(network);
        double log_likelihood = 0.0;
        std::size_t n_entries = 0;  // since the last look at the clock
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            n_entries += tasks.plan(i).n_table_entries;
            if (n_entries > entries_a_look_at_the_clock) {
                if (is_over(control)) return;
                n_entries = 0;
            }
            log_likelihood += tasks.weight(i) * add_component(solver, tasks.plan(i), tasks.bases(i),
                                                              tasks.weight(i), parts[part].counts);
        }
        parts[part].log_likelihood = log_likelihood;
    });
}

void RepeatedCounts::count_others(const RowNetwork& network, std::vector<ExpectedCounts>& parts,
                                  RunControl& control) const {
    std::vector<std::size_t> first_blocks;
    first_blocks.reserve(kept_until_.size());
    for (const Place& place : kept_until_) first_blocks.push_back(place.block);
    const auto add_block = [&](RowWorker& worker, std::size_t part) {
        const Place& place = kept_until_[part];
        for (std::size_t i = worker.block.number() == place.block ? place.row : 0;
             i < worker.block.n_incomplete() && !is_over(control); ++i) {
            for_each_component(worker, i, [&](const auto& plan, const auto& bases, double weight) {
                parts[part].log_likelihood +=
                    weight * add_component(worker.solver, *plan, bases, weight, parts[part].counts);
            });
        }
    };
    for_each_block_in_parts(network, table_, {},
                            {.n_parts = parts.size(), .first_blocks = first_blocks}, limits_,
                            control, add_block);
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

}  // namespace baytree
