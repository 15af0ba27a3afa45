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
    newcomers_.clear();
    n_cliques_.clear();
    for (auto& bags : bags_with_) bags.clear();
}

void GrownBags::add(std::span<const VariableId> members, VariableId newcomer) {
    for (const VariableId member : members)
        bags_with_[member].push_back(static_cast<std::uint32_t>(n_bags()));
    members_.insert(members_.end(), members.begin(), members.end());
    starts_.push_back(members_.size());
    newcomers_.push_back(newcomer);
    const std::size_t n_before = n_cliques_.empty() ? 0 : n_cliques_.back();
    n_cliques_.push_back(n_before + n_new_cliques_with({}, n_bags() - 1));
}

/// Each k-clique is counted once, at the first bag that holds it: there it holds the newcomer, or
/// it is one of the start. It lacks one member of its bag, which is no parent.
std::size_t GrownBags::n_new_cliques_with(VariableSpan parents, std::size_t i) const {
    const std::size_t n_members = bag(i).size();
    if (n_members <= k_) return 1;
    const bool must_hold_another =
        newcomers_[i] != nobody && !std::ranges::binary_search(parents, newcomers_[i]);
    return n_members - parents.size() - (must_hold_another ? 1 : 0);
}

/// Returns how many k-cliques hold them.
std::size_t GrownBags::find_bags_with(VariableSpan parents) {
    holding_.clear();
    n_holding_.clear();
    const VariableId rarest = *std::ranges::min_element(
        parents, {}, [&](VariableId parent) { return bags_with_[parent].size(); });
    std::size_t n_cliques = 0;
    for (const std::uint32_t i : bags_with_[rarest]) {
        if (!holds(bag(i), parents)) continue;
        n_cliques += n_new_cliques_with(parents, i);
        holding_.push_back(i);
        n_holding_.push_back(n_cliques);
    }
    return n_cliques;
}

void GrownBags::draw_clique_around(VariableSpan parents, RandomStream& random,
                                   std::vector<VariableId>& others) {
    others.clear();
    if (n_bags() == 0) return;
    const bool is_any = parents.empty();
    const std::size_t n_cliques = is_any ? n_cliques_.back() : find_bags_with(parents);
    const std::vector<std::size_t>& n_up_to = is_any ? n_cliques_ : n_holding_;
    const std::size_t drawn = random.below(n_cliques);
    const auto place =
        static_cast<std::size_t>(std::ranges::upper_bound(n_up_to, drawn) - n_up_to.begin());
    const std::size_t i = is_any ? place : holding_[place];
    std::size_t n_before_dropped = drawn - (place == 0 ? 0 : n_up_to[place - 1]);
    for (const VariableId member : bag(i)) {
        if (std::ranges::binary_search(parents, member)) continue;
        const bool can_be_dropped = bag(i).size() > k_ && member != newcomers_[i];
        if (!can_be_dropped || n_before_dropped-- != 0) others.push_back(member);
    }
}

}  // namespace baytree
