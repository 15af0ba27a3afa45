#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "learning/best_families.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Which sets of variables may be the bags of a decomposition.
using BagTest = std::function<bool(VariableMask)>;

/// Steps and table entries (eight bytes) that `best_decomposed_structure` takes, if all bags of
/// `max_bag_size` variables will do.
double decomposition_search_cost(std::size_t n_variables, std::size_t max_bag_size);
double decomposition_search_size(std::size_t n_variables, std::size_t max_bag_size);

/// A network of the highest score among those with a tree decomposition into bags of at most
/// `max_bag_size` variables for which `is_bag` holds; the score is minus infinity if there is none.
/// `needs_small_bags` says that not all sets of `max_bag_size` variables are bags, so smaller ones
/// have to be looked at. Nothing if the run was over before the end.
///
/// Dynamic programming over rooted tree decompositions ([korhonen]): what hangs on a separator is
/// solved for every order of its members, every set of variables below it, and every set of members
/// that get their parents below. Orders of neighbouring bags agree, so that there is no cycle.
std::optional<Structure> best_decomposed_structure(const BestFamilies& families,
                                                   std::size_t max_bag_size, bool needs_small_bags,
                                                   const BagTest& is_bag, int n_threads,
                                                   RunControl& control);

}  // namespace baytree
