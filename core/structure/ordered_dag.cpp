#include "structure/ordered_dag.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>

namespace baytree {

OrderedDag::OrderedDag(std::size_t n_variables, std::size_t max_parents)
    : parents_(n_variables, std::min(max_parents, n_variables)),
      children_(n_variables),
      rank_(n_variables),
      is_visited_(n_variables) {
    std::iota(rank_.begin(), rank_.end(), 0U);
}

OrderedDag::OrderedDag(const ParentLists& parents, std::size_t max_parents)
    : OrderedDag(parents.size(), max_parents) {
    const auto order = topological_order(parents);
    if (!order) throw std::invalid_argument("the arcs form a cycle");
    for (std::uint32_t rank = 0; rank < order->size(); ++rank) rank_[(*order)[rank]] = rank;
    for (VariableId child = 0; child < parents.size(); ++child) {
        if (parents[child].size() > this->max_parents())
            throw std::invalid_argument("a variable has too many parents");
        for (const VariableId parent : parents[child]) add(parent, child);
    }
}

OrderedDag dag_of(const ParentLists& parents) {
    std::size_t most = 0;
    for (const auto& of_child : parents) most = std::max(most, of_child.size());
    return {parents, most};
}

bool OrderedDag::has_arc(VariableId parent, VariableId child) const noexcept {
    return std::ranges::find(parents(child), parent) != parents(child).end();
}

bool OrderedDag::add(VariableId parent, VariableId child) {
    assert(!has_arc(parent, child));
    if (rank_[parent] > rank_[child] && !reorder(parent, child)) return false;
    parents_.insert(parent, child);
    children_[parent].push_back(child);
    return true;
}

void OrderedDag::remove(VariableId parent, VariableId child) {
    parents_.erase(parent, child);
    auto& siblings = children_[parent];
    *std::ranges::find(siblings, child) = siblings.back();
    siblings.pop_back();
}

/// Gives descendants of `child` and ancestors of `parent` the ranks that they hold together, the
/// ancestors first.
bool OrderedDag::reorder(VariableId parent, VariableId child) {
    const bool is_cycle = find_descendants(child, parent);
    for (const VariableId variable : descendants_) is_visited_[variable] = false;
    if (is_cycle) return false;
    find_ancestors(parent, rank_[child]);
    for (const VariableId variable : ancestors_) is_visited_[variable] = false;
    const auto by_rank = [this](VariableId variable) { return rank_[variable]; };
    std::ranges::sort(descendants_, {}, by_rank);
    std::ranges::sort(ancestors_, {}, by_rank);
    ranks_.clear();
    for (const auto* group : {&ancestors_, &descendants_})
        for (const VariableId variable : *group) ranks_.push_back(rank_[variable]);
    std::ranges::sort(ranks_);
    auto rank = ranks_.begin();
    for (const auto* group : {&ancestors_, &descendants_})
        for (const VariableId variable : *group) rank_[variable] = *rank++;
    return true;
}

/// Collects those ranked no later than `until`; whether `until` is one of them.
bool OrderedDag::find_descendants(VariableId from, VariableId until) {
    descendants_.assign(1, from);
    is_visited_[from] = true;
    for (std::size_t i = 0; i < descendants_.size(); ++i)
        for (const VariableId child : children_[descendants_[i]]) {
            if (child == until) return true;
            if (rank_[child] > rank_[until] || is_visited_[child]) continue;
            is_visited_[child] = true;
            descendants_.push_back(child);
        }
    return false;
}

void OrderedDag::find_ancestors(VariableId from, std::uint32_t lowest_rank) {
    ancestors_.assign(1, from);
    is_visited_[from] = true;
    for (std::size_t i = 0; i < ancestors_.size(); ++i)
        for (const VariableId parent : parents(ancestors_[i])) {
            if (rank_[parent] < lowest_rank || is_visited_[parent]) continue;
            is_visited_[parent] = true;
            ancestors_.push_back(parent);
        }
}

}  // namespace baytree
