#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/family_counter.hpp"
#include "scores/decomposable_score.hpp"
#include "scores/family_score_table.hpp"
#include "scores/family_scores.hpp"

namespace baytree {

/// Scores families of a dataset on demand. All functions may be called from several threads.
class FamilyScorer final : public FamilyScores {
public:
    static constexpr std::size_t default_table_entries = 1U << 20;

    /// `dataset` must outlive the scorer.
    FamilyScorer(const Dataset& dataset, const ScoreOptions& options,
                 InstructionSet instructions = best_instruction_set(),
                 std::size_t n_table_entries = default_table_entries, int n_threads = 1);
    /// Scores as another scorer does, whose rows were the same but for the cells of the `changed`
    /// variables, and goes on with what that one remembers of the others. Throws
    /// std::invalid_argument if the rows cannot be the same.
    FamilyScorer(const Dataset& dataset, const FamilyScorer& before, VariableSpan changed,
                 int n_threads = 1);

    std::size_t n_variables() const noexcept override { return dataset().n_variables(); }
    const Dataset& dataset() const noexcept { return counter_.dataset(); }
    const Dataset* rows() const noexcept override { return &dataset(); }
    const FamilyCounter& counter() const noexcept { return counter_; }
    const DecomposableScore& rule() const noexcept { return rule_; }

    /// Also with missing cells: both directions speak of the same rows.
    bool has_symmetric_gains() const noexcept override { return rule_.is_score_equivalent(); }

    /// Score of `child` with `parents` (ascending, `child` not among them), remembered for the next
    /// time. Where cells of the family are missing, only n of the N rows have it whole: the score
    /// is that of the child alone plus N / n times what the parents add on those rows. As both
    /// sides of the difference speak of the same rows, missing cells are not rewarded
    /// ([node-average], but with a common baseline). Minus infinity if there is no such row.
    double score(VariableId child, VariableSpan parents) const override;
    /// Single parents are remembered too, if there is room for all pairs of variables, and so many
    /// rows that counting them takes longer than looking up.
    double score_once(VariableId child, VariableSpan parents) const override;
    double seconds(VariableId child, VariableSpan parents) const noexcept override {
        return counter_.seconds(child, parents);
    }
    void announce(VariableId child, VariableSpan parents) const noexcept override {
        known_->prefetch(family_digest(child, parents, versions_));
    }

    /// The same, always counted afresh and never remembered.
    FamilyEvaluation evaluate(VariableId child, VariableSpan parents, CountScratch& scratch,
                              CountingMethod method = CountingMethod::automatic) const;

    /// Scores of many families with equally many parents, counted one after the other as `evaluate`
    /// does; `parents` holds `n_parents` ascending variables a child.
    std::vector<double> evaluate_all(std::span<const VariableId> children,
                                     std::span<const VariableId> parents, std::size_t n_parents,
                                     CountingMethod method = CountingMethod::automatic) const;

    FamilyShape shape(VariableId child, VariableSpan parents) const noexcept;

private:
    FamilyEvaluation evaluate_incomplete(VariableId child, VariableSpan parents,
                                         CountScratch& scratch, CountingMethod method) const;

    void score_all_alone(int n_threads);
    double counted_score(VariableId child, VariableSpan parents) const;

    FamilyCounter counter_;
    DecomposableScore rule_;
    std::shared_ptr<FamilyScoreTable> known_;
    std::vector<std::uint32_t> versions_;  // of the data of each variable; empty: all 0
    std::vector<double> score_alone_;      // of every variable, where any has missing cells
};

}  // namespace baytree
