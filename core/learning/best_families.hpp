#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/variable.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/family_scores.hpp"
#include "structure/arc_constraints.hpp"
#include "structure/variable_mask.hpp"

namespace baytree {

/// The best parents of each variable inside every subset of the others, within the constraints and
/// the limits on their number. Takes n 2^n doubles.
class BestFamilies {
public:
    /// Stops early when the run is over: `is_complete` tells.
    BestFamilies(const FamilyScores& scores, const ArcConstraints& constraints,
                 const StructureLimits& limits, int n_threads, RunControl& control);

    std::size_t n_variables() const noexcept { return n_variables_; }

    /// Whether all families were scored.
    bool is_complete() const noexcept { return !is_cut_short_; }

    /// Minus infinity if no parent set inside the subset is allowed. `inside` may hold the child.
    double score(VariableId child, VariableMask inside) const noexcept {
        return best_[(std::size_t{child} << n_variables_) + (inside & ~mask_of(child))];
    }

    /// A parent set of that score, of the fewest members; there must be one.
    VariableMask parents(VariableId child, VariableMask inside) const;

private:
    void score_families(VariableId child, const FamilyScores& scores,
                        const ArcConstraints& constraints, std::size_t max_parents,
                        const RunControl& control);

    std::size_t n_variables_;
    std::atomic<bool> is_cut_short_{false};
    std::vector<double> exact_;  // by child and parent set
    std::vector<double> best_;   // by child and subset
};

}  // namespace baytree
