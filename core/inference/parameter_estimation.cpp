#include "inference/parameter_estimation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "inference/expected_counts.hpp"
#include "inference/repeated_counts.hpp"

namespace baytree {

namespace {

std::vector<double> uniform(std::size_t n) {
    return std::vector<double>(n, 1.0 / static_cast<double>(n));
}

TabularNetwork uniform_network(const std::vector<std::uint32_t>& arities,
                               const ParentLists& parents) {
    std::vector<std::vector<double>> tables;
    for (VariableId child = 0; child < arities.size(); ++child) {
        std::size_t size = arities[child];
        for (const VariableId parent : parents[child]) size *= arities[parent];
        tables.emplace_back(size, 1.0 / arities[child]);
    }
    return TabularNetwork(arities, parents, std::move(tables));
}

std::vector<double> normalised(std::vector<double> counts, const std::vector<double>& otherwise) {
    const double sum = std::reduce(counts.begin(), counts.end());
    if (!(sum > 0.0)) return otherwise;
    for (double& count : counts) count /= sum;
    return counts;
}

/// The distribution of a child over all its counts.
std::vector<double> overall(std::span<const double> counts, std::size_t arity) {
    std::vector<double> sums(arity);
    for (std::size_t i = 0; i < counts.size(); ++i) sums[i % arity] += counts[i];
    return normalised(std::move(sums), uniform(arity));
}

std::vector<double> smoothed(std::span<const double> counts, std::size_t arity, double share) {
    const auto otherwise = overall(counts, arity);
    std::vector<double> table;
    table.reserve(counts.size());
    for (std::size_t first = 0; first < counts.size(); first += arity) {
        std::vector<double> row(counts.begin() + static_cast<std::ptrdiff_t>(first),
                                counts.begin() + static_cast<std::ptrdiff_t>(first + arity));
        for (double& count : row) count += share;
        for (const double probability : normalised(std::move(row), otherwise))
            table.push_back(probability);
    }
    return table;
}

double share_of_prior(std::size_t table_size, double equivalent_sample_size) {
    return equivalent_sample_size / static_cast<double>(table_size);
}

TabularNetwork with_tables(const RowNetwork& structure, std::vector<std::vector<double>> tables) {
    return TabularNetwork(structure.tabular().arities(), structure.tabular().parents(),
                          std::move(tables));
}

bool has_missing(const RowTable& table) {
    return std::ranges::any_of(table.codes, [](std::int32_t code) { return code < 0; });
}

}  // namespace

std::vector<std::vector<double>> tables_from_counts(const RowNetwork& structure,
                                                    std::span<const double> counts,
                                                    double equivalent_sample_size) {
    std::vector<std::vector<double>> tables;
    for (VariableId child = 0; child < structure.n_variables(); ++child) {
        const std::size_t size = structure.table(child).size();
        tables.push_back(smoothed(counts.subspan(structure.first_entry(child), size),
                                  structure.arity(child),
                                  share_of_prior(size, equivalent_sample_size)));
    }
    return tables;
}

double log_prior(const RowNetwork& network, double equivalent_sample_size) {
    if (equivalent_sample_size <= 0.0) return 0.0;
    double sum = 0.0;
    for (VariableId child = 0; child < network.n_variables(); ++child) {
        const auto logs = network.log_table(child);
        sum += share_of_prior(logs.size(), equivalent_sample_size) *
               std::accumulate(logs.begin(), logs.end(), 0.0);
    }
    return sum;
}

EstimatedNetwork estimate_network(const std::vector<std::uint32_t>& arities,
                                  const ParentLists& parents,
                                  std::span<const VariableId> elimination_order,
                                  const RowTable& table, std::span<const double> weights,
                                  const EstimationOptions& options, RunControl& control,
                                  const TabularNetwork* initial) {
    if (initial != nullptr && (initial->arities() != arities || initial->parents() != parents))
        throw std::invalid_argument("the initial network has another structure");
    const double prior = options.equivalent_sample_size;
    const auto counted = [&](double share) {
        const RowNetwork structure(uniform_network(arities, parents), elimination_order);
        const auto counts = complete_counts(structure, table, weights, options.limits, control);
        return with_tables(structure, tables_from_counts(structure, counts, share));
    };
    if (!has_missing(table)) return {counted(prior), {}, true};
    // Without an initial network, a first guess that rules nothing out.
    EstimatedNetwork result{
        initial != nullptr ? *initial : counted(std::max(prior, 1.0)), {}, false};
    const double total = weights.empty() ? static_cast<double>(table.n_rows)
                                         : std::accumulate(weights.begin(), weights.end(), 0.0);
    RepeatedCounts counts(table, weights, options.limits);
    for (std::size_t i = 0; i < options.max_iterations && !is_over(control); ++i) {
        const RowNetwork network(result.network, elimination_order);
        const auto expected = counts.count(network, control);
        if (is_over(control)) break;
        const double objective = expected.log_likelihood + log_prior(network, prior);
        const bool is_first = result.objectives.empty();
        const double gain = is_first ? 0.0 : objective - result.objectives.back();
        result.objectives.push_back(objective);
        result.has_converged = !is_first && gain < options.tolerance * total;
        if (result.has_converged) {
            result.log_likelihood = expected.log_likelihood;
            break;
        }
        result.network = with_tables(network, tables_from_counts(network, expected.counts, prior));
    }
    if (options.evaluates_last && !result.has_converged && !is_over(control)) {
        const RowNetwork network(result.network, elimination_order);
        const auto expected = counts.count(network, control);
        if (!is_over(control)) result.log_likelihood = expected.log_likelihood;
    }
    return result;
}

}  // namespace baytree
