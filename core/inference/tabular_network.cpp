#include "inference/tabular_network.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace baytree {

namespace {

constexpr double tolerance = 1e-6;

bool are_parents(VariableSpan parents, VariableId child, std::size_t n_variables) {
    const bool is_ascending =
        std::ranges::adjacent_find(parents, std::ranges::greater_equal{}) == parents.end();
    return is_ascending && std::ranges::find(parents, child) == parents.end() &&
           (parents.empty() || parents.back() < n_variables);
}

bool is_distribution(std::span<const double> probabilities) {
    const auto is_probability = [](double p) { return p >= 0.0 && std::isfinite(p); };
    const double sum = std::reduce(probabilities.begin(), probabilities.end());
    return std::ranges::all_of(probabilities, is_probability) && std::abs(sum - 1.0) <= tolerance;
}

void check_table(std::span<const double> table, std::size_t n_configurations, std::size_t arity) {
    if (table.size() != n_configurations * arity)
        throw std::invalid_argument("a table has a wrong number of entries");
    for (std::size_t i = 0; i < n_configurations; ++i)
        if (!is_distribution(table.subspan(i * arity, arity)))
            throw std::invalid_argument("a row of a table is no distribution");
}

}  // namespace

TabularNetwork::TabularNetwork(std::vector<std::uint32_t> arities, ParentLists parents,
                               std::vector<std::vector<double>> tables)
    : arities_(std::move(arities)),
      parents_(std::move(parents)),
      tables_(std::move(tables)) {
    if (parents_.size() != arities_.size() || tables_.size() != arities_.size())
        throw std::invalid_argument("arities, parents and tables must be equally many");
    if (std::ranges::find(arities_, 0U) != arities_.end())
        throw std::invalid_argument("a variable has no states");
    for (VariableId child = 0; child < n_variables(); ++child) {
        if (!are_parents(parents_[child], child, n_variables()))
            throw std::invalid_argument("parents must be ascending and other variables");
        double n_configurations = 1.0;
        for (const VariableId parent : parents_[child]) n_configurations *= arities_[parent];
        if (n_configurations > static_cast<double>(tables_[child].size()))
            throw std::invalid_argument("a table has a wrong number of entries");
        check_table(tables_[child], static_cast<std::size_t>(n_configurations), arities_[child]);
    }
    auto order = baytree::topological_order(parents_);
    if (!order) throw std::invalid_argument("the arcs form a cycle");
    order_ = std::move(*order);
    for (const auto& table : tables_)
        has_zeros_.push_back(std::ranges::find(table, 0.0) != table.end());
    has_any_zero_ = std::ranges::find(has_zeros_, 1) != has_zeros_.end();
}

}  // namespace baytree
