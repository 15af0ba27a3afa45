#include "structure/min_degree.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

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
    if (are_joined(a, b)) return;
    adjacent_[a].push_back(b);
    adjacent_[b].push_back(a);
    ++degree_[a];
    ++degree_[b];
}

/// Looks into the shorter list. Where two hubs are met again and again, a place in front is found
/// at once.
bool MinDegree::are_joined(VariableId a, VariableId b) {
    if (adjacent_[a].size() > adjacent_[b].size()) std::swap(a, b);
    auto& neighbours = adjacent_[a];
    const auto place = std::ranges::find(neighbours, b);
    if (place == neighbours.end()) return false;
    std::iter_swap(neighbours.begin(), place);
    return true;
}

std::vector<VariableId> min_degree_order(const ParentLists& parents, std::size_t max_degree) {
    RandomStream random(0, 0);
    MinDegree min_degree;
    min_degree.eliminate(dag_of(parents), max_degree, random);
    return min_degree.order();
}

}  // namespace baytree
