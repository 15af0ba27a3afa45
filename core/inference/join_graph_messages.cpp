#include "inference/join_graph_messages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace baytree {

namespace {

constexpr double tiny = 1e-150;          // a product of two such numbers is still above zero
constexpr double n_plan_entries = 2048;  // at most, of what a Broadcast holds
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

double n_entries(VariableSpan scope, const std::vector<std::uint32_t>& arities) {
    double product = 1.0;
    for (const VariableId variable : scope) product *= arities[variable];
    return product;
}

/// Makes the largest entry 1; returns what it was.
double normalise(std::vector<double>& table) {
    const double largest = *std::ranges::max_element(table);
    if (largest > 0.0)
        for (double& entry : table) entry /= largest;
    return largest;
}

/// Keeps products of many numbers from vanishing; returns the logarithm of what was divided out.
double normalise_if_tiny(std::vector<double>& table) {
    const double largest = *std::ranges::max_element(table);
    return largest > 0.0 && largest < tiny ? std::log(normalise(table)) : 0.0;
}

}  // namespace

InferenceCost JoinGraphMessages::cost(const JoinGraph& graph,
                                      const std::vector<std::uint32_t>& arities) {
    InferenceCost cost;
    for (const auto& cluster : graph.clusters)
        cost.add_clique(cluster.size(), n_entries(cluster, arities));
    double n_held = cost.total_entries;
    std::vector<std::size_t> degree(graph.clusters.size());
    for (const auto& edge : graph.edges) {
        n_held += 2.0 * n_entries(edge.label, arities);
        for (const std::uint32_t end : {edge.lower, edge.upper}) {
            n_held += std::min(n_entries(graph.clusters[end], arities), n_plan_entries);
            ++degree[end];
        }
    }
    const auto largest_degree = graph.clusters.empty() ? 0 : *std::ranges::max_element(degree);
    const double n_copies = 2.0 + std::log2(1.0 + static_cast<double>(largest_degree));
    cost.bytes = sizeof(double) * (n_held + n_copies * cost.clique_entries);
    return cost;
}

JoinGraphMessages::JoinGraphMessages(const JoinGraph& graph, const ReducedNetwork& network,
                                     WorkMeter& meter)
    : graph_(graph),
      network_(network),
      meter_(meter),
      neighbours_(graph.clusters.size()) {
    const auto new_table = [&](VariableSpan scope) {
        return Table(static_cast<std::size_t>(n_entries(scope, network.arities)), 1.0);
    };
    for (const auto& cluster : graph.clusters) potentials_.push_back(new_table(cluster));
    for (std::size_t i = 0; i < network.tables.size(); ++i) multiply_factor(i);
    for (const auto& [lower, upper, label] : graph.edges) {
        const std::size_t up = messages_.size(), down = up + 1;
        messages_.resize(up + 2, new_table(label));
        neighbours_[lower].push_back({upper, down, up, plan(lower, label)});
        neighbours_[upper].push_back({lower, up, down, plan(upper, label)});
    }
    for (auto& neighbours : neighbours_) std::ranges::sort(neighbours, {}, &Neighbour::cluster);
}

Broadcast JoinGraphMessages::plan(std::uint32_t cluster, VariableSpan part) const {
    std::vector<std::uint32_t> arities;
    std::vector<std::uint8_t> is_kept;
    for (const VariableId variable : graph_.clusters[cluster]) {
        arities.push_back(network_.arities[variable]);
        is_kept.push_back(std::ranges::binary_search(part, variable));
    }
    return {arities, is_kept};
}

void JoinGraphMessages::multiply_factor(std::size_t factor) {
    const VariableSpan scope = network_.scopes[factor];
    const std::size_t* stride_of = network_.strides.data() + network_.scopes.begin(factor);
    std::vector<std::size_t> rank(scope.size());
    std::iota(rank.begin(), rank.end(), std::size_t{0});
    std::ranges::sort(rank, {}, [&](std::size_t i) { return scope[i]; });
    std::vector<VariableId> ascending;
    std::vector<std::uint32_t> arities;
    std::vector<std::size_t> strides;
    for (const std::size_t i : rank) {
        ascending.push_back(scope[i]);
        arities.push_back(network_.arities[scope[i]]);
        strides.push_back(stride_of[i]);
    }
    Table table(static_cast<std::size_t>(n_entries(scope, network_.arities)));
    copy_strided(network_.tables[factor], arities, strides, table.data());
    const std::uint32_t cluster = graph_.cluster_of_factor[factor];
    multiply(plan(cluster, ascending), table.data(), potentials_[cluster].data(), meter_);
    log_scale_ += normalise_if_tiny(potentials_[cluster]);
}

