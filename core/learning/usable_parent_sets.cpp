#include "learning/usable_parent_sets.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace baytree {

namespace {

double n_states(VariableSpan variables, const StructureLimits& limits) noexcept {
    double product = 1.0;
    for (const VariableId variable : variables) product *= limits.arities[variable];
    return product;
}

bool is_usable(VariableId child, VariableSpan parents, const StructureLimits& limits) {
    return parents.size() <= std::min(limits.max_parents, limits.max_treewidth) &&
           family_fits_in_bag(child, parents, limits);
}

}  // namespace

bool fits_in_bag(VariableSpan variables, const StructureLimits& limits) noexcept {
    return variables.size() <= 1 || limits.arities.empty() ||
           n_states(variables, limits) <= limits.max_clique_states;
}

bool family_fits_in_bag(VariableId child, VariableSpan parents,
                        const StructureLimits& limits) noexcept {
    return parents.empty() || limits.arities.empty() ||
           n_states(parents, limits) * limits.arities[child] <= limits.max_clique_states;
}

ParentSetLists usable_parent_sets(const ParentSetCache& cache, const StructureLimits& limits) {
    if (!limits.arities.empty() && limits.arities.size() != cache.n_variables())
        throw std::invalid_argument("arities must hold one number a variable");
    ParentSetLists usable(cache.n_variables());
    for (VariableId child = 0; child < cache.n_variables(); ++child) {
        const ScoredParentSets& sets = cache.of(child);
        usable[child].reserve(sets.size(), sets.members().size());
        for (std::size_t i = 0; i < sets.size(); ++i)
            if (std::isfinite(sets.score(i)) && is_usable(child, sets.parents(i), limits))
                usable[child].add(sets.score(i), sets.parents(i));
    }
    return usable;
}

std::optional<VariableId> variable_without_sets(const ParentSetCache& cache,
                                                const ArcConstraints& constraints,
                                                const StructureLimits& limits) {
    check_constraints(constraints, cache.n_variables());
    const ParentSetLists usable = usable_parent_sets(cache, limits);
    for (VariableId child = 0; child < usable.size(); ++child) {
        bool has_set = false;
        for (std::size_t i = 0; i < usable[child].size() && !has_set; ++i)
            has_set = constraints.accept(usable[child].parents(i), child);
        if (!has_set) return child;
    }
    return std::nullopt;
}

}  // namespace baytree
