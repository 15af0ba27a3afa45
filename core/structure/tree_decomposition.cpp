#include "structure/tree_decomposition.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <stdexcept>

namespace baytree {

namespace {

using Lists = std::vector<std::vector<VariableId>>;

/// Neighbours of every variable that are eliminated after it, in order of elimination, fill-in
/// included. Those of a variable, less the first, pass on to the first: it is their next bag.
Lists later_neighbours(const ParentLists& parents, std::span<const VariableId> order,
                       const std::vector<std::size_t>& position) {
    Lists later(parents.size());
    const auto join = [&](VariableId a, VariableId b) {
        if (position[a] > position[b]) std::swap(a, b);
        later[a].push_back(b);
    };
    for (VariableId child = 0; child < parents.size(); ++child)
        for (std::size_t i = 0; i < parents[child].size(); ++i) {
            join(child, parents[child][i]);
            for (std::size_t j = 0; j < i; ++j) join(parents[child][i], parents[child][j]);
        }
    for (const VariableId variable : order) {
        auto& neighbours = later[variable];
        std::ranges::sort(neighbours, {}, [&](VariableId v) { return position[v]; });
        const auto repeats = std::ranges::unique(neighbours);
        neighbours.erase(repeats.begin(), repeats.end());
        if (neighbours.size() > 1)
            later[neighbours[0]].insert(later[neighbours[0]].end(), neighbours.begin() + 1,
                                        neighbours.end());
    }
    return later;
}

}  // namespace

std::size_t TreeDecomposition::width() const noexcept {
    std::size_t largest = 1;
    for (const auto& bag : bags) largest = std::max(largest, bag.size());
    return largest - 1;
}

// Leaf by leaf: what a leaf does not share with the one bag that it hangs on is in no other.
std::vector<VariableId> TreeDecomposition::elimination_order() const {
    std::vector<std::vector<std::size_t>> adjacent(bags.size());
    for (const auto& [first, second] : edges) {
        adjacent[first].push_back(second);
        adjacent[second].push_back(first);
    }
    std::vector<std::size_t> leaves;
    for (std::size_t bag = 0; bag < bags.size(); ++bag)
        if (adjacent[bag].size() <= 1) leaves.push_back(bag);
    std::vector<VariableId> order;
    while (!leaves.empty()) {
        const std::size_t leaf = leaves.back();
        leaves.pop_back();
        if (adjacent[leaf].empty()) {
            order.insert(order.end(), bags[leaf].begin(), bags[leaf].end());
            continue;
        }
        const std::size_t other = adjacent[leaf].front();
        std::erase(adjacent[other], leaf);
        if (adjacent[other].size() == 1) leaves.push_back(other);
        std::ranges::copy_if(bags[leaf], std::back_inserter(order), [&](VariableId variable) {
            return std::ranges::find(bags[other], variable) == bags[other].end();
        });
    }
    return order;
}

void check_elimination_order(const ParentLists& parents, std::span<const VariableId> order) {
    std::vector<bool> is_seen(parents.size());
    for (const VariableId variable : order) {
        if (variable >= parents.size() || is_seen[variable])
            throw std::invalid_argument("an elimination order must hold every variable once");
        is_seen[variable] = true;
    }
    if (order.size() != parents.size())
        throw std::invalid_argument("an elimination order must hold every variable once");
    for (VariableId child = 0; child < parents.size(); ++child) {
        const auto& of_child = parents[child];
        for (const VariableId parent : of_child)
            if (parent >= parents.size() || parent == child)
                throw std::invalid_argument("a parent is no other variable");
        if (std::ranges::adjacent_find(of_child, std::ranges::greater_equal{}) != of_child.end())
            throw std::invalid_argument("parents must be in ascending order");
    }
}

TreeDecomposition decompose(const ParentLists& parents, std::span<const VariableId> order) {
    std::vector<std::size_t> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    const Lists later = later_neighbours(parents, order, position);
    TreeDecomposition result;
    std::vector<std::size_t> bag_of(order.size());  // that holds a variable and its neighbours
    // From the last to the first, so that the bag a variable hangs on is there already. Its own bag
    // is needed only if that one lacks the variable's neighbours plus itself.
    for (std::size_t i = order.size(); i-- > 0;) {
        const VariableId variable = order[i];
        const auto& neighbours = later[variable];
        if (!neighbours.empty()) {
            const std::size_t next = bag_of[neighbours[0]];
            if (result.bags[next].size() == neighbours.size()) {
                result.bags[next].push_back(variable);
                bag_of[variable] = next;
                continue;
            }
            result.edges.emplace_back(next, result.bags.size());
        }
        bag_of[variable] = result.bags.size();
        result.bags.push_back(neighbours);
        result.bags.back().push_back(variable);
    }
    for (auto& bag : result.bags) std::ranges::sort(bag);
    return result;
}

}  // namespace baytree
