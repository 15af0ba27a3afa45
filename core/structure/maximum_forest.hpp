#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "data/variable.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

struct WeightedArc {
    VariableId parent;
    VariableId child;
    double weight;
};

/// The parent of each variable in a forest of the largest sum of weights, taken only where they are
/// above 0. `weight(a, b)` is that of an edge and equals `weight(b, a)`. Takes time n^2 ([prim]).
/// Some forest if a stop is asked for meanwhile.
std::vector<std::optional<VariableId>>
maximum_spanning_forest(std::size_t n_variables,
                        const std::function<double(VariableId, VariableId)>& weight,
                        const RunControl& control);

/// The arcs into a variable from others.
using ArcsInto = std::function<std::vector<WeightedArc>(VariableId child)>;

/// The same for arcs, whose weight depends on the direction ([edmonds], [tarjan-branching]). Arcs
/// of weight 0 or less are not taken. Takes time n^2 at most. The arcs into a variable are asked
/// for twice at most, and not kept, so that those of a dense graph need never be there all at once.
std::vector<std::optional<VariableId>> maximum_branching(std::size_t n_variables,
                                                         const ArcsInto& arcs_into);

}  // namespace baytree
