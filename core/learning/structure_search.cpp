#include "learning/structure_search.hpp"

#include <chrono>
#include <utility>

#include "runtime/random_stream.hpp"
#include "structure/fill_in.hpp"
#include "structure/ordered_dag.hpp"
#include "structure/tree_decomposition.hpp"

namespace baytree {

namespace {

constexpr int n_orders_to_tidy = 20;
constexpr double tidying_share = 0.01;  // of the time that the search took, if it had a deadline

/// A search proves the width by an order that served its own ends. Another may have smaller bags.
void tidy(Structure& structure, const StructureLimits& limits, Clock::time_point until) {
    const OrderedDag dag = dag_of(structure.parents);
    FillIn fill_in(dag.n_variables(), bag_limits(limits));
    if (!fill_in.refresh(dag, structure.elimination_order)) return;
    double least = fill_in.total_states();
    RandomStream random(0, 0);  // any: the same structure is to get the same order
    for (int i = 0; i < n_orders_to_tidy && Clock::now() < until; ++i) {
        if (!fill_in.rebuild(dag, random) || !(fill_in.total_states() < least)) continue;
        least = fill_in.total_states();
        structure.elimination_order = fill_in.elimination_order();
    }
}

}  // namespace

bool Incumbent::would_take(double score, std::uint64_t iteration) const {
    const std::scoped_lock lock(mutex_);
    return !best_ || score > best_->score || (score == best_->score && iteration < iteration_);
}

std::optional<double> Incumbent::score() const {
    const std::scoped_lock lock(mutex_);
    return best_ ? std::optional(best_->score) : std::nullopt;
}

void Incumbent::offer(Structure structure, std::uint64_t iteration) {
    if (!would_take(structure.score, iteration)) return;
    const std::size_t width = decompose(structure.parents, structure.elimination_order).width();
    const std::scoped_lock lock(mutex_);
    if (best_ && structure.score < best_->score) return;  // another thread was faster
    const bool is_better = !best_ || structure.score > best_->score;
    if (!is_better && iteration >= iteration_) return;
    best_ = std::move(structure);
    iteration_ = iteration;
    control_.report_best(best_->score, width);
    if (!is_better) return;
    const std::chrono::duration<double> elapsed = Clock::now() - started_;
    history_.push_back({elapsed.count(), iteration, best_->score});
}

/// A deadline may have passed by now, so tidying must end soon.
Clock::time_point Incumbent::end_of_tidying() const {
    if (!control_.has_deadline()) return Clock::time_point::max();
    const auto now = Clock::now();
    return now + std::chrono::duration_cast<Clock::duration>((now - started_) * tidying_share);
}

SearchOutcome Incumbent::outcome(std::uint64_t n_iterations, const StructureLimits& limits,
                                 std::optional<std::uint64_t> n_accepted) && {
    tidy(best_.value(), limits, end_of_tidying());
    return {std::move(*best_), n_iterations, n_accepted.value_or(n_iterations), std::move(history_),
            false};
}

}  // namespace baytree
