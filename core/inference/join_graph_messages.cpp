#include "inference/join_graph_messages.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

namespace baytree {

namespace {

constexpr double tiny = 1e-150;  // a product of two such numbers is still above zero
constexpr auto pulse = std::chrono::milliseconds(20);

std::size_t table_size(VariableSpan scope, const std::vector<std::uint32_t>& arities) {
    return static_cast<std::size_t>(n_table_entries(scope, arities));
}

/// Makes the largest entry 1; returns what it was.
double scale_to_one(std::vector<double>& table) {
    const double largest = *std::ranges::max_element(table);
    if (largest > 0.0)
        for (double& entry : table) entry /= largest;
    return largest;
}

/// Keeps products of many numbers from vanishing; returns the logarithm of what was divided out.
double rescale_if_tiny(std::vector<double>& table) {
    const double largest = *std::ranges::max_element(table);
    return largest > 0.0 && largest < tiny ? std::log(scale_to_one(table)) : 0.0;
}

}  // namespace

JoinGraphMessages::JoinGraphMessages(const JoinGraph& graph,
                                     const std::vector<std::uint32_t>& arities,
                                     const std::vector<ObservedFactor>& factors)
    : arities_(arities),
      graph_(graph),
      neighbours_(graph.clusters.size()) {
    for (const auto& cluster : graph.clusters)
        potentials_.emplace_back(table_size(cluster, arities), 1.0);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const std::uint32_t cluster = graph.cluster_of_factor[i];
        TableProjection(graph.clusters[cluster], factors[i].scope, arities)
            .multiply(potentials_[cluster], factors[i].table);
        log_scale_ += rescale_if_tiny(potentials_[cluster]);
    }
    for (const auto& [lower, upper, label] : graph.edges) {
        const std::size_t up = messages_.size(), down = up + 1;
        messages_.resize(up + 2, Table(table_size(label, arities), 1.0));
        neighbours_[lower].push_back({upper, down, up, {graph.clusters[lower], label, arities}});
        neighbours_[upper].push_back({lower, up, down, {graph.clusters[upper], label, arities}});
    }
    for (auto& neighbours : neighbours_) std::ranges::sort(neighbours, {}, &Neighbour::cluster);
}

std::optional<double> JoinGraphMessages::sweep(RunControl& control) {
    largest_change_ = 0.0;
    const auto n_clusters = static_cast<std::uint32_t>(neighbours_.size());
    auto next_beat = Clock::now() + pulse;
    for (std::uint32_t step = 0; step < 2 * n_clusters && !is_impossible_; ++step) {
        const bool is_upwards = step < n_clusters;
        send(is_upwards ? step : 2 * n_clusters - 1 - step, is_upwards);
        if (Clock::now() >= next_beat) {
            control.beat();
            next_beat = Clock::now() + pulse;
        }
        if (is_over(control)) return std::nullopt;
    }
    return largest_change_;
}

void JoinGraphMessages::send(std::uint32_t cluster, bool is_upwards) {
    const Neighbours all = neighbours_[cluster];
    const auto first_above = std::ranges::upper_bound(all, cluster, {}, &Neighbour::cluster);
    const Neighbours below(all.begin(), first_above), above(first_above, all.end());
    const Neighbours targets = is_upwards ? above : below;
    if (targets.empty()) return;
    Table product = potentials_[cluster];
    multiply(product, is_upwards ? below : above);
    send_each(std::move(product), targets);
}

/// Sends to each target the product of `product` and what the other targets sent. Halves it, so
/// that n targets cost n log n products.
void JoinGraphMessages::send_each(Table product, Neighbours targets) {
    if (targets.size() == 1) {
        const Neighbour& target = targets.front();
        Table message(messages_[target.outgoing].size());
        target.label.add_to(message, product);
        store(std::move(message), target.outgoing);
        return;
    }
    const Neighbours left = targets.first(targets.size() / 2);
    const Neighbours right = targets.subspan(targets.size() / 2);
    Table to_left = product;
    multiply(to_left, right);
    send_each(std::move(to_left), left);
    multiply(product, left);
    send_each(std::move(product), right);
}

void JoinGraphMessages::store(Table message, std::size_t number) {
    if (scale_to_one(message) == 0.0) is_impossible_ = true;
    Table& before = messages_[number];
    for (std::size_t i = 0; i < message.size(); ++i)
        largest_change_ = std::max(largest_change_, std::abs(message[i] - before[i]));
    if (is_damped_) {
        for (std::size_t i = 0; i < message.size(); ++i) message[i] += before[i];
        scale_to_one(message);
    }
    before = std::move(message);
}

/// Returns the logarithm of what was divided out of the product.
double JoinGraphMessages::multiply(Table& product, Neighbours senders) const {
    double log_scale = 0.0;
    for (const Neighbour& sender : senders) {
        sender.label.multiply(product, messages_[sender.incoming]);
        log_scale += rescale_if_tiny(product);
    }
    return log_scale;
}

JoinGraphMessages::Beliefs JoinGraphMessages::beliefs() const {
    Beliefs beliefs{std::vector<Table>(arities_.size()), log_scale_};
    std::vector<std::size_t> home_size(arities_.size(), std::numeric_limits<std::size_t>::max());
    for (std::uint32_t cluster = 0; cluster < potentials_.size(); ++cluster) {
        Table belief = potentials_[cluster];
        beliefs.log_partition += multiply(belief, neighbours_[cluster]);
        const double total = std::reduce(belief.begin(), belief.end());
        beliefs.log_partition += std::log(total);
        for (const VariableId variable : graph_.clusters[cluster]) {
            if (belief.size() >= home_size[variable]) continue;
            home_size[variable] = belief.size();
            Table& marginal = beliefs.marginals[variable];
            marginal.assign(arities_[variable], 0.0);
            TableProjection(graph_.clusters[cluster], {&variable, 1}, arities_)
                .add_to(marginal, belief);
            for (double& p : marginal) p /= total;
        }
    }
    for (std::size_t up = 0; up < messages_.size(); up += 2)
        beliefs.log_partition -= std::log(std::inner_product(
            messages_[up].begin(), messages_[up].end(), messages_[up + 1].begin(), 0.0));
    return beliefs;
}

}  // namespace baytree
