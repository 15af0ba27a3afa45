#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "data/variable.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/family_scores.hpp"
#include "scores/parent_set_cache.hpp"
#include "structure/arc_constraints.hpp"
#include "structure/variable_mask.hpp"

namespace baytree {

/// The parents that a child must have, and those that it can have.
struct AllowedParents {
    AllowedParents(VariableId child, std::size_t n_variables, const ArcConstraints& constraints);

    bool operator()(VariableMask parents) const noexcept {
        return (required & ~parents) == 0 && (parents & ~allowed) == 0;
    }

    VariableMask required = 0;
    VariableMask allowed = 0;
};

/// The families of every variable that the constraints and the limit on parents allow, best first,
/// without those that a subset of their parents scores as much as: no bound on treewidth makes them
/// of use.
///
/// A variable that may not be without parents has the empty set nonetheless, at a penalty that is
/// larger than all differences of scores: so every set of variables has a network.
class FamilyLists {
public:
    /// Stops early when the run is over: `is_complete` tells.
    FamilyLists(const FamilyScores& scores, const ArcConstraints& constraints,
                const StructureLimits& limits, int n_threads, RunControl& control);

    std::size_t n_variables() const noexcept { return lists_.size(); }
    bool is_complete() const noexcept { return !is_cut_short_; }

    /// Of the best parents inside a set, which may hold the child.
    double score(VariableId child, VariableMask inside) const noexcept {
        return best(child, inside).score;
    }
    VariableMask parents(VariableId child, VariableMask inside) const noexcept {
        return best(child, inside).parents;
    }

    /// The same, or something not above `floor` if it is not above that: sooner.
    double score_above(double floor, VariableId child, VariableMask inside) const noexcept;

    /// Whether the structure has none of the families with a penalty.
    bool allows(const Structure& structure) const;

    /// As large as the score of any set of variables, or larger, without its sign.
    double magnitude() const noexcept { return magnitude_; }

    ParentSetCache to_cache() const;

private:
    struct Family {
        double score;
        VariableMask parents;
    };

    const Family& best(VariableId child, VariableMask inside) const noexcept;
    void list_families(VariableId child, const FamilyScores& scores, const AllowedParents& allowed,
                       std::size_t max_parents, const RunControl& control);
    void add_penalties();

    std::atomic<bool> is_cut_short_{false};
    std::vector<std::vector<Family>> lists_;
    std::vector<bool> has_penalty_;  // the empty set of a variable
    double magnitude_ = 0.0;
};

}  // namespace baytree
