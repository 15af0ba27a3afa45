#pragma once

#include <cstdint>
#include <vector>

#include "data/variable.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/parent_set_cache.hpp"

namespace baytree {

/// How a k-tree is grown: `k_greedy` starts from random variables and follows a random order
/// ([k-greedy]); `k_max` starts from candidate parents of each other and goes on with the variable
/// whose best feasible set comes nearest to its best of all ([k-max]).
enum class GrowthRule { k_greedy, k_max };

/// Grows k-trees one after the other until `max_iterations` or the deadline, and keeps the best
/// network found in them. The network of a start clique is the best there is for up to
/// `max_small_dag_variables`, and comes of `dag_by_order_search` for more. Iteration i draws
/// from a random stream of its own, so the number of threads changes nothing but the time. The
/// first iteration is always brought to its end, so there is a result whatever the clock says.
///
/// A variable whose sets are all infeasible (there may be no empty one, where arcs are required)
/// waits. If some wait in vain in every iteration, the result has the score minus infinity and they
/// have no parents.
SearchOutcome grow_k_trees(const ParentSetCache& cache, const StructureLimits& limits,
                           GrowthRule rule, const SearchBudget& budget, RunControl& control);

/// What one iteration grows; for tests.
struct GrownKTree {
    Structure structure;  // eliminated in the reverse of the order in which it grew
    std::vector<std::vector<VariableId>> bags;  // of the start, then of each that joined it
};

/// The first iteration of a search with this seed.
GrownKTree grow_one_k_tree(const ParentSetCache& cache, const StructureLimits& limits,
                           GrowthRule rule, std::uint64_t seed);

}  // namespace baytree
