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
    double n_rows;                   // total weight of the rows that were counted
};

/// A score that is a sum over families; natural logarithms. Sources: docs/references.md, keys
/// [bic], [bdeu], [k2].
class DecomposableScore {
public:
    /// `total_weight` is the N of the whole table.
    DecomposableScore(const ScoreOptions& options, double total_weight);

    /// Score of the counted rows for a family whose parents have `n_parent_states` configurations,
    /// occurring or not; the penalty is that of the whole table. Minus infinity if there is no row,
    /// or more configurations than a double can tell.
    template <class Count>
    FamilyEvaluation evaluate(const FamilyCounts<Count>& counts, std::uint32_t child_arity,
                              double n_parent_states) const;

    /// What the score subtracts from the log-likelihood: 0 unless it is a penalised likelihood.
    double penalty(std::uint32_t child_arity, double n_parent_states) const noexcept {
        return penalty_a_parameter_ > 0.0
                   ? penalty_a_parameter_ * (child_arity - 1.0) * n_parent_states
                   : 0.0;
    }

    /// Whether the score is log-likelihood minus `penalty` (BIC, AIC, log-likelihood).
    bool is_penalised_likelihood() const noexcept {
        return options_.kind != ScoreKind::bdeu && options_.kind != ScoreKind::k2;
    }

    /// Whether networks that say the same score the same (all but K2).
    bool is_score_equivalent() const noexcept { return options_.kind != ScoreKind::k2; }

private:
    double n_log_n(std::uint32_t n) const noexcept;
    double n_log_n(double n) const noexcept;

    ScoreOptions options_;
    double penalty_a_parameter_ = 0.0;
    std::vector<double> n_log_n_;  // of the smaller whole numbers
};

}  // namespace baytree