double JoinGraphMessages::sweep() {
    largest_change_ = 0.0;
    const auto n_clusters = static_cast<std::uint32_t>(neighbours_.size());
    for (std::uint32_t step = 0; step < 2 * n_clusters && !is_impossible_; ++step) {
        const bool is_upwards = step < n_clusters;
        send(is_upwards ? step : 2 * n_clusters - 1 - step, is_upwards);
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
    multiply_all(product, is_upwards ? below : above);
    send_each(std::move(product), targets);
}

/// Sends to each target the product of `product` and what the other targets sent. Halves them, so
/// that n targets cost n log n products.
void JoinGraphMessages::send_each(Table product, Neighbours targets) {
    if (targets.size() == 1) {
        const Neighbour& target = targets.front();
        Table message(target.label.part_size());
        sum_out(target.label, product.data(), message.data(), meter_);
        store(std::move(message), target.outgoing);
        return;
    }
    const Neighbours left = targets.first(targets.size() / 2);
    const Neighbours right = targets.subspan(targets.size() / 2);
    Table to_left = product;
    multiply_all(to_left, right);
    send_each(std::move(to_left), left);
    multiply_all(product, left);
    send_each(std::move(product), right);
}

void JoinGraphMessages::store(Table message, std::size_t number) {
    if (normalise(message) == 0.0) is_impossible_ = true;
    Table& before = messages_[number];
    for (std::size_t i = 0; i < message.size(); ++i)
        largest_change_ = std::max(largest_change_, std::abs(message[i] - before[i]));
    if (is_damped_) {
        for (std::size_t i = 0; i < message.size(); ++i) message[i] += before[i];
        normalise(message);
    }
    before = std::move(message);
}

/// Returns the logarithm of what was divided out of the product.
double JoinGraphMessages::multiply_all(Table& product, Neighbours senders) const {
    double log_scale = 0.0;
    for (const Neighbour& sender : senders) {
        multiply(sender.label, messages_[sender.incoming].data(), product.data(), meter_);
        log_scale += normalise_if_tiny(product);
    }
    return log_scale;
}

JoinGraphMessages::Beliefs JoinGraphMessages::beliefs() const {
    Beliefs beliefs{std::vector<Table>(network_.arities.size()), log_scale_};
    // The smallest cluster tells of a variable what all others do, once messages have settled.
    std::vector<std::size_t> home_size(network_.arities.size(),
                                       std::numeric_limits<std::size_t>::max());
    for (std::uint32_t cluster = 0; cluster < potentials_.size(); ++cluster) {
        Table belief = potentials_[cluster];
        beliefs.log_sum += multiply_all(belief, neighbours_[cluster]);
        const double sum = std::reduce(belief.begin(), belief.end());
        if (sum == 0.0) return {{}, minus_infinity};
        beliefs.log_sum += std::log(sum);
        for (const VariableId variable : graph_.clusters[cluster]) {
            if (belief.size() >= home_size[variable]) continue;
            home_size[variable] = belief.size();
            beliefs.marginals[variable] = marginal(cluster, variable, belief);
        }
    }
    // What the two messages of an edge have in common is counted by both of its clusters.
    for (std::size_t up = 0; up < messages_.size(); up += 2) {
        const double sum = std::inner_product(messages_[up].begin(), messages_[up].end(),
                                              messages_[up + 1].begin(), 0.0);
        if (sum == 0.0) return {{}, minus_infinity};
        beliefs.log_sum -= std::log(sum);
    }
    return beliefs;
}

std::vector<double> JoinGraphMessages::marginal(std::uint32_t cluster, VariableId variable,
                                                const Table& belief) const {
    Table marginal(network_.arities[variable]);
    sum_out(plan(cluster, {&variable, 1}), belief.data(), marginal.data(), meter_);
    const double total = std::reduce(marginal.begin(), marginal.end());
    for (double& p : marginal) p /= total;
    return marginal;
}

}  // namespace baytree
