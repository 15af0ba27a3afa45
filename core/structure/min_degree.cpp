#include "structure/min_degree.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace baytree {

namespace {

constexpr std::size_t most_bits_a_row = 2048;  // graphs with more variables are kept as lists

}  // namespace

bool MinDegree::eliminate(const OrderedDag& dag, std::size_t max_degree, RandomStream& random) {
    reset(dag.n_variables(), max_degree);
    return dag.n_variables() <= most_bits_a_row ? eliminate_from(bit_rows_, dag, random)
                                                : eliminate_from(lists_, dag, random);
}

template <class Graph>
bool MinDegree::eliminate_from(Graph& graph, const OrderedDag& dag, RandomStream& random) {
    graph.reset(dag.n_variables());
    for_each_moral_edge(dag, [&](VariableId a, VariableId b) { graph.join(a, b); });
    fill_buckets(graph, random);
    while (order_.size() < dag.n_variables())
        if (!eliminate_next(graph)) return false;
    return true;
}

void MinDegree::reset(std::size_t n_variables, std::size_t max_degree) {
    neighbours_.resize(n_variables);
    is_eliminated_.assign(n_variables, false);
    bucket_.resize(std::min(max_degree, n_variables) + 1);
    for (auto& bucket : bucket_) bucket.clear();
    least_degree_ = 0;
    order_.clear();
    shuffled_.resize(n_variables);
}

template <class Graph>
void MinDegree::fill_buckets(const Graph& graph, RandomStream& random) {
    std::iota(shuffled_.begin(), shuffled_.end(), VariableId{0});
    random.shuffle(std::span(shuffled_));
    for (const VariableId variable : shuffled_) put_in_bucket(variable, graph.degree(variable));
}

void MinDegree::put_in_bucket(VariableId variable, std::size_t degree) {
    if (degree < bucket_.size()) bucket_[degree].push_back(variable);
}

template <class Graph>
bool MinDegree::eliminate_next(Graph& graph) {
    for (std::size_t degree = least_degree_; degree < bucket_.size(); ++degree)
        while (!bucket_[degree].empty()) {
            const VariableId variable = bucket_[degree].back();
            bucket_[degree].pop_back();
            if (is_eliminated_[variable] || graph.degree(variable) != degree) continue;
            order_.push_back(variable);
            is_eliminated_[variable] = true;
            graph.eliminate(variable, neighbours_[variable]);
            for (const VariableId neighbour : neighbours_[variable])
                put_in_bucket(neighbour, graph.degree(neighbour));
            least_degree_ = degree == 0 ? 0 : degree - 1;  // a neighbour can have lost one
            return true;
        }
    return false;
}

std::vector<VariableId> min_degree_order(const ParentLists& parents, std::size_t max_degree) {
    RandomStream random(0, 0);
    MinDegree min_degree;
    min_degree.eliminate(dag_of(parents), max_degree, random);
    return min_degree.order();
}

}  // namespace baytree
