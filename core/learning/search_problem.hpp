#pragma once

#include <vector>

#include "data/variable.hpp"
#include "learning/structure_search.hpp"
#include "learning/structure_state.hpp"
#include "scores/family_scores.hpp"
#include "structure/arc_constraints.hpp"

namespace baytree {

/// What searches over DAGs work on. All of it outlives the search.
struct SearchProblem {
    const FamilyScores& scores;
    const ArcConstraints& constraints;
    const StructureLimits& limits;

    std::size_t n_variables() const { return scores.n_variables(); }
};

/// Throws std::invalid_argument unless constraints and limits speak of the variables of `scores`,
/// and required parents fit into the limits.
void check_problem(const FamilyScores& scores, const ArcConstraints& constraints,
                   const StructureLimits& limits);

/// By variable: whether it has but one state, so that no arc to or from it can matter.
std::vector<bool> constant_variables(const SearchProblem& problem);

/// The structure with the given parents. Throws std::invalid_argument if they break the constraints
/// or form a cycle, or if no order of elimination is found that keeps to the limits.
StructureState state_with(const SearchProblem& problem, const ParentLists& parents,
                          RandomStream& random);

/// The required arcs and no others.
StructureState required_state(const SearchProblem& problem, RandomStream& random);

}  // namespace baytree
