#include "structure/k_tree.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace baytree {

namespace {

/// A vertex of the characteristic tree hangs on another, whose clique it takes over with that
/// vertex in the place of the `dropped`-th member; or on the root clique itself.
struct Link {
    static constexpr std::uint32_t root = static_cast<std::uint32_t>(-1);
    std::uint32_t parent = root;
    std::uint32_t dropped = 0;
};

/// Throws std::invalid_argument unless the code is one of n variables and k.
void check_code(std::size_t n, std::size_t k, const DandelionCode& code) {
    if (n < k + 1 || code.root.size() != k ||
        code.word.size() != std::max(n - k, std::size_t{2}) - 2)
        throw std::invalid_argument("the code of a k-tree has the wrong length");
    if (std::ranges::adjacent_find(code.root, std::ranges::greater_equal{}) != code.root.end() ||
        (!code.root.empty() && code.root.back() >= n))
        throw std::invalid_argument("the root of a k-tree must be ascending variables");
    for (const std::uint32_t letter : code.word)
        if (letter > k * (n - k)) throw std::invalid_argument("a letter of the code is too large");
}

Link link_of(std::uint32_t letter, std::size_t k) {
    if (letter == 0) return {};
    return {static_cast<std::uint32_t>((letter - 1) / k),
            static_cast<std::uint32_t>((letter - 1) % k)};
}

/// The largest of n vertices that no letter names: the leaf whose own letter is not in the word,
/// because it always hangs on the root.
std::size_t largest_leaf(std::size_t n, std::size_t k, std::span<const std::uint32_t> word) {
    std::vector<bool> is_parent(n);
    for (const std::uint32_t letter : word)
        if (letter != 0) is_parent[link_of(letter, k).parent] = true;
    std::size_t leaf = n - 1;
    while (is_parent[leaf]) --leaf;
    return leaf;
}

/// The largest vertex of each cycle that the links form, ascending.
std::vector<std::uint32_t> cycle_maxima(const std::vector<Link>& links) {
    std::vector<std::uint32_t> maxima;
    std::vector<std::uint32_t> walk_of(links.size());  // from which walk a vertex was met first
    for (std::uint32_t start = 0; start < links.size(); ++start) {
        std::uint32_t vertex = start;
        for (; vertex != Link::root && walk_of[vertex] == 0; vertex = links[vertex].parent)
            walk_of[vertex] = start + 1;
        if (vertex == Link::root || walk_of[vertex] != start + 1) continue;
        std::uint32_t largest = vertex;
        for (std::uint32_t v = links[vertex].parent; v != vertex; v = links[v].parent)
            largest = std::max(largest, v);
        maxima.push_back(largest);
    }
    std::ranges::sort(maxima);
    return maxima;
}

/// The characteristic tree over n >= 2 vertices, as the link of each. Vertex 0 and the largest leaf
/// hang on the root at first; then cycles are opened and strung on the path from vertex 0.
std::vector<Link> characteristic_tree(std::size_t n, std::size_t k,
                                      std::span<const std::uint32_t> word) {
    std::vector<Link> links(n);
    const std::size_t leaf = largest_leaf(n, k, word);
    auto letter = word.begin();
    for (std::size_t vertex = 1; vertex < n; ++vertex)
        if (vertex != leaf) links[vertex] = link_of(*letter++, k);
    for (const std::uint32_t largest : cycle_maxima(links)) std::swap(links[0], links[largest]);
    return links;
}

/// Vertices in an order in which each comes after the one it hangs on.
std::vector<std::uint32_t> from_the_root(const std::vector<Link>& links) {
    std::vector<std::uint32_t> first_child(links.size() + 1, Link::root);
    std::vector<std::uint32_t> next_sibling(links.size());
    for (auto vertex = static_cast<std::uint32_t>(links.size()); vertex-- > 0;) {
        const std::size_t parent =
            links[vertex].parent == Link::root ? links.size() : links[vertex].parent;
        next_sibling[vertex] = std::exchange(first_child[parent], vertex);
    }
    std::vector<std::uint32_t> order;
    order.reserve(links.size());
    const auto add_children = [&](std::size_t parent) {
        for (std::uint32_t v = first_child[parent]; v != Link::root; v = next_sibling[v])
            order.push_back(v);
    };
    add_children(links.size());
    for (std::size_t i = 0; i < order.size(); ++i) add_children(order[i]);
    return order;
}

KTree complete_graph(std::span<const VariableId> variables) {
    KTree tree;
    for (std::size_t i = 0; i < variables.size(); ++i)
        tree.join(variables[i], std::vector(variables.begin(),
                                            variables.begin() + static_cast<std::ptrdiff_t>(i)));
    return tree;
}

std::vector<VariableId> others_than(const std::vector<VariableId>& root, std::size_t n) {
    std::vector<VariableId> others;
    for (VariableId variable = 0; variable < n; ++variable)
        if (!std::ranges::binary_search(root, variable)) others.push_back(variable);
    return others;
}

}  // namespace

void KTree::join(VariableId variable, VariableSpan clique) {
    order.push_back(variable);
    members.insert(members.end(), clique.begin(), clique.end());
    starts.push_back(members.size());
}

KTree decode_k_tree(std::size_t n_variables, std::size_t k, const DandelionCode& code) {
    check_code(n_variables, k, code);
    // Vertices of the characteristic tree are the variables outside the root, in their order. (The
    // paper relabels by a permutation that is faster to undo; any that the root decides will do.)
    const std::vector<VariableId> variables = others_than(code.root, n_variables);
    KTree tree = complete_graph(code.root);
    if (variables.size() == 1) {
        tree.join(variables[0], code.root);
        return tree;
    }
    const std::vector<Link> links = characteristic_tree(variables.size(), k, code.word);
    std::vector<std::size_t> position(variables.size());  // by vertex
    std::vector<VariableId> clique;
    for (const std::uint32_t vertex : from_the_root(links)) {
        const auto [parent, dropped] = links[vertex];
        if (parent == Link::root) {
            clique = code.root;
        } else {
            const VariableSpan of_parent = tree.clique(position[parent]);
            clique.assign(of_parent.begin(), of_parent.end());
            clique[dropped] = variables[parent];
            std::ranges::sort(clique);
        }
        position[vertex] = tree.order.size();
        tree.join(variables[vertex], clique);
    }
    return tree;
}

KTree random_k_tree(std::size_t n_variables, std::size_t k, RandomStream& random) {
    std::vector<VariableId> variables(n_variables);
    std::iota(variables.begin(), variables.end(), VariableId{0});
    if (n_variables <= k + 1) return complete_graph(variables);
    for (std::size_t i = 0; i < k; ++i)
        std::swap(variables[i], variables[i + random.below(n_variables - i)]);
    variables.resize(k);
    std::ranges::sort(variables);
    DandelionCode code{std::move(variables), std::vector<std::uint32_t>(n_variables - k - 2)};
    for (std::uint32_t& letter : code.word)
        letter = static_cast<std::uint32_t>(random.below(k * (n_variables - k) + 1));
    return decode_k_tree(n_variables, k, code);
}

}  // namespace baytree
