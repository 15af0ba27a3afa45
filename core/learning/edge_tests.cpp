#include "learning/edge_tests.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "scores/log_gamma.hpp"

namespace baytree {

namespace {

constexpr std::size_t max_tabulated = 1U << 20;  // 8 MB of logarithms
constexpr double resolution = 1e-12;  // of N log N, the largest of the terms that are summed

std::vector<VariableId> with(std::vector<VariableId> members, VariableId variable) {
    members.insert(std::ranges::upper_bound(members, variable), variable);
    return members;
}

}  // namespace

EdgeTests::EdgeTests(const FamilyCounter& counter, bool has_code_lengths, bool phantom_state)
    : counter_(counter),
      has_code_lengths_(has_code_lengths),
      phantom_state_(phantom_state) {
    const double total = dataset().total_weight();
    resolution_ = std::exp2(std::ceil(std::log2(resolution * (total + 1) * std::log(total + 1))));
    n_log_n_.push_back(0.0);
    for (double n = 1.0; n <= total && n_log_n_.size() <= max_tabulated; ++n)
        n_log_n_.push_back(n * std::log(n));
    for (VariableId variable = 0; variable < n_variables(); ++variable)
        alone_.push_back(count_cells({&variable, 1}, scratch_));
}

template <class Count>
SetContent EdgeTests::content_of(const FamilyCounts<Count>& counts) const {
    double sum = 0.0;
    double log_factorials = 0.0;
    for (const Count cell : counts.cells) {
        if (!(cell > 0)) continue;
        const auto n = static_cast<double>(cell);
        const bool is_tabulated =
            std::is_integral_v<Count> && n < static_cast<double>(n_log_n_.size());
        sum += is_tabulated ? n_log_n_[static_cast<std::size_t>(cell)] : n * std::log(n);
        if (has_code_lengths_) log_factorials += log_gamma(n + 1.0);
    }
    const double total = dataset().total_weight();
    return {total * std::log(total) - sum,
            has_code_lengths_ ? log_gamma(total + 1.0) - log_factorials : 0.0};
}

SetContent EdgeTests::count_cells(VariableSpan members, CountScratch& scratch) const {
    return counter_.count(members.back(), members.first(members.size() - 1), scratch,
                          [&](const auto& counts) { return content_of(counts); });
}

const SetContent& EdgeTests::content_of_set(const std::vector<VariableId>& members) {
    if (members.size() == 1) return alone_[members.front()];
    const auto [place, is_new] = known_.try_emplace(members);
    if (is_new) place->second = count_cells(members, scratch_);
    return place->second;
}

EdgeTests::Sides EdgeTests::sides(VariableId a, VariableId b) const {
    return {{std::min(a, b), std::max(a, b)},
            {alone_[a].information + alone_[b].information,
             alone_[a].code_length + alone_[b].code_length}};
}

EdgeTests::Sides EdgeTests::sides(VariableId a, VariableId b,
                                  const std::vector<VariableId>& separator) {
    if (separator.empty()) return sides(a, b);
    const std::vector<VariableId> side_of_a = with(separator, a);
    const SetContent& of_a = content_of_set(side_of_a);
    const SetContent& of_b = content_of_set(with(separator, b));
    const SetContent& common = content_of_set(separator);
    return {with(side_of_a, b),
            {of_a.information + of_b.information - common.information,
             of_a.code_length + of_b.code_length - common.code_length}};
}

/// Equal counts in another order, as those of a variable and its negation, leave other rounding
/// errors in a sum. They must not decide between two edges, nor make a dependence of none.
double EdgeTests::round_off(double statistic) const {
    return std::round(statistic / resolution_) * resolution_;
}

EdgeStatistic EdgeTests::statistic(VariableId a, VariableId b, const Sides& sides,
                                   CountScratch& scratch) const {
    const SetContent together = count_cells(sides.clique, scratch);
    double degrees = (arity(a) - 1.0) * (arity(b) - 1.0);
    for (const VariableId variable : sides.clique)
        if (variable != a && variable != b) degrees *= arity(variable);
    return {round_off(2.0 * (sides.apart.information - together.information)), degrees,
            round_off(together.code_length - sides.apart.code_length)};
}

}  // namespace baytree
