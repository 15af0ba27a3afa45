#include "scores/decomposable_score.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "scores/log_gamma.hpp"

namespace baytree {

namespace {

constexpr std::array<std::pair<std::string_view, ScoreKind>, 6> kind_names{{
    {"bic", ScoreKind::bic},
    {"aic", ScoreKind::aic},
    {"ebic", ScoreKind::ebic},
    {"bdeu", ScoreKind::bdeu},
    {"k2", ScoreKind::k2},
    {"log-likelihood", ScoreKind::log_likelihood},
}};

constexpr std::size_t max_tabulated = 1U << 20;  // 8 MB of logarithms

/// log of x (x + 1) ... (x + n - 1), the factor that n observations add to a Dirichlet integral.
template <class Count>
double log_rising_factorial(double x, Count n) {
    const auto count = static_cast<double>(n);
    if (x > 1e4)  // the difference of two Stirling series, whose large terms would cancel
        return (x - 0.5) * std::log1p(count / x) + count * (std::log(x + count) - 1.0) +
               (1.0 / (x + count) - 1.0 / x) / 12.0;
    if constexpr (std::is_integral_v<Count>) {
        if (n <= 12) {
            double product = 1.0;
            for (Count i = 0; i < n; ++i) product *= x + i;
            return std::log(product);
        }
    }
    return log_gamma(x + count) - log_gamma(x);
}

/// Sums of one pass over a family's counts.
struct Sums {
    double score = 0.0;
    double n_rows = 0.0;
    std::uint64_t n_configurations = 0;
};

/// Adds `of_cell(count)` for every occurring cell and subtracts `of_row_sum(sum)` for every
/// occurring configuration.
template <class Count, class OfCell, class OfRowSum>
Sums sum_over(const FamilyCounts<Count>& counts, OfCell&& of_cell, OfRowSum&& of_row_sum) {
    Sums sums;
    counts.for_each_configuration([&](std::span<const Count> cells) {
        Count row_sum = 0;
        double score = 0.0;
        for (const Count cell : cells) {
            if (!(cell > 0)) continue;
            row_sum += cell;
            score += of_cell(cell);
        }
        if (!(row_sum > 0)) return;
        sums.score += score - of_row_sum(row_sum);
        sums.n_rows += static_cast<double>(row_sum);
        ++sums.n_configurations;
    });
    return sums;
}

/// The same for one term that is 0 at 0, without branches. Each configuration is closed by itself,
/// so that one in which the child has a single state adds exactly 0.
template <class Term>
Sums sum_of_terms(const FamilyCounts<std::uint32_t>& counts, Term&& term) {
    Sums sums;
    std::uint64_t n_rows = 0;
    counts.for_each_configuration([&](std::span<const std::uint32_t> cells) {
        std::uint32_t row_sum = 0;
        double score = 0.0;
        for (const std::uint32_t cell : cells) {
            row_sum += cell;
            score += term(cell);
        }
        sums.score += score - term(row_sum);
        n_rows += row_sum;
        sums.n_configurations += row_sum > 0 ? 1 : 0;
    });
    sums.n_rows = static_cast<double>(n_rows);
    return sums;
}

}  // namespace

ScoreKind score_kind_named(std::string_view name) {
    for (const auto& [known, kind] : kind_names)
        if (known == name) return kind;
    throw std::invalid_argument("unknown score '" + std::string(name) + "'");
}

DecomposableScore::DecomposableScore(const ScoreOptions& options, double total_weight,
                                     std::size_t n_variables)
    : options_(options) {
    if (options.kind == ScoreKind::bdeu && !(options.equivalent_sample_size > 0.0))
        throw std::invalid_argument("equivalent_sample_size must be positive");
    if (options.kind == ScoreKind::bic || options.kind == ScoreKind::ebic)
        penalty_a_parameter_ = std::log(total_weight) / 2.0;
    if (options.kind == ScoreKind::aic) penalty_a_parameter_ = 1.0;
    if (options.kind == ScoreKind::ebic && n_variables > 1)
        penalty_an_arc_ = std::log(static_cast<double>(n_variables));
    if (!is_penalised_likelihood()) return;
    n_log_n_.push_back(0.0);
    const auto last = static_cast<std::size_t>(std::min<double>(total_weight, max_tabulated));
    for (std::size_t n = 1; n <= last; ++n) n_log_n_.push_back(n_log_n(static_cast<double>(n)));
}

double DecomposableScore::n_log_n(std::uint32_t n) const noexcept {
    return n < n_log_n_.size() ? n_log_n_[n] : n_log_n(static_cast<double>(n));
}

double DecomposableScore::n_log_n(double n) const noexcept { return n * std::log(n); }

template <class Count>
FamilyEvaluation DecomposableScore::evaluate(const FamilyCounts<Count>& counts,
                                             const FamilyShape& family) const {
    constexpr double impossible = -std::numeric_limits<double>::infinity();
    if (!std::isfinite(family.n_parent_states)) return {impossible, 0, 0.0};
    Sums sums;
    if (is_penalised_likelihood()) {
        const auto term = [this](Count n) { return n_log_n(n); };
        if constexpr (std::is_integral_v<Count>)
            sums = sum_of_terms(counts, term);
        else
            sums = sum_over(counts, term, term);
        sums.score -= penalty(family);
    } else {
        const double prior = options_.kind == ScoreKind::k2
                                 ? family.child_arity
                                 : options_.equivalent_sample_size / family.n_parent_states;
        const double prior_of_state = prior / family.child_arity;
        sums = sum_over(
            counts, [&](Count n) { return log_rising_factorial(prior_of_state, n); },
            [&](Count n) { return log_rising_factorial(prior, n); });
    }
    if (sums.n_configurations == 0) sums.score = impossible;
    return {sums.score, sums.n_configurations, sums.n_rows};
}

template FamilyEvaluation DecomposableScore::evaluate(const FamilyCounts<std::uint32_t>&,
                                                      const FamilyShape&) const;
template FamilyEvaluation DecomposableScore::evaluate(const FamilyCounts<double>&,
                                                      const FamilyShape&) const;

}  // namespace baytree
