#pragma once

#include <vector>

#include "data/variable.hpp"
#include "learning/structure_search.hpp"
#include "scores/family_score_table.hpp"
#include "scores/family_scores.hpp"
#include "scores/parent_set_cache.hpp"

namespace baytree {

/// Of a family that the cache has no set for: finite, so that it can be taken out of a sum again.
inline constexpr double score_of_no_set = -1e12;

/// Scores for searches that change one arc at a time but may only use the sets of a cache: a set
/// scores as its best subset in the cache, less a little for each parent that is no part of it. So
/// the way from one set to another leads through sets that the cache lacks.
class BestSubsetScores final : public FamilyScores {
public:
    /// `cache` must outlive the scores.
    explicit BestSubsetScores(const ParentSetCache& cache);

    std::size_t n_variables() const noexcept override { return cache_.n_variables(); }
    double score(VariableId child, VariableSpan parents) const override;
    void announce(VariableId child, VariableSpan parents) const noexcept override {
        known_.prefetch(family_digest(child, parents));
    }

    /// The structure with the best subset for each set, and its score in the cache.
    Structure without_idle_parents(Structure structure) const;

private:
    /// The number of the best set of `child` within `parents`; the size of its list if there is
    /// none.
    std::size_t best_subset(VariableId child, VariableSpan parents) const;

    const ParentSetCache& cache_;
    mutable FamilyScoreTable known_;
};

}  // namespace baytree
