#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace baytree {

/// Position of a variable in its dataset.
using VariableId = std::uint32_t;

/// Variables in ascending order, without repeats.
using VariableSpan = std::span<const VariableId>;

/// Adds a variable that is not there yet to others in ascending order.
inline void insert_in_order(std::vector<VariableId>& variables, VariableId variable) {
    variables.insert(std::ranges::upper_bound(variables, variable), variable);
}

}  // namespace baytree
