#pragma once

#include <optional>
#include <vector>

#include "data/variable.hpp"
#include "learning/structure_search.hpp"
#include "scores/parent_set_cache.hpp"
#include "structure/arc_constraints.hpp"

namespace baytree {

/// By child, best first; may be empty.
using ParentSetLists = std::vector<ScoredParentSets>;

/// Whether the arities of the variables, where they are known, allow them in one bag. A single
/// variable always has a bag.
bool fits_in_bag(VariableSpan variables, const StructureLimits& limits) noexcept;

/// The same for a variable and its parents.
bool family_fits_in_bag(VariableId child, VariableSpan parents,
                        const StructureLimits& limits) noexcept;

/// The sets of a cache that a network within the limits can use: small enough, fitting into one bag
/// together with the child, and of a finite score. Throws std::invalid_argument unless there is one
/// arity a variable, or none.
ParentSetLists usable_parent_sets(const ParentSetCache& cache, const StructureLimits& limits);

/// A variable that has no set within limits and constraints, if there is one; then there is no
/// network either.
std::optional<VariableId> variable_without_sets(const ParentSetCache& cache,
                                                const ArcConstraints& constraints,
                                                const StructureLimits& limits);

}  // namespace baytree
