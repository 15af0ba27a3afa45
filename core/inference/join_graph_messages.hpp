#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/inference_cost.hpp"
#include "inference/join_graph.hpp"
#include "inference/reduced_network.hpp"
#include "inference/scaled_number.hpp"
#include "inference/table_kernels.hpp"
#include "inference/work_meter.hpp"

namespace baytree {

/// The messages of iterative join-graph propagation ([ijgp]). No message is divided by another, so
/// zeros need no care: a state that is found impossible is impossible.
class JoinGraphMessages {
public:
    /// What the tables take, known before they are made.
    static InferenceCost cost(const JoinGraph& graph, const std::vector<std::uint32_t>& arities);

    /// The graph is one of the network's factors. Keeps references to both.
    JoinGraphMessages(const JoinGraph& graph, const ReducedNetwork& network, WorkMeter& meter);

    /// Every cluster sends to those of higher number, first to last, then to those of lower number,
    /// last to first. On a forest that is all there is to do. Returns the largest change of an
    /// entry of a message, whose largest entry is 1.
    double sweep();

    /// From now on, a message is the mean of the last one and what it would be. Cycles in which
    /// messages swing to and fro come to rest by it, and others more slowly.
    void damp() noexcept { is_damped_ = true; }

    /// Whether a cluster found no joint state that is possible; the rest means nothing then.
    bool is_impossible() const noexcept { return is_impossible_; }

    struct Beliefs {
        std::vector<std::vector<double>> marginals;  // by variable; none if log_sum is -infinity
        // Product of the factors, summed over all joint states: exact on a forest, elsewhere by
        // the Bethe free energy of the graph ([region-graphs]).
        double log_sum;
    };
    Beliefs beliefs() const;

private:
    using Table = std::vector<double>;

    struct Neighbour {
        std::uint32_t cluster;
        std::size_t incoming, outgoing;  // numbers of messages
        Broadcast label;
    };
    using Neighbours = std::span<const Neighbour>;

    Broadcast plan(std::uint32_t cluster, VariableSpan part) const;
    void multiply_factor(std::size_t factor);
    void send(std::uint32_t cluster, bool is_upwards);
    void send_each(Table product, Neighbours targets);
    void store(Table message, std::size_t number);
    double multiply_all(Table& product, Neighbours senders) const;
    Table marginal(std::uint32_t cluster, VariableId variable, const Table& belief) const;

    const JoinGraph& graph_;
    const ReducedNetwork& network_;
    WorkMeter& meter_;
    std::vector<Table> potentials_;                   // by cluster
    std::vector<std::vector<Neighbour>> neighbours_;  // by cluster, ascending
    std::vector<Table> messages_;
    double log_scale_ = 0.0;  // divided out of the potentials
    double largest_change_ = 0.0;
    bool is_damped_ = false;
    bool is_impossible_ = false;
};

}  // namespace baytree
