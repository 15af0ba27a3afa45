#include "structure/narrow_order.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>

#include "structure/variable_mask.hpp"

namespace baytree {

namespace {

std::vector<VariableMask> moral_neighbours(const ParentLists& parents) {
    std::vector<VariableMask> neighbours(parents.size());
    for (VariableId child = 0; child < parents.size(); ++child) {
        const VariableMask family = mask_of(child) | mask_of_set(parents[child]);
        for (VariableMask left = family; left != 0; left &= left - 1)
            neighbours[first_of(left)] |= family & ~mask_of(first_of(left));
    }
    return neighbours;
}

/// The variables that are neighbours of `variable` once those in `eliminated` are gone: all that it
/// reaches through them.
VariableMask neighbours_after(const std::vector<VariableMask>& neighbours, VariableId variable,
                              VariableMask eliminated) {
    VariableMask reached = mask_of(variable) | neighbours[variable];
    for (VariableMask through = reached & eliminated; through != 0;) {
        const VariableMask before = reached;
        for (; through != 0; through &= through - 1) reached |= neighbours[first_of(through)];
        through = reached & ~before & eliminated;
    }
    return reached & ~eliminated & ~mask_of(variable);
}

}  // namespace

std::optional<std::vector<VariableId>> narrow_order(const ParentLists& parents,
                                                    std::size_t max_width) {
    const std::size_t n = parents.size();
    if (n > 20) throw std::invalid_argument("the treewidth is found for 20 variables at most");
    const std::vector<VariableMask> neighbours = moral_neighbours(parents);
    constexpr std::uint8_t none = 255;
    std::vector<std::uint8_t> last(std::size_t{1} << n, none);  // of a set that can go first
    last[0] = 0;
    for (VariableMask set = 1; set < last.size(); ++set)
        for (VariableMask left = set; left != 0 && last[set] == none; left &= left - 1) {
            const VariableMask others = set & ~mask_of(first_of(left));
            if (last[others] == none) continue;
            const VariableMask bag = neighbours_after(neighbours, first_of(left), others);
            if (static_cast<std::size_t>(std::popcount(bag)) <= max_width)
                last[set] = static_cast<std::uint8_t>(first_of(left));
        }
    if (last.back() == none) return std::nullopt;
    std::vector<VariableId> order;
    for (auto set = static_cast<VariableMask>(last.size() - 1); set != 0;
         set &= ~mask_of(order.back()))
        order.push_back(last[set]);
    std::ranges::reverse(order);
    return order;
}

}  // namespace baytree
