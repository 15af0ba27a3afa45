#pragma once

#include <cstddef>
#include <vector>

#include "data/variable.hpp"
#include "runtime/random_stream.hpp"
#include "structure/eliminated_graphs.hpp"
#include "structure/ordered_dag.hpp"

namespace baytree {

/// Eliminates moral graphs by minimum degree, ties at random. Keeps its memory between graphs.
class MinDegree {
public:
    /// Eliminates the moral graph of `dag` as long as the least degree is at most `max_degree`;
    /// whether all variables went.
    bool eliminate(const OrderedDag& dag, std::size_t max_degree, RandomStream& random);

    /// After `eliminate`: the variables that went, in their order, and the neighbours that each of
    /// them had then. The neighbours of others are those of an earlier graph.
    const std::vector<VariableId>& order() const noexcept { return order_; }
    VariableSpan neighbours(VariableId variable) const noexcept { return neighbours_[variable]; }

private:
    template <class Graph>
    bool eliminate_from(Graph& graph, const OrderedDag& dag, RandomStream& random);
    void reset(std::size_t n_variables, std::size_t max_degree);
    template <class Graph>
    void fill_buckets(const Graph& graph, RandomStream& random);
    template <class Graph>
    bool eliminate_next(Graph& graph);
    void put_in_bucket(VariableId variable, std::size_t degree);

    BitRowGraph bit_rows_;
    NeighbourListGraph lists_;
    std::vector<std::vector<VariableId>> neighbours_;
    std::vector<bool> is_eliminated_;
    std::vector<std::vector<VariableId>> bucket_;  // by degree; may hold outdated entries
    std::size_t least_degree_ = 0;                 // the buckets before it are empty
    std::vector<VariableId> order_;
    std::vector<VariableId> shuffled_;
};

/// An order of elimination by minimum degree; the same parents always give the same. It leaves out
/// the variables from where the least degree is above `max_degree`. Throws std::invalid_argument if
/// the arcs form a cycle.
std::vector<VariableId> min_degree_order(const ParentLists& parents, std::size_t max_degree);

}  // namespace baytree
