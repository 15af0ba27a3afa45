#pragma once

#include <optional>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// Parents of every variable, each list ascending.
using ParentLists = std::vector<std::vector<VariableId>>;

/// All variables, parents before their children; nothing if the arcs form a cycle.
std::optional<std::vector<VariableId>> topological_order(const ParentLists& parents);

}  // namespace baytree
