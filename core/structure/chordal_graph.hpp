#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/variable.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// A bit for each variable.
using VariableBits = std::vector<std::uint64_t>;

/// A DAG with the independences of a chordal graph, and an order whose elimination adds no edge.
struct PerfectDag {
    ParentLists parents;
    std::vector<VariableId> elimination_order;
};

/// An undirected chordal graph that grows edge by edge, and the pairs of variables that may become
/// its next edge ([chordalysis]): those whose common neighbours separate them. With such an edge
/// the graph is chordal again, and the two and their separator are a clique.
class ChordalGraph {
public:
    using Pair = std::pair<VariableId, VariableId>;  // ascending

    /// Without edges: every pair is admissible.
    explicit ChordalGraph(std::size_t n_variables);

    std::size_t n_variables() const noexcept { return neighbours_.size(); }

    /// The separator of an admissible pair, ascending.
    std::vector<VariableId> common_neighbours(VariableId a, VariableId b) const;

    bool is_admissible(VariableId a, VariableId b) const noexcept {
        return test(admissible_[a], b);
    }
    std::size_t n_admissible() const noexcept { return n_admissible_; }

    /// Takes an admissible pair out, until `add_edge` returns it.
    void exclude(VariableId a, VariableId b);

    /// Adds an admissible pair as an edge. Returns the admissible pairs that have another separator
    /// than before.
    std::vector<Pair> add_edge(VariableId a, VariableId b);

    /// By maximum cardinality search: each variable has its earlier neighbours as parents.
    PerfectDag to_dag() const;

private:
    static bool test(const VariableBits& bits, VariableId variable) noexcept {
        return (bits[variable / 64] >> (variable % 64)) & 1U;
    }
    VariableBits common(VariableId a, VariableId b) const;
    VariableBits reachable_from(VariableId start, const VariableBits& removed) const;
    void exclude_between(const VariableBits& of_a, const VariableBits& of_b);
    void admit_if_separated(VariableId a, VariableId b, const VariableBits& before,
                            std::vector<Pair>& admitted);

    std::vector<VariableBits> neighbours_;
    std::vector<VariableBits> admissible_;
    std::size_t n_admissible_;
};

}  // namespace baytree
