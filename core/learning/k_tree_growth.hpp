#pragma once

#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/parent_set_cache.hpp"

namespace baytree {

/// How a k-tree is grown: `k_greedy` starts from random variables and follows a random order
/// ([k-greedy]); `k_max` starts from candidate parents of each other and goes on with the variable
/// whose best feasible set comes nearest to its best of all ([k-max]).
enum class GrowthRule { k_greedy, k_max };

/// Grows k-trees, each from a start clique that is solved exactly, one after the other until
/// `max_iterations` or the deadline, and keeps the best network found in them. Iteration i draws
/// from a random stream of its own, so the number of threads changes nothing but the time. The
/// first iteration is always brought to its end, so there is a result whatever the clock says.
///
/// A variable whose sets are all infeasible (there may be no empty one, where arcs are required)
/// waits. If some wait in vain in every iteration, the result has the score minus infinity and they
/// have no parents.
SearchOutcome grow_k_trees(const ParentSetCache& cache, const StructureLimits& limits,
                           GrowthRule rule, const SearchBudget& budget, RunControl& control);

}  // namespace baytree
