#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "runtime/random_stream.hpp"
#include "structure/min_degree.hpp"
#include "structure/ordered_dag.hpp"

namespace baytree {

/// All variables, the one of the lowest position first.
std::vector<VariableId> in_order(std::span<const std::int64_t> positions);

/// Largest bag that a structure may need. A variable alone always has one.
struct BagLimits {
    std::size_t max_treewidth;
    double max_states;                   // product of the arities
    std::vector<std::uint32_t> arities;  // empty if unknown, and then not looked at
};

/// The moral graph of a changing DAG, triangulated: an elimination order and, for each variable,
/// its neighbours later in that order with the fill-in. New edges update what lies on a path up the
/// elimination tree. Edges that vanish stay as slack until the next `rebuild`.
class FillIn {
public:
    /// Of a graph without edges.
    FillIn(std::size_t n_variables, BagLimits limits);

    /// Neighbours of a variable that are eliminated after it. Together with it they fit into a bag.
    VariableSpan later_neighbours(VariableId variable) const noexcept {
        return {later_.data() + variable * stride_, n_later_[variable]};
    }
    bool are_neighbours(VariableId a, VariableId b) const noexcept;

    /// Adds an edge. If a bag grows beyond the limits the answer is false, and `undo` must follow.
    bool connect(VariableId a, VariableId b);

    /// Takes back what `connect` did since the last `keep` or `undo`.
    void undo();
    void keep() { changes_.clear(); }

    /// Takes all edges from a variable and puts it first in the order. Not to be undone.
    void isolate(VariableId variable);

    /// Finds a new order for the moral graph of `dag`, by minimum degree with ties at random; if
    /// its bags do not fit, nothing changes and the answer is false.
    bool rebuild(const OrderedDag& dag, RandomStream& random);

    /// Eliminates the moral graph of `dag` in the order there is; whether the bags fit. They do if
    /// it is part of the graph; else the answer may be false, and only `rebuild` helps.
    bool refresh(const OrderedDag& dag);

    /// The same in an order that holds every variable once.
    bool refresh(const OrderedDag& dag, std::span<const VariableId> order);

    /// Of each variable in the elimination order, with gaps.
    const std::vector<std::int64_t>& positions() const noexcept { return position_; }
    std::vector<VariableId> elimination_order() const { return in_order(position_); }

    /// Over the variables: states of the bag of each, two a variable where arities are unknown.
    double total_states() const;

private:
    struct Change {
        VariableId variable;
        std::uint32_t n_later;
        double n_states;
    };

    double arity(VariableId variable) const noexcept {
        return limits_.arities.empty() ? 1.0 : limits_.arities[variable];
    }
    bool fits(VariableId variable) const noexcept {
        return n_later_[variable] <= limits_.max_treewidth &&
               n_states_[variable] <= limits_.max_states;
    }
    bool has_later(VariableId variable, VariableId neighbour) const noexcept;
    VariableId first_later(VariableId variable) const noexcept;

    BagLimits limits_;
    std::size_t stride_;  // one more than fits, since `connect` overfills before it fails
    std::vector<std::int64_t> position_;
    std::int64_t first_position_ = 0;
    std::vector<VariableId> later_;
    std::vector<std::uint32_t> n_later_;
    std::vector<double> n_states_;  // of the bag of a variable and its later neighbours
    std::vector<Change> changes_;
    std::vector<VariableId> passed_on_;  // scratch of `connect`
    MinDegree min_degree_;               // scratch of `rebuild`
};

}  // namespace baytree
