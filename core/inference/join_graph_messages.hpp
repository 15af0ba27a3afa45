#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "inference/join_graph.hpp"
#include "inference/observed_factors.hpp"
#include "inference/table_projection.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// The messages of iterative join-graph propagation ([ijgp]). No message is divided by another, so
/// that zeros need no care: a state that is found impossible is impossible.
class JoinGraphMessages {
public:
    /// Every factor is multiplied into its cluster; scopes must not be empty.
    JoinGraphMessages(const JoinGraph& graph, const std::vector<std::uint32_t>& arities,
                      const std::vector<ObservedFactor>& factors);

    /// Every cluster sends to those of higher number, first to last, then to those of lower number,
    /// last to first. On a forest that is all there is to do. Returns the largest change of an
    /// entry of a message, whose largest entry is 1; nothing if `control` stopped it.
    std::optional<double> sweep(RunControl& control);

    /// From now on, a message is the mean of the last one and what it would be. Cycles in which
    /// messages swing to and fro come to rest by it, and others more slowly.
    void damp() noexcept { is_damped_ = true; }

    /// Whether a cluster found no joint state that is possible; the rest means nothing then.
    bool is_impossible() const noexcept { return is_impossible_; }

    struct Beliefs {
        std::vector<std::vector<double>> marginals;  // empty for variables in no cluster
        // Minus the Bethe free energy of the graph ([region-graphs]); exact on a forest.
        double log_partition;
    };
    Beliefs beliefs() const;

private:
    using Table = std::vector<double>;

    struct Neighbour {
        std::uint32_t cluster;
        std::size_t incoming, outgoing;  // numbers of messages
        TableProjection label;
    };
    using Neighbours = std::span<const Neighbour>;

    void send(std::uint32_t cluster, bool is_upwards);
    void send_each(Table product, Neighbours targets);
    void store(Table message, std::size_t number);
    double multiply(Table& product, Neighbours senders) const;

    std::vector<std::uint32_t> arities_;
    const JoinGraph& graph_;
    std::vector<Table> potentials_;                   // by cluster
    std::vector<std::vector<Neighbour>> neighbours_;  // by cluster, ascending
    std::vector<Table> messages_;
    double log_scale_ = 0.0;  // divided out of the potentials
    double largest_change_ = 0.0;
    bool is_damped_ = false;
    bool is_impossible_ = false;
};

}  // namespace baytree
