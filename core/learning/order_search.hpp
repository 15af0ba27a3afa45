#pragma once

#include <cstddef>
#include <span>

#include "data/variable.hpp"
#include "learning/small_dag.hpp"
#include "learning/usable_parent_sets.hpp"
#include "runtime/random_stream.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// A network of high score over `variables`, whose parent sets lie among them: what
/// `best_small_dag` does for a few, for any number. From each of `n_orders` random orders it moves
/// single variables to the place where all gain most together, until none gains ([winasobs]); each
/// variable has its best set among those before it. Variables without a set there are left out.
/// When the run is over, the orders are no longer improved.
SmallDag dag_by_order_search(const ParentSetLists& sets, std::span<const VariableId> variables,
                             std::size_t n_orders, RandomStream& random, const RunControl& control);

}  // namespace baytree
