#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/variable.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// A DAG that changes arc by arc and keeps a topological order of itself ([pearce-kelly]), so that
/// most questions about cycles are answered by a comparison.
class OrderedDag {
public:
    /// Without arcs; no variable will have more than `max_parents` parents.
    OrderedDag(std::size_t n_variables, std::size_t max_parents);

    /// With all these arcs, in one go. Throws std::invalid_argument if they form a cycle or a
    /// variable has more than `max_parents` parents.
    OrderedDag(const ParentLists& parents, std::size_t max_parents);

    std::size_t n_variables() const noexcept { return rank_.size(); }
    std::size_t max_parents() const noexcept { return parents_.max_parents(); }

    const ParentTable& parents() const noexcept { return parents_; }
    VariableSpan parents(VariableId child) const noexcept { return parents_[child]; }
    const std::vector<VariableId>& children(VariableId parent) const noexcept {
        return children_[parent];
    }
    bool has_arc(VariableId parent, VariableId child) const noexcept;
    /// In the topological order that is kept.
    bool precedes(VariableId a, VariableId b) const noexcept { return rank_[a] < rank_[b]; }

    /// Adds the arc, unless there is a path from `child` to `parent`: then nothing changes and the
    /// answer is false. The arc must be absent and the child have room for a parent.
    bool add(VariableId parent, VariableId child);

    /// The arc must be there.
    void remove(VariableId parent, VariableId child);

private:
    bool reorder(VariableId parent, VariableId child);
    bool find_descendants(VariableId from, VariableId until);
    void find_ancestors(VariableId from, std::uint32_t lowest_rank);

    ParentTable parents_;
    std::vector<std::vector<VariableId>> children_;
    std::vector<std::uint32_t> rank_;  // in the topological order

    // Scratch of `reorder`.
    std::vector<bool> is_visited_;
    std::vector<VariableId> descendants_;
    std::vector<VariableId> ancestors_;
    std::vector<std::uint32_t> ranks_;
};

/// Calls `join(a, b)` for every arc and every two parents of a variable: the edges of the moral
/// graph, some of them more than once.
template <class Join>
void for_each_moral_edge(const OrderedDag& dag, const Join& join) {
    for (VariableId child = 0; child < dag.n_variables(); ++child) {
        const VariableSpan parents = dag.parents(child);
        for (std::size_t i = 0; i < parents.size(); ++i) {
            join(child, parents[i]);
            for (std::size_t j = 0; j < i; ++j) join(parents[i], parents[j]);
        }
    }
}

/// With room for no more parents than there are.
OrderedDag dag_of(const ParentLists& parents);

}  // namespace baytree
