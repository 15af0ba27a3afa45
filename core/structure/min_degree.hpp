#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/variable.hpp"
#include "runtime/random_stream.hpp"
#include "structure/ordered_dag.hpp"

namespace baytree {

/// Eliminates moral graphs by minimum degree, ties at random. Keeps its memory between graphs.
class MinDegree {
public:
    /// Eliminates the moral graph of `dag` as long as the least degree is at most `max_degree`;
    /// whether all variables went.
    bool eliminate(const OrderedDag& dag, std::size_t max_degree, RandomStream& random);

    /// After `eliminate`: the variables in their order, and the neighbours each had when it went.
    const std::vector<VariableId>& order() const noexcept { return order_; }
    VariableSpan neighbours(VariableId variable) const noexcept { return adjacent_[variable]; }

private:
    void reset(const OrderedDag& dag, std::size_t max_degree);
    void fill_buckets(RandomStream& random);
    bool eliminate_next();
    void eliminate(VariableId variable);
    void join(VariableId a, VariableId b);
    void put_in_bucket(VariableId variable);
    bool are_joined(VariableId a, VariableId b);

    std::vector<std::vector<VariableId>> adjacent_;  // those eliminated before stay until it goes
    std::vector<std::uint32_t> degree_;
    std::vector<bool> is_eliminated_;
    std::vector<std::vector<VariableId>> bucket_;  // by degree; may hold outdated entries
    std::vector<VariableId> order_;
};

/// An order of elimination by minimum degree; the same parents always give the same. It leaves out
/// the variables from where the least degree is above `max_degree`. Throws std::invalid_argument if
/// the arcs form a cycle.
std::vector<VariableId> min_degree_order(const ParentLists& parents, std::size_t max_degree);

}  // namespace baytree
