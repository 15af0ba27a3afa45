#include "learning/structure_search.hpp"

#include <chrono>
#include <utility>

#include "structure/tree_decomposition.hpp"

namespace baytree {

bool Incumbent::would_take(double score, std::uint64_t iteration) const {
    const std::scoped_lock lock(mutex_);
    return !best_ || score > best_->score || (score == best_->score && iteration < iteration_);
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

SearchOutcome Incumbent::outcome(std::uint64_t n_iterations) && {
    return {std::move(best_).value(), n_iterations, std::move(history_)};
}

}  // namespace baytree
