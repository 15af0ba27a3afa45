#include "learning/best_families.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "learning/family_lists.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

BestFamilies::BestFamilies(const FamilyScores& scores, const ArcConstraints& constraints,
                           const StructureLimits& limits, int n_threads, RunControl& control)
    : n_variables_(scores.n_variables()),
      exact_(n_variables_ << n_variables_, -std::numeric_limits<double>::infinity()) {
    const std::size_t max_parents = std::min(limits.max_parents, limits.max_treewidth);
    parallel_for(n_variables_, n_threads, control, [&](std::size_t child) {
        score_families(static_cast<VariableId>(child), scores, constraints, max_parents, control);
    });
    best_ = exact_;
    for (std::size_t bit = 1; bit < std::size_t{1} << n_variables_; bit *= 2)
        for (std::size_t i = 0; i < best_.size(); ++i)
            if ((i & bit) != 0) best_[i] = std::max(best_[i], best_[i - bit]);
}

void BestFamilies::score_families(VariableId child, const FamilyScores& scores,
                                  const ArcConstraints& constraints, std::size_t max_parents,
                                  const RunControl& control) {
    const AllowedParents is_allowed(child, n_variables_, constraints);
    for (VariableMask parents = 0; parents < VariableMask{1} << n_variables_; ++parents) {
        if (static_cast<std::size_t>(std::popcount(parents)) > max_parents || !is_allowed(parents))
            continue;
        if (is_over(control)) {
            is_cut_short_ = true;
            return;
        }
        exact_[(std::size_t{child} << n_variables_) + parents] =
            scores.score(child, members_of(parents));
    }
}

VariableMask BestFamilies::parents(VariableId child, VariableMask inside) const {
    inside &= ~mask_of(child);
    const double score = this->score(child, inside);
    VariableMask fewest = inside;
    for (VariableMask subset = inside;; subset = (subset - 1) & inside) {
        if (exact_[(std::size_t{child} << n_variables_) + subset] == score &&
            std::popcount(subset) <= std::popcount(fewest))
            fewest = subset;
        if (subset == 0) return fewest;
    }
}

}  // namespace baytree
