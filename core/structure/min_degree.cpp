#include "structure/min_degree.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

namespace baytree {

bool MinDegree::eliminate(const OrderedDag& dag, std::size_t max_degree, RandomStream& random) {
    reset(dag, max_degree);
    for_each_moral_edge(dag, [this](VariableId a, VariableId b) { join(a, b); });
    fill_buckets(random);
    while (order_.size() < dag.n_variables())
        if (!eliminate_next()) return false;
    return true;
}

void MinDegree::reset(const OrderedDag& dag, std::size_t max_degree) {
    const std::size_t n_variables = dag.n_variables();
    adjacent_.resize(n_variables);
    for (auto& neighbours : adjacent_) neighbours.clear();
    degree_.assign(n_variables, 0);
    is_eliminated_.assign(n_variables, false);
    bucket_.resize(std::min(max_degree, n_variables) + 1);
    for (auto& bucket : bucket_) bucket.clear();
    order_.clear();
    edges_.assign(std::max<std::size_t>(edges_.size(), std::bit_ceil(4 * n_variables + 16)), 0);
    n_edges_ = 0;
}

void MinDegree::fill_buckets(RandomStream& random) {
    std::vector<VariableId> shuffled(adjacent_.size());
    std::iota(shuffled.begin(), shuffled.end(), VariableId{0});
    random.shuffle(std::span(shuffled));
    for (const VariableId variable : shuffled) put_in_bucket(variable);
}

void MinDegree::put_in_bucket(VariableId variable) {
    if (degree_[variable] < bucket_.size()) bucket_[degree_[variable]].push_back(variable);
}

bool MinDegree::eliminate_next() {
    for (std::size_t degree = 0; degree < bucket_.size(); ++degree)
        while (!bucket_[degree].empty()) {
            const VariableId variable = bucket_[degree].back();
            bucket_[degree].pop_back();
            if (is_eliminated_[variable] || degree_[variable] != degree) continue;
            eliminate(variable);
            return true;
        }
    return false;
}

void MinDegree::eliminate(VariableId variable) {
    order_.push_back(variable);
    is_eliminated_[variable] = true;
    auto& neighbours = adjacent_[variable];
    std::erase_if(neighbours, [this](VariableId v) { return is_eliminated_[v]; });
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
        --degree_[neighbours[i]];
        for (std::size_t j = 0; j < i; ++j) join(neighbours[i], neighbours[j]);
    }
    for (const VariableId neighbour : neighbours) put_in_bucket(neighbour);
}

void MinDegree::join(VariableId a, VariableId b) {
    if (!add_edge(a, b)) return;
    adjacent_[a].push_back(b);
    adjacent_[b].push_back(a);
    ++degree_[a];
    ++degree_[b];
}

/// Whether the edge is new.
bool MinDegree::add_edge(VariableId a, VariableId b) {
    if (2 * n_edges_ >= edges_.size()) grow_edges();
    // 0 marks a free place; no edge is 0, as its larger end comes first and is above 0.
    const std::uint64_t edge = (static_cast<std::uint64_t>(std::max(a, b)) << 32U) | std::min(a, b);
    const std::size_t mask = edges_.size() - 1;
    std::size_t place = (edge * 0x9E3779B97F4A7C15ULL >> 32U) & mask;
    while (edges_[place] != 0) {
        if (edges_[place] == edge) return false;
        place = (place + 1) & mask;
    }
    edges_[place] = edge;
    ++n_edges_;
    return true;
}

void MinDegree::grow_edges() {
    std::vector<std::uint64_t> old(4 * edges_.size(), 0);
    old.swap(edges_);
    n_edges_ = 0;
    for (const std::uint64_t edge : old)
        if (edge != 0)
            add_edge(static_cast<VariableId>(edge >> 32U), static_cast<VariableId>(edge));
}

std::vector<VariableId> min_degree_order(const ParentLists& parents, std::size_t max_degree) {
    RandomStream random(0, 0);
    MinDegree min_degree;
    min_degree.eliminate(dag_of(parents), max_degree, random);
    return min_degree.order();
}

}  // namespace baytree
