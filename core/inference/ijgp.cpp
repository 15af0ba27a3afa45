#include "inference/ijgp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "inference/join_graph.hpp"
#include "inference/join_graph_messages.hpp"
#include "inference/table_projection.hpp"

namespace baytree {

namespace {

// Most graphs have settled by then; on a forest, two sweeps are enough.
constexpr std::size_t undamped_sweeps = 50;
constexpr double impossible = -std::numeric_limits<double>::infinity();

/// Takes factors without variables out; returns the logarithm of their product.
double take_constants(std::vector<ObservedFactor>& factors) {
    double log_product = 0.0;
    for (const auto& factor : factors)
        if (factor.scope.empty()) log_product += std::log(factor.table.front());
    std::erase_if(factors, [](const auto& factor) { return factor.scope.empty(); });
    return log_product;
}

JoinGraph join_graph_of(const std::vector<ObservedFactor>& factors, std::size_t n_variables,
                        const IjgpOptions& options) {
    std::vector<std::vector<VariableId>> scopes;
    for (const auto& factor : factors) scopes.push_back(factor.scope);
    JoinGraph graph = build_join_graph(n_variables, scopes, options.i_bound);
    if (options.order.empty() || graph.is_forest()) return graph;
    JoinGraph other = build_join_graph(n_variables, scopes, options.i_bound, options.order);
    return other.is_forest() ? other : graph;
}

void describe(const JoinGraph& graph, const std::vector<std::uint32_t>& arities,
              IjgpResult& result) {
    result.n_clusters = graph.clusters.size();
    for (const auto& cluster : graph.clusters) {
        result.largest_cluster = std::max(result.largest_cluster, cluster.size());
        result.n_entries += n_table_entries(cluster, arities);
    }
    for (const auto& edge : graph.edges)
        result.n_entries += 2 * n_table_entries(edge.label, arities);
}

void sweep_until_settled(JoinGraphMessages& messages, const IjgpOptions& options,
                         RunControl& control, IjgpResult& result) {
    while (result.n_sweeps < options.max_sweeps) {
        if (result.n_sweeps == undamped_sweeps) messages.damp();
        const auto change = messages.sweep(control);
        if (!change || messages.is_impossible()) return;
        ++result.n_sweeps;
        result.largest_change = *change;
        result.is_converged = *change <= options.tolerance;
        if (result.is_converged) return;
    }
}

}  // namespace

IjgpResult propagate_on_join_graph(const TabularNetwork& network, const Observations& observations,
                                   const IjgpOptions& options, RunControl& control) {
    IjgpResult result;
    std::vector<bool> is_relevant(network.n_variables(), true);
    if (!options.targets.empty())
        is_relevant = relevant_variables(network, observations, options.targets);
    auto factors = observed_factors(network, observations, is_relevant);
    const double log_constant = take_constants(factors);
    const JoinGraph graph = join_graph_of(factors, network.n_variables(), options);
    describe(graph, network.arities(), result);
    if (result.n_entries > options.max_entries) return result;
    JoinGraphMessages messages(graph, network.arities(), factors);
    sweep_until_settled(messages, options, control, result);
    auto beliefs = messages.beliefs();
    const bool is_impossible = messages.is_impossible() || log_constant == impossible;
    result.log_probability = is_impossible ? impossible : log_constant + beliefs.log_partition;
    result.is_exact = result.is_converged && graph.is_forest();
    result.marginals = std::move(beliefs.marginals);
    return result;
}

}  // namespace baytree
