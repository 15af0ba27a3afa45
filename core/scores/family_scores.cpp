#include "scores/family_scores.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace baytree {

void check_family(std::size_t n_variables, VariableId child, VariableSpan parents) {
    const auto is_known = [&](VariableId variable) { return variable < n_variables; };
    if (!is_known(child) || !std::ranges::all_of(parents, is_known))
        throw std::invalid_argument("a family names an unknown variable");
    if (std::ranges::adjacent_find(parents, std::ranges::greater_equal{}) != parents.end())
        throw std::invalid_argument("parents must be in ascending order, without repeats");
    if (std::ranges::binary_search(parents, child))
        throw std::invalid_argument("a variable cannot be its own parent");
}

}  // namespace baytree
