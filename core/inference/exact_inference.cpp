#include "inference/exact_inference.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "inference/elimination.hpp"
#include "inference/tree_propagation.hpp"
#include "inference/tree_query.hpp"
#include "inference/work_meter.hpp"
#include "structure/tree_decomposition.hpp"

namespace baytree {

namespace {

/// Entries that take as long as all else that a query does once, or for each of its factors.
constexpr double entries_of_query = 20'000.0;
constexpr double entries_of_factor = 300.0;

void check_targets(std::span<const VariableId> targets, const TabularNetwork& network) {
    std::vector<VariableId> sorted(targets.begin(), targets.end());
    std::ranges::sort(sorted);
    if (sorted.empty() || sorted.back() >= network.n_variables() ||
        std::ranges::adjacent_find(sorted) != sorted.end())
        throw std::invalid_argument("targets must be variables of the network, each once");
}

/// The state that evidence leaves to a variable, or nothing.
std::optional<std::uint32_t> known_state(VariableId variable, const TabularNetwork& network,
                                         const Evidence& evidence) {
    if (network.arity(variable) == 1) return 0U;
    for (const auto& [observed, state] : evidence.states)
        if (observed == variable) return state;
    return std::nullopt;
}

std::vector<VariableId> restricted(const std::vector<VariableId>& order,
                                   const ReducedNetwork& reduced) {
    std::vector<VariableId> result;
    result.reserve(reduced.variables.size());
    for (const VariableId variable : order)
        if (reduced.number_of[variable] != ReducedNetwork::left_out)
            result.push_back(reduced.number_of[variable]);
    return result;
}

/// Whether what is kept answers a query with less work than a tree of its own, of `n_factors`.
bool is_cheaper(double kept_entries, const CliqueTree& own, std::size_t n_factors) {
    return 2.0 * kept_entries <=
           3.0 * own.cost().total_entries + entries_of_factor * static_cast<double>(n_factors);
}

}  // namespace

ExactInference::ExactInference(const TabularNetwork& network, std::vector<VariableId> order,
                               double max_kept_bytes)
    : network_(network),
      max_kept_bytes_(max_kept_bytes),
      order_(std::move(order)) {
    check_elimination_order(network.parents(), order_);
}

template <class Thing>
const Thing* ExactInference::kept(const std::unique_ptr<const Thing>& place) {
    const std::scoped_lock lock(mutex_);
    return place.get();
}

template <class Thing>
const Thing& ExactInference::keep(std::unique_ptr<const Thing>& place,
                                  std::unique_ptr<const Thing> made) {
    const std::scoped_lock lock(mutex_);
    if (!place) place = std::move(made);
    return *place;
}

/// The order of all variables from which those of queries are taken.
const ExactInference::BestOrder& ExactInference::best_order(RunControl& control) {
    if (const auto* const known = kept(best_order_)) return *known;
    return keep(best_order_, searched_order(control));
}

/// The best of several orders.
std::unique_ptr<const ExactInference::BestOrder>
ExactInference::searched_order(RunControl& control) const {
    WorkMeter meter(control);
    const Evidence nothing;
    const ReducedNetwork whole = ReducedNetwork::whole(network_, nothing);
    const Elimination known = eliminate_along(whole.scopes, restricted(order_, whole));
    const Elimination best = best_elimination(whole.scopes, whole.arities, known, meter);
    auto found = std::make_unique<BestOrder>();
    const CliqueTree tree(best, whole.arities);
    found->tree_bytes = CalibratedTree::bytes(tree);
    found->tree_entries = tree.cost().total_entries;
    for (const VariableId local : best.order) found->order.push_back(whole.variables[local]);
    return found;
}

bool ExactInference::can_keep(const BestOrder& best, double max_bytes) const {
    return best.tree_bytes <= std::min(max_kept_bytes_, max_bytes);
}

/// The tree that holds the distributions before any evidence; none if it is too large to be kept.
const CalibratedTree* ExactInference::calibrated(const QueryLimits& limits) {
    const BestOrder& best = best_order(limits.control);
    if (!can_keep(best, limits.max_bytes)) return nullptr;
    const CalibratedTree* tree = kept(calibrated_);
    if (tree == nullptr) {
        WorkMeter meter(limits.control);
        tree =
            &keep(calibrated_, std::make_unique<const CalibratedTree>(network_, best.order, meter));
    }
    return tree->is_fragile() ? nullptr : tree;
}

CliqueTree ExactInference::tree_of(const ReducedNetwork& reduced,
                                   std::span<const VariableId> together, RunControl& control) {
    Scopes scopes = reduced.scopes;
    if (together.size() > 1) scopes.add_set(together);
    Elimination elimination =
        eliminate_along(scopes, restricted(best_order(control).order, reduced));
    if (is_worth_a_search(elimination, reduced.arities, 3)) {
        WorkMeter meter(control);
        elimination = best_elimination(scopes, reduced.arities, std::move(elimination), meter);
    }
    return CliqueTree(elimination, reduced.arities, together);
}

InferenceCost ExactInference::cost(const Evidence& evidence, RunControl& control) {
    const ScaledEvidence scaled(evidence, network_);
    const auto reduced = ReducedNetwork::whole(network_, scaled.evidence);
    const CliqueTree tree = tree_of(reduced, {}, control);
    InferenceCost cost = tree.cost();
    cost.bytes = TreePropagation::bytes_to_share(tree);
    if (has_marginals_on_kept(scaled.evidence, {std::numeric_limits<double>::infinity(), control}))
        cost.filled_entries = best_order(control).tree_entries * (evidence.is_empty() ? 1.0 : 2.0);
    return cost;
}

ScaledNumber ExactInference::probability(const Evidence& evidence, const QueryLimits& limits) {
    const ScaledEvidence scaled(evidence, network_);
    WorkMeter meter(limits.control);
    const CalibratedTree* const whole = calibrated(limits);
    std::optional<TreeQuery> query;
    if (whole != nullptr) query.emplace(TreeQuery::of_evidence(*whole, scaled.evidence, meter));
    ScaledNumber result = scaled.scale;
    if (query && query->entries() <= entries_of_query) return result *= query->probability();
    const auto reduced = ReducedNetwork::of_evidence(network_, scaled.evidence);
    const CliqueTree tree = tree_of(reduced, {}, limits.control);
    if (query && is_cheaper(query->entries(), tree, reduced.scopes.size()))
        return result *= query->probability();
    InferenceCost cost = tree.cost();
    cost.bytes = TreePropagation::bytes_to_sum(tree);
    check_memory(cost, limits.max_bytes);
    return result *= TreePropagation(reduced, tree, meter).sum();
}

namespace {

/// Joint distribution of the targets, read off the first root, which holds those that are free.
std::vector<double> read_off(std::span<const double> table, const Clique& root,
                             const ReducedNetwork& reduced, std::span<const VariableId> targets,
                             const TabularNetwork& network, const Evidence& evidence) {
    std::vector<std::size_t> strides(root.variables.size());  // in the result; 0 if no target
    std::size_t offset = 0;
    std::size_t size = 1;
    for (std::size_t i = targets.size(); i-- > 0;) {
        if (const auto state = known_state(targets[i], network, evidence))
            offset += size * *state;
        else
            strides[static_cast<std::size_t>(
                std::ranges::find(root.variables, reduced.number_of[targets[i]]) -
                root.variables.begin())] = size;
        size *= network.arity(targets[i]);
    }
    std::vector<double> result(size);
    std::vector<std::uint32_t> digits(root.variables.size());
    for (const double entry : table) {
        result[offset] += entry;
        for (std::size_t i = digits.size(); i-- > 0;) {
            offset += strides[i];
            if (++digits[i] < root.arities[i]) break;
            offset -= strides[i] * root.arities[i];
            digits[i] = 0;
        }
    }
    normalise(result);
    return result;
}

}  // namespace

std::vector<double> ExactInference::posterior(const std::vector<VariableId>& targets,
                                              const Evidence& evidence, const QueryLimits& limits) {
    check_targets(targets, network_);
    const ScaledEvidence scaled(evidence, network_);
    std::vector<VariableId> free;
    for (const VariableId target : targets)
        if (!known_state(target, network_, scaled.evidence)) free.push_back(target);
    if (targets.size() == 1 && free.size() == 1)
        return single_posterior(free[0], scaled.evidence, limits);
    const auto reduced = ReducedNetwork::of_targets(network_, scaled.evidence, free);
    return own_posterior(targets, free, scaled.evidence, reduced,
                         tree_of(reduced, reduced.numbers(free), limits.control), limits);
}

std::vector<double> ExactInference::single_posterior(VariableId target, const Evidence& evidence,
                                                     const QueryLimits& limits) {
    WorkMeter meter(limits.control);
    const CalibratedTree* const whole = calibrated(limits);
    std::optional<TreeQuery> query;
    if (whole != nullptr) query.emplace(TreeQuery::of_target(*whole, target, evidence, meter));
    if (query && query->entries() <= entries_of_query) return query->posterior();
    const std::vector<VariableId> targets{target};
    const auto reduced = ReducedNetwork::of_targets(network_, evidence, targets);
    const CliqueTree tree = tree_of(reduced, reduced.numbers(targets), limits.control);
    if (query && is_cheaper(query->entries(), tree, reduced.scopes.size()))
        return query->posterior();
    return own_posterior(targets, targets, evidence, reduced, tree, limits);
}

/// The distribution of targets, of which some are free, by a tree of its own.
std::vector<double>
ExactInference::own_posterior(std::span<const VariableId> targets, std::span<const VariableId> free,
                              const Evidence& evidence, const ReducedNetwork& reduced,
                              const CliqueTree& tree, const QueryLimits& limits) {
    double n_results = 1.0;
    for (const VariableId target : targets) n_results *= network_.arity(target);
    InferenceCost cost = tree.cost();
    cost.bytes = TreePropagation::bytes_to_sum(tree) + 8.0 * n_results;
    check_memory(cost, limits.max_bytes);
    WorkMeter meter(limits.control);
    TreePropagation propagation(reduced, tree, meter);
    if (propagation.sum().is_zero()) return {};
    static const Clique no_clique;
    const double one = 1.0;
    if (free.empty()) return read_off({&one, 1}, no_clique, reduced, targets, network_, evidence);
    return read_off(propagation.first_root(), tree.cliques().front(), reduced, targets, network_,
                    evidence);
}

/// Whether marginals are to come from the kept tree. A tree of their own may be far smaller; it is
/// looked at if so many tables are kept that this pays.
bool ExactInference::has_marginals_on_kept(const Evidence& evidence, const QueryLimits& limits) {
    const BestOrder& best = best_order(limits.control);
    if (!can_keep(best, limits.max_bytes)) return false;
    if (evidence.is_empty() || best.tree_entries <= entries_of_query)
        return evidence.states.size() * 4 <= network_.n_variables();
    const auto reduced = ReducedNetwork::whole(network_, evidence);
    const auto elimination = eliminate_along(reduced.scopes, restricted(best.order, reduced));
    return is_cheaper(best.tree_entries, CliqueTree(elimination, reduced.arities),
                      reduced.scopes.size());
}

std::vector<double> ExactInference::marginals(const Evidence& evidence, const QueryLimits& limits) {
    const ScaledEvidence scaled(evidence, network_);
    const CalibratedTree* const whole =
        has_marginals_on_kept(scaled.evidence, limits) ? calibrated(limits) : nullptr;
    if (whole == nullptr) return own_marginals(scaled.evidence, limits);
    WorkMeter meter(limits.control);
    return TreeQuery::of_all(*whole, scaled.evidence, meter).marginals();
}

/// The distributions of all variables, by a tree of its own.
std::vector<double> ExactInference::own_marginals(const Evidence& evidence,
                                                  const QueryLimits& limits) {
    const auto reduced = ReducedNetwork::whole(network_, evidence);
    const CliqueTree tree = tree_of(reduced, {}, limits.control);
    InferenceCost cost = tree.cost();
    cost.bytes = TreePropagation::bytes_to_share(tree);
    check_memory(cost, limits.max_bytes);
    WorkMeter meter(limits.control);
    TreePropagation propagation(reduced, tree, meter);
    if (propagation.share().is_zero()) return {};
    std::vector<double> result(
        std::reduce(network_.arities().begin(), network_.arities().end(), std::size_t{0}));
    std::size_t begin = 0;
    for (VariableId v = 0; v < network_.n_variables(); ++v) {
        const auto own = std::span(result).subspan(begin, network_.arity(v));
        if (const auto state = known_state(v, network_, evidence)) {
            own[*state] = 1.0;
        } else {
            propagation.add_marginal(reduced.number_of[v], own);
            normalise(own);
        }
        begin += own.size();
    }
    return result;
}

MostProbable ExactInference::most_probable(const Evidence& evidence, const QueryLimits& limits) {
    const ScaledEvidence scaled(evidence, network_);
    const auto reduced = ReducedNetwork::whole(network_, scaled.evidence);
    const CliqueTree tree = tree_of(reduced, {}, limits.control);
    InferenceCost cost = tree.cost();
    cost.bytes = TreePropagation::bytes_to_maximise(tree);
    check_memory(cost, limits.max_bytes);
    WorkMeter meter(limits.control);
    std::vector<std::uint32_t> free_states(reduced.variables.size());
    MostProbable result;
    result.probability = TreePropagation(reduced, tree, meter).maximise(free_states);
    result.probability *= scaled.scale;
    result.states.resize(network_.n_variables());
    for (const auto& [variable, state] : scaled.evidence.states) result.states[variable] = state;
    for (std::size_t i = 0; i < free_states.size(); ++i)
        result.states[reduced.variables[i]] = free_states[i];
    return result;
}

}  // namespace baytree
