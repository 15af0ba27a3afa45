#pragma once

#include <cstddef>

#include "learning/structure_search.hpp"
#include "learning/usable_parent_sets.hpp"
#include "runtime/random_stream.hpp"
#include "structure/k_tree.hpp"

namespace baytree {

/// The k-tree less the connections that its bags must lose to keep to the states allowed in one:
/// each variable joins as much as fits of the clique it joined, if that is still a clique.
KTree trimmed(const KTree& tree, const StructureLimits& limits);

/// The sum of the best set of each variable whose family is a clique of the graph; minus infinity
/// if a variable has none.
double best_score_with_cycles(const KTree& tree, const ParentSetLists& sets);

/// A network whose families are cliques of the graph, so its treewidth is at most that of the
/// graph. The best there is for few variables (`max_small_dag_variables`); otherwise the best of
/// those that `n_orders` random orders of the variables give, each variable taking its best parents
/// before it. The elimination order is that of the graph. The score is minus infinity if a variable
/// has no parent set in any of the orders.
Structure dag_in_k_tree(const KTree& tree, const ParentSetLists& sets, std::size_t n_orders,
                        RandomStream& random);

}  // namespace baytree
