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

    /// Whether a variable has but one state, so that no arc to or from it can matter.
    bool is_constant(VariableId variable) const {
        return !limits.arities.empty() && limits.arities[variable] == 1;
    }
    /// Whether a search may add the arc.
    bool allows(VariableId parent, VariableId child) const {
        return constraints.allows(parent, child) && !is_constant(parent) && !is_constant(child);
    }
};

/// Throws std::invalid_argument unless constraints and limits speak of the variables of `scores`,
/// and required parents fit into the limits.
void check_problem(const FamilyScores& scores, const ArcConstraints& constraints,
                   const StructureLimits& limits);

/// About how many seconds the score of a family of so many parents takes, told from some of them:
/// the same number on any machine.
double seconds_a_score(const SearchProblem& problem, std::size_t n_parents);

/// Arcs to start from. The order, if it is not empty, is one that proves their width.
struct StartStructure {
    ParentLists parents;
    std::vector<VariableId> elimination_order;
};

/// The state with the given arcs. Throws std::invalid_argument if they break the constraints
/// or form a cycle, if a family has no score, or if no order of elimination is found that keeps to
/// the limits.
StructureState state_with(const SearchProblem& problem, const StartStructure& start,
                          RandomStream& random);

/// The required arcs and no others.
StructureState required_state(const SearchProblem& problem, RandomStream& random);

}  // namespace baytree
