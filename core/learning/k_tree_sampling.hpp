#pragma once

#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/parent_set_cache.hpp"

namespace baytree {

/// S2 ([s2]): draws k-trees uniformly, assesses them by their informative score, and searches a
/// network inside the promising ones. An iteration draws a hundred k-trees and takes the one of the
/// highest informative score; [s2] accepts each draw with a probability that depends on the best
/// before it, which would make every iteration wait for the last. Iteration i draws from a random
/// stream of its own, so the number of threads changes nothing but the time. The first iteration is
/// always brought to its end.
SearchOutcome sample_k_trees(const ParentSetCache& cache, const StructureLimits& limits,
                             const SearchBudget& budget, RunControl& control);

}  // namespace baytree
