#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/family_counter.hpp"

namespace baytree {

enum class ScoreKind { bic, aic, bdeu, k2, log_likelihood };

/// Throws std::invalid_argument for an unknown name.
ScoreKind score_kind_named(std::string_view name);

struct ScoreOptions {
    ScoreKind kind = ScoreKind::bic;
    double equivalent_sample_size = 1.0;  // BDeu only
};

/// What one look at a family's counts gives.
struct FamilyEvaluation {
    double score;
    std::uint64_t n_configurations;  // of the parents, that occur
};

/// A score that is a sum over families; natural logarithms. Sources: docs/references.md, keys
/// [bic], [bdeu], [k2]; families with gaps: [node-average].
class DecomposableScore {
public:
    /// `total_weight` is the N of the whole table.
    DecomposableScore(const ScoreOptions& options, double total_weight);

    ScoreKind kind() const noexcept { return options_.kind; }

    /// Score of a family whose parents have `n_parent_states` configurations, occurring or not.
    /// Where only n < N rows have the family observed, the score of those rows is scaled by N / n
    /// while the penalty keeps the N of the table, so that a close fit to few rows does not pay; no
    /// row at all scores minus infinity.
    template <class Count>
    FamilyEvaluation evaluate(const FamilyCounts<Count>& counts, std::uint32_t child_arity,
                              double n_parent_states) const;

    /// What the score subtracts from the log-likelihood: 0 unless it is a penalised likelihood.
    double penalty(std::uint32_t child_arity, double n_parent_states) const noexcept {
        return penalty_a_parameter_ * (child_arity - 1.0) * n_parent_states;
    }

    /// Whether the score is log-likelihood minus `penalty` (BIC, AIC, log-likelihood).
    bool is_penalised_likelihood() const noexcept {
        return options_.kind != ScoreKind::bdeu && options_.kind != ScoreKind::k2;
    }

private:
    double n_log_n(std::uint32_t n) const noexcept;
    double n_log_n(double n) const noexcept;

    ScoreOptions options_;
    double total_weight_;
    double penalty_a_parameter_ = 0.0;
    std::vector<double> n_log_n_;  // of the smaller whole numbers
};

}  // namespace baytree
