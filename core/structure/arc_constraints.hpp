#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/variable.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// Arcs that every network must or must not have.
struct ArcConstraints {
    ParentLists required;              // by child, ascending
    ParentLists forbidden;             // by child, ascending
    std::vector<std::uint32_t> tiers;  // by variable: no arc leads to a lower one; empty for none

    bool allows(VariableId parent, VariableId child) const {
        if (!tiers.empty() && tiers[parent] > tiers[child]) return false;
        return !std::ranges::binary_search(forbidden[child], parent);
    }
    /// Whether a parent set has what is required and nothing that is not allowed.
    bool accept(VariableSpan parents, VariableId child) const {
        return std::ranges::includes(parents, required[child]) &&
               std::ranges::all_of(parents, [&](VariableId p) { return allows(p, child); });
    }
    bool demands(VariableId parent, VariableId child) const {
        return std::ranges::binary_search(required[child], parent);
    }
};

/// Throws std::invalid_argument unless there is one list (and one tier, if any) a variable, the
/// lists are ascending and name other variables, and what is required is allowed.
void check_constraints(const ArcConstraints& constraints, std::size_t n_variables);

}  // namespace baytree
