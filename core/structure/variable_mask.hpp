#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// Subset of the first 32 variables: a bit each.
using VariableMask = std::uint32_t;

inline VariableMask mask_of(VariableId variable) noexcept { return VariableMask{1} << variable; }

inline VariableMask mask_of_set(VariableSpan variables) noexcept {
    VariableMask mask = 0;
    for (const VariableId variable : variables) mask |= mask_of(variable);
    return mask;
}

inline std::size_t size_of(VariableMask mask) noexcept {
    return static_cast<std::size_t>(std::popcount(mask));
}

/// The lowest member; there must be one.
inline VariableId first_of(VariableMask mask) noexcept {
    return static_cast<VariableId>(std::countr_zero(mask));
}

/// Ascending.
inline std::vector<VariableId> members_of(VariableMask mask) {
    std::vector<VariableId> members;
    for (; mask != 0; mask &= mask - 1) members.push_back(first_of(mask));
    return members;
}

}  // namespace baytree
