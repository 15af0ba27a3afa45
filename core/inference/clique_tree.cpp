#include "inference/clique_tree.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace baytree {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Maximal sets of an elimination, and the edges between them.
struct Bags {
    std::vector<std::vector<VariableId>> sets;
    std::vector<std::vector<std::size_t>> neighbours;
    std::vector<std::size_t> bag_of;  // every variable: holds its later neighbours too
};

/// From the last variable to the first, so that the bag to hang on is there already. A variable
/// needs no bag of its own if that one holds its later neighbours and nothing else.
Bags bags_of(const Elimination& elimination, std::span<const std::size_t> position) {
    Bags bags;
    bags.bag_of.resize(position.size());
    const auto at = [&](VariableId v) { return position[v]; };
    for (std::size_t i = elimination.order.size(); i-- > 0;) {
        const VariableId variable = elimination.order[i];
        const auto& later = elimination.later[variable];
        const std::size_t next =
            later.empty() ? none : bags.bag_of[*std::ranges::min_element(later, {}, at)];
        if (next != none && bags.sets[next].size() == later.size()) {
            bags.sets[next].push_back(variable);
            bags.bag_of[variable] = next;
            continue;
        }
        bags.bag_of[variable] = bags.sets.size();
        bags.neighbours.emplace_back();
        if (next != none) {
            bags.neighbours[next].push_back(bags.sets.size());
            bags.neighbours.back().push_back(next);
        }
        bags.sets.push_back(later);
        bags.sets.back().push_back(variable);
    }
    return bags;
}

/// Bags in an order in which each but the first of a tree has one neighbour before it, its parent.
struct Walk {
    std::vector<std::size_t> bags;
    std::vector<std::size_t> parent_of;  // every bag; itself for a root
};

Walk walk_from(const Bags& bags, std::size_t first) {
    Walk walk;
    walk.parent_of.assign(bags.sets.size(), none);
    std::size_t n_walked = 0;
    const auto go = [&](std::size_t root) {
        if (walk.parent_of[root] != none) return;
        walk.parent_of[root] = root;
        walk.bags.push_back(root);
        for (; n_walked < walk.bags.size(); ++n_walked)
            for (const std::size_t next : bags.neighbours[walk.bags[n_walked]])
                if (walk.parent_of[next] == none) {
                    walk.parent_of[next] = walk.bags[n_walked];
                    walk.bags.push_back(next);
                }
    };
    if (first != none) go(first);
    for (std::size_t bag = 0; bag < bags.sets.size(); ++bag) go(bag);
    return walk;
}

/// Puts a set into the order of a clique: own variables first, the parent's behind in its order.
Clique clique_of_set(std::span<const VariableId> set, const Clique* parent,
                     std::span<const std::uint32_t> arities, std::vector<std::uint8_t>& is_in_set) {
    Clique clique;
    for (const VariableId v : set) is_in_set[v] = 1;
    std::vector<VariableId> separator;
    if (parent != nullptr)
        for (const VariableId v : parent->variables)
            if (is_in_set[v] != 0) separator.push_back(v);
    for (const VariableId v : separator) is_in_set[v] = 0;
    for (const VariableId v : set)
        if (std::exchange(is_in_set[v], 0) != 0) clique.variables.push_back(v);
    clique.variables.insert(clique.variables.end(), separator.begin(), separator.end());
    clique.n_separator = separator.size();
    for (const VariableId v : clique.variables) clique.arities.push_back(arities[v]);
    return clique;
}

double product(std::span<const std::uint32_t> arities) {
    double result = 1.0;
    for (const std::uint32_t arity : arities) result *= arity;
    return result;
}

}  // namespace

CliqueTree::CliqueTree(const Elimination& elimination, std::span<const std::uint32_t> arities,
                       std::span<const VariableId> root)
    : position_(arities.size()),
      clique_at_(arities.size()) {
    for (std::size_t i = 0; i < elimination.order.size(); ++i) position_[elimination.order[i]] = i;
    const Bags bags = bags_of(elimination, position_);
    clique_at_ = bags.bag_of;
    const Walk walk = walk_from(bags, root.empty() ? none : clique_of(root));
    std::vector<std::size_t> clique_of_bag(bags.sets.size());
    std::vector<std::uint8_t> is_in_set(arities.size());
    cliques_.reserve(bags.sets.size());
    for (const std::size_t bag : walk.bags) {
        const bool is_root = walk.parent_of[bag] == bag;
        const std::size_t parent = is_root ? cliques_.size() : clique_of_bag[walk.parent_of[bag]];
        clique_of_bag[bag] = cliques_.size();
        cliques_.push_back(clique_of_set(bags.sets[bag], is_root ? nullptr : &cliques_[parent],
                                         arities, is_in_set));
        cliques_.back().parent = parent;
    }
    for (std::size_t& clique : clique_at_) clique = clique_of_bag[clique];
    add_costs();
}

std::size_t CliqueTree::clique_of(std::span<const VariableId> set) const {
    const auto at = [&](VariableId v) { return position_[v]; };
    return clique_at_[*std::ranges::min_element(set, {}, at)];
}

void CliqueTree::plan_separator(std::size_t clique, Broadcast& plan,
                                std::vector<std::uint8_t>& is_kept) const {
    const auto separator = cliques_[clique].separator();
    const Clique& parent = cliques_[cliques_[clique].parent];
    is_kept.assign(parent.variables.size(), 0);
    std::size_t next = 0;  // both are in the order of the parent
    for (std::size_t i = 0; next < separator.size(); ++i)
        if (parent.variables[i] == separator[next]) {
            is_kept[i] = 1;
            ++next;
        }
    plan.assign(parent.arities, is_kept);
}

void CliqueTree::add_costs() {
    for (Clique& clique : cliques_) {
        clique.n_entries = product(clique.arities);
        clique.n_separator_entries = product(std::span(clique.arities).last(clique.n_separator));
        cost_.add_clique(clique.variables.size(), clique.n_entries);
        n_separator_entries_ += clique.n_separator_entries;
    }
}

}  // namespace baytree
