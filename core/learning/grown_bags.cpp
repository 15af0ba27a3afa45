#include "learning/grown_bags.hpp"

#include <algorithm>

namespace baytree {

namespace {

bool holds(std::span<const VariableId> bag, VariableSpan parents) {
    return std::ranges::all_of(
        parents, [&](VariableId parent) { return std::ranges::find(bag, parent) != bag.end(); });
}

}  // namespace

void GrownBags::clear() {
    members_.clear();
    starts_.assign(1, 0);
    for (auto& bags : bags_with_) bags.clear();
}

void GrownBags::add(std::span<const VariableId> members) {
    for (const VariableId member : members)
        bags_with_[member].push_back(static_cast<std::uint32_t>(n_bags()));
    members_.insert(members_.end(), members.begin(), members.end());
    starts_.push_back(members_.size());
}

std::span<const VariableId> GrownBags::random_bag_with(VariableSpan parents, RandomStream& random) {
    if (n_bags() == 0) return {};
    if (parents.empty()) return bag(random.below(n_bags()));
    const VariableId rarest = *std::ranges::min_element(
        parents, {}, [&](VariableId parent) { return bags_with_[parent].size(); });
    holding_.clear();
    for (const std::uint32_t i : bags_with_[rarest])
        if (holds(bag(i), parents)) holding_.push_back(i);
    return bag(holding_[random.below(holding_.size())]);
}

}  // namespace baytree
