#include "structure/narrow_order.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>

namespace baytree {

namespace {

using Mask = std::uint32_t;

VariableId first_of(Mask mask) { return static_cast<VariableId>(std::countr_zero(mask)); }

std::vector<Mask> moral_neighbours(const ParentLists& parents) {
    std::vector<Mask> neighbours(parents.size());
    for (VariableId child = 0; child < parents.size(); ++child) {
        Mask family = Mask{1} << child;
        for (const VariableId parent : parents[child]) family |= Mask{1} << parent;
        for (Mask left = family; left != 0; left &= left - 1)
            neighbours[first_of(left)] |= family & ~(Mask{1} << first_of(left));
    }
    return neighbours;
}

/// The variables that are neighbours of `variable` once those in `eliminated` are gone: all that it
/// reaches through them.
Mask neighbours_after(const std::vector<Mask>& neighbours, VariableId variable, Mask eliminated) {
    Mask reached = Mask{1} << variable | neighbours[variable];
    for (Mask through = reached & eliminated; through != 0;) {
        const Mask before = reached;
        for (; through != 0; through &= through - 1) reached |= neighbours[first_of(through)];
        through = reached & ~before & eliminated;
    }
    return reached & ~eliminated & ~(Mask{1} << variable);
}

}  // namespace

std::optional<std::vector<VariableId>> narrow_order(const ParentLists& parents,
                                                    std::size_t max_width) {
    const std::size_t n = parents.size();
    if (n > 20) throw std::invalid_argument("the treewidth is found for 20 variables at most");
    const std::vector<Mask> neighbours = moral_neighbours(parents);
    constexpr std::uint8_t none = 255;
    std::vector<std::uint8_t> last(std::size_t{1} << n, none);  // of a set that can go first
    last[0] = 0;
    for (Mask set = 1; set < last.size(); ++set)
        for (Mask left = set; left != 0 && last[set] == none; left &= left - 1) {
            const Mask others = set & ~(Mask{1} << first_of(left));
            if (last[others] == none) continue;
            const Mask bag = neighbours_after(neighbours, first_of(left), others);
            if (static_cast<std::size_t>(std::popcount(bag)) <= max_width)
                last[set] = static_cast<std::uint8_t>(first_of(left));
        }
    if (last.back() == none) return std::nullopt;
    std::vector<VariableId> order;
    for (auto set = static_cast<Mask>(last.size() - 1); set != 0; set &= ~(Mask{1} << order.back()))
        order.push_back(last[set]);
    std::ranges::reverse(order);
    return order;
}

}  // namespace baytree
