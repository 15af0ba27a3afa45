#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

struct WeightedArc {
    VariableId parent;
    VariableId child;
    double weight;
};

/// The parent of each variable in a forest of the largest sum of weights, taken only where they are
/// above 0. `weight(a, b)` is that of an edge and equals `weight(b, a)`. Takes time n^2 ([prim]).
std::vector<std::optional<VariableId>>
maximum_spanning_forest(std::size_t n_variables,
                        const std::function<double(VariableId, VariableId)>& weight);

/// The same for arcs, whose weight depends on the direction ([edmonds], [tarjan-branching]). Arcs
/// of weight 0 or less are not taken.
std::vector<std::optional<VariableId>> maximum_branching(std::size_t n_variables,
                                                         std::span<const WeightedArc> arcs);

}  // namespace baytree
