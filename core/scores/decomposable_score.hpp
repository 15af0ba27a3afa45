#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/family_counter.hpp"

namespace baytree {

enum class ScoreKind { bic, aic, ebic, bdeu, k2, log_likelihood };

/// Throws std::invalid_argument for an unknown name.
ScoreKind score_kind_named(std::string_view name);

struct ScoreOptions {
    ScoreKind kind = ScoreKind::bic;
    double equivalent_sample_size = 1.0;  // BDeu only
};

/// What a penalty depends on.
struct FamilyShape {
    std::uint32_t child_arity;
    std::size_t n_parents;
    double n_parent_states;  // product of the arities, whether they occur together or not
};

/// What one look at a family's counts gives.
struct FamilyEvaluation {
    double score;
    std::uint64_t n_configurations;  // of the parents, that occur
    double n_rows;                   // total weight of the rows that were counted
};

/// A score that is a sum over families; natural logarithms. Sources: docs/references.md, keys
/// [bic], [ebic], [bdeu], [k2].
class DecomposableScore {
public:
    /// `total_weight` is the N of the whole table; `n_variables` is for EBIC.
    DecomposableScore(const ScoreOptions& options, double total_weight, std::size_t n_variables);

    /// Score of the counted rows; the penalty is that of the whole table. Minus infinity if there
    /// is no row, or more configurations than a double can tell.
    template <class Count>
    FamilyEvaluation evaluate(const FamilyCounts<Count>& counts, const FamilyShape& family) const;

    /// What the score subtracts from the log-likelihood: 0 unless it is a penalised likelihood.
    double penalty(const FamilyShape& family) const noexcept {
        return penalty_of_parameters(family) +
               penalty_an_arc_ * static_cast<double>(family.n_parents);
    }

    /// What one parent more, with so many states, adds to the penalty.
    double added_penalty(const FamilyShape& family, double arity) const noexcept {
        return (arity - 1.0) * penalty_of_parameters(family) + penalty_an_arc_;
    }

    /// Whether the score is log-likelihood minus `penalty` (BIC, AIC, EBIC, log-likelihood).
    bool is_penalised_likelihood() const noexcept {
        return options_.kind != ScoreKind::bdeu && options_.kind != ScoreKind::k2;
    }

    /// Whether networks that say the same score the same (all but K2).
    bool is_score_equivalent() const noexcept { return options_.kind != ScoreKind::k2; }

private:
    double penalty_of_parameters(const FamilyShape& family) const noexcept {
        return penalty_a_parameter_ > 0.0
                   ? penalty_a_parameter_ * (family.child_arity - 1.0) * family.n_parent_states
                   : 0.0;
    }
    double n_log_n(std::uint32_t n) const noexcept;
    double n_log_n(double n) const noexcept;

    ScoreOptions options_;
    double penalty_a_parameter_ = 0.0;
    double penalty_an_arc_ = 0.0;
    std::vector<double> n_log_n_;  // of the smaller whole numbers
};

}  // namespace baytree
