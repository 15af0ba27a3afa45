#pragma once

#include <cstddef>

#include "learning/best_families.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// How many k-trees there are on so many labelled variables ([dandelion]).
double number_of_k_trees(std::size_t n_variables, std::size_t k);

/// A network of the highest score of all, whatever its treewidth; minus infinity if there is none.
Structure best_unbounded_structure(const BestFamilies& families);

/// Offers the networks of the highest score in every k-tree that could hold a better one than those
/// offered before. Meant for large k < n - 1, where k-trees are few. Returns whether it came to its
/// end before the run was over.
bool search_all_k_trees(const BestFamilies& families, std::size_t k, int n_threads,
                        RunControl& control, Incumbent& incumbent);

}  // namespace baytree
