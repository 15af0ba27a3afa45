#pragma once

#include <cstdint>
#include <span>

namespace baytree {

/// Position of a variable in its dataset.
using VariableId = std::uint32_t;

/// Variables in ascending order, without repeats.
using VariableSpan = std::span<const VariableId>;

}  // namespace baytree
