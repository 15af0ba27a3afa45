#pragma once

#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/parent_set_cache.hpp"

namespace baytree {

/// S2 ([s2]): draws k-trees uniformly, accepts each with the probability min(1, I / I*), where I is
/// its informativeness and I* the highest so far, and searches a network inside each that it
/// accepts. An iteration is an accepted k-tree. Draws are made one after the other, networks side
/// by side from random streams of their own, so the number of threads changes nothing but the time.
/// The first iteration is always brought to its end.
SearchOutcome sample_k_trees(const ParentSetCache& cache, const StructureLimits& limits,
                             const SearchBudget& budget, RunControl& control);

}  // namespace baytree
