#pragma once

#include <memory>
#include <optional>

#include "learning/search_problem.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/family_scores.hpp"
#include "scores/parent_set_cache.hpp"
#include "structure/arc_constraints.hpp"

namespace baytree {

/// Searches that change a DAG arc by arc, from strong starts.
enum class DagSearch {
    /// The forest of the highest score ([chow-liu]).
    chow_liu,
    /// The best change of one arc after the other, from the forest or a given start.
    hill_climb,
    /// The same, but what does not keep to the limits is not tried again: sooner, for a little
    /// less.
    hill_climb_once,
    /// Simulated annealing from there ([kirkpatrick]): the temperature falls from where most arcs
    /// come and go to below one nat, over the iterations of the budget or the time to the deadline.
    /// With neither, it is done again over twice the iterations until that gains little. A seed and
    /// `max_iterations` give the same result on any number of threads.
    anneal,
};

struct DagSearchOptions {
    DagSearch search;
    std::optional<StartStructure> start;  // not for chow_liu; the others return no less than it
    /// Those that an earlier search returned, to choose parents from them alone. Must have a list
    /// for each variable. Not for caches, which bring their own.
    std::shared_ptr<const ParentLists> likely_parents{};
};

/// Families are scored on demand; parents are looked for among the best single parents of a
/// variable and, in annealing, its neighbours. Throws std::invalid_argument if the required arcs or
/// the start do not keep to the limits, or a forest cannot have all arcs that are required.
SearchOutcome search_dags(const FamilyScores& scores, const ArcConstraints& constraints,
                          const StructureLimits& limits, const DagSearchOptions& options,
                          const SearchBudget& budget, RunControl& control);

/// The same with none but the sets of a cache. Throws std::invalid_argument also if no network was
/// found that has all arcs that are required.
SearchOutcome search_dags(const ParentSetCache& cache, const ArcConstraints& constraints,
                          const StructureLimits& limits, const DagSearchOptions& options,
                          const SearchBudget& budget, RunControl& control);

}  // namespace baytree
