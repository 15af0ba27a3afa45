#include "inference/join_graph_inference.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "inference/join_graph_messages.hpp"

namespace baytree {

namespace {

// Most graphs have settled by then; on a forest, two sweeps are enough.
constexpr std::size_t undamped_sweeps = 50;

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// The observed state of each variable; 0 where there is none, or no other.
std::vector<std::uint32_t> observed_states(const TabularNetwork& network,
                                           const Evidence& evidence) {
    std::vector<std::uint32_t> states(network.n_variables());
    for (const auto& [variable, state] : evidence.states) states[variable] = state;
    return states;
}

void sweep_until_settled(JoinGraphMessages& messages, const JoinGraphOptions& options,
                         JoinGraphAnswer& answer) {
    while (answer.n_sweeps < options.max_sweeps && !answer.is_converged) {
        if (answer.n_sweeps == undamped_sweeps) messages.damp();
        answer.largest_change = messages.sweep();
        ++answer.n_sweeps;
        answer.is_converged =
            messages.is_impossible() || answer.largest_change <= options.tolerance;
    }
}

}  // namespace

struct JoinGraphInference::Outcome {
    JoinGraphAnswer answer;
    std::vector<std::vector<double>> marginals;  // by variable of the reduced network
};

JoinGraphInference::JoinGraphInference(const TabularNetwork& network, std::vector<VariableId> order)
    : network_(network),
      order_(std::move(order)) {}

JoinGraphAnswer JoinGraphInference::marginals(const Evidence& evidence,
                                              const JoinGraphOptions& options,
                                              RunControl& control) const {
    const ScaledEvidence scaled(evidence, network_);
    const auto reduced = ReducedNetwork::whole(network_, scaled.evidence);
    auto [answer, marginals] = propagate(reduced, options, control);
    if (answer.log_probability == minus_infinity) return answer;
    answer.log_probability += scaled.scale.log();
    const auto states = observed_states(network_, evidence);
    for (VariableId variable = 0; variable < network_.n_variables(); ++variable) {
        const VariableId number = reduced.number_of[variable];
        const auto own = number == ReducedNetwork::left_out ? certainly(variable, states)
                                                            : std::move(marginals[number]);
        answer.probabilities.insert(answer.probabilities.end(), own.begin(), own.end());
    }
    return answer;
}

JoinGraphAnswer JoinGraphInference::posterior(VariableId target, const Evidence& evidence,
                                              const JoinGraphOptions& options,
                                              RunControl& control) const {
    const ScaledEvidence scaled(evidence, network_);
    if (target >= network_.n_variables()) throw std::invalid_argument("there is no such target");
    const auto reduced = ReducedNetwork::of_targets(network_, scaled.evidence, {&target, 1});
    auto [answer, marginals] = propagate(reduced, options, control);
    if (answer.log_probability == minus_infinity) return answer;
    answer.log_probability = 0.0;  // factors were left out
    const VariableId number = reduced.number_of[target];
    answer.probabilities = number == ReducedNetwork::left_out
                               ? certainly(target, observed_states(network_, evidence))
                               : std::move(marginals[number]);
    return answer;
}

JoinGraphAnswer JoinGraphInference::probability(const Evidence& evidence,
                                                const JoinGraphOptions& options,
                                                RunControl& control) const {
    const ScaledEvidence scaled(evidence, network_);
    auto answer =
        propagate(ReducedNetwork::of_evidence(network_, scaled.evidence), options, control).answer;
    answer.log_probability += scaled.scale.log();
    return answer;
}

JoinGraph JoinGraphInference::join_graph(const ReducedNetwork& reduced,
                                         const JoinGraphOptions& options, WorkMeter& meter) const {
    std::vector<std::vector<VariableId>> scopes;
    for (std::size_t i = 0; i < reduced.scopes.size(); ++i) {
        scopes.emplace_back(reduced.scopes[i].begin(), reduced.scopes[i].end());
        std::ranges::sort(scopes.back());
    }
    const std::size_t n_variables = reduced.variables.size();
    std::optional<JoinGraph> graph;
    if (bytes_to_build_join_graph(n_variables) <= options.max_bytes)
        graph = build_join_graph(n_variables, scopes, options.i_bound, meter);
    if (graph && graph->is_forest()) return *std::move(graph);
    std::vector<VariableId> order;
    for (const VariableId variable : order_)
        if (reduced.number_of[variable] != ReducedNetwork::left_out)
            order.push_back(reduced.number_of[variable]);
    JoinGraph along_order =
        build_join_graph_along(n_variables, scopes, options.i_bound, order, meter);
    return !graph || along_order.is_forest() ? std::move(along_order) : *std::move(graph);
}

JoinGraphInference::Outcome JoinGraphInference::propagate(const ReducedNetwork& reduced,
                                                          const JoinGraphOptions& options,
                                                          RunControl& control) const {
    Outcome outcome;
    auto& answer = outcome.answer;
    WorkMeter meter(control);
    const JoinGraph graph = join_graph(reduced, options, meter);
    check_memory(JoinGraphMessages::cost(graph, reduced.arities), options.max_bytes);
    JoinGraphMessages messages(graph, reduced, meter);
    sweep_until_settled(messages, options, answer);
    answer.is_exact = answer.is_converged && graph.is_forest();
    answer.log_probability = minus_infinity;
    if (messages.is_impossible() || reduced.constant.is_zero()) return outcome;
    auto beliefs = messages.beliefs();
    answer.log_probability = reduced.constant.log() + beliefs.log_sum;
    outcome.marginals = std::move(beliefs.marginals);
    return outcome;
}

/// The distribution of a variable whose state is known.
std::vector<double> JoinGraphInference::certainly(VariableId variable,
                                                  const std::vector<std::uint32_t>& states) const {
    std::vector<double> probabilities(network_.arity(variable));
    probabilities[states[variable]] = 1.0;
    return probabilities;
}

}  // namespace baytree
