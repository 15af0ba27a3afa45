#include "structure/arc_constraints.hpp"

#include <functional>
#include <stdexcept>

namespace baytree {

namespace {

void check_list(const std::vector<VariableId>& parents, VariableId child, std::size_t n_variables) {
    if (std::ranges::adjacent_find(parents, std::ranges::greater_equal{}) != parents.end())
        throw std::invalid_argument("arc constraints must be in ascending order");
    for (const VariableId parent : parents)
        if (parent >= n_variables || parent == child)
            throw std::invalid_argument("an arc constraint names no other variable");
}

}  // namespace

void check_constraints(const ArcConstraints& constraints, std::size_t n_variables) {
    if (constraints.required.size() != n_variables || constraints.forbidden.size() != n_variables)
        throw std::invalid_argument("arc constraints must hold one list a variable");
    if (!constraints.tiers.empty() && constraints.tiers.size() != n_variables)
        throw std::invalid_argument("tiers must hold one number a variable");
    for (VariableId child = 0; child < n_variables; ++child) {
        check_list(constraints.required[child], child, n_variables);
        check_list(constraints.forbidden[child], child, n_variables);
        for (const VariableId parent : constraints.required[child])
            if (!constraints.allows(parent, child))
                throw std::invalid_argument("an arc is both required and forbidden");
    }
}

}  // namespace baytree
