#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "data/variable.hpp"
#include "scores/evaluated_sets.hpp"
#include "scores/family_scorer.hpp"
#include "scores/parent_set_cache.hpp"

namespace baytree {

/// What is asked of the parent sets of one child.
struct SelectionRequest {
    VariableId child;
    std::vector<VariableId> required;    // sorted; in every set
    std::vector<VariableId> candidates;  // allowed beside the required ones; the order decides ties
    std::size_t max_parents;
    std::uint64_t max_evaluations;
};

/// Independence selection for one child ([independence-selection]): the required set and its
/// one-parent extensions are scored first; then extensions of scored sets are scored in the order
/// of an estimate that takes their two parts for independent given the child (BIC* for BIC).
///
/// The queue holds one entry per scored set and arity, not one per extension: among candidates of
/// equal arity the estimate falls with their own score, so the next best extension of a set is
/// known without listing the others. The order is the same as with all of them in the queue.
class ParentSetSelection {
public:
    /// `entropies[v]` is N times the entropy of variable v, for the bounds.
    ParentSetSelection(const FamilyScorer& scorer, std::span<const double> entropies,
                       SelectionRequest request);

    /// Scores sets until all are scored or ruled out, the budget is spent or `should_stop` says so
    /// (asked before every set but the first). Call it once.
    void run(const std::function<bool()>& should_stop);

    /// The scored sets that no scored subset of theirs matches or beats, best first and among equal
    /// scores the smaller first. Once `should_stop` says so, the rest is only held against the
    /// subsets scored before it.
    ScoredParentSets undominated_sets(const std::function<bool()>& should_stop) const;

    std::uint64_t n_evaluated() const noexcept { return n_evaluated_; }

    std::size_t max_parents() const noexcept { return request_.max_parents; }

    /// Whether every set was scored or ruled out.
    bool is_complete() const noexcept { return is_complete_; }

    /// Whether at least the one-parent extensions of the required set were.
    bool has_scored_single_parents() const noexcept { return has_scored_single_parents_; }

private:
    using SetId = EvaluatedSets::Id;
    static constexpr SetId required_set = 0;  // the first to be scored

    struct Candidate {
        VariableId variable;
        double gain;  // in log-likelihood over the required set (in score, for other scores)
        std::uint32_t rank;
    };
    struct ArityGroup {
        double arity;
        std::vector<Candidate> candidates;  // best first
    };
    /// The extension of `base` by one candidate, and a promise of those after it in the group.
    struct Extension {
        double estimate;
        SetId base;
        std::uint32_t position;
        std::uint16_t group;
    };
    struct LessPromising {
        bool operator()(const Extension& a, const Extension& b) const noexcept;
    };

    bool score_single_extensions(const std::function<bool()>& should_stop);
    void group_by_arity(std::vector<Candidate> candidates);
    void score_queued(const std::function<bool()>& should_stop);
    bool is_ruled_out(const Extension& extension) const;
    FamilyEvaluation evaluate(VariableSpan set);
    FamilyShape shape(VariableSpan set) const noexcept {
        return scorer_.shape(request_.child, set);
    }
    /// Stores a scored set; `best_subset` is the best score known among its subsets.
    SetId add(VariableSpan set, double score, double best_subset);
    double best_known_within_subsets(VariableSpan set);
    void queue_extensions(SetId base, std::uint64_t n_configurations);
    /// Where the group's candidates after that of a one-parent extension begin: a pair is queued
    /// from its better half only.
    std::uint32_t first_after(VariableSpan single, std::uint16_t group) const;
    void queue(SetId base, std::uint16_t group, std::uint32_t position);
    double log_likelihood(SetId id) const;
    bool is_dominated(SetId id, std::span<const SetId> kept) const;

    const FamilyScorer& scorer_;
    std::span<const double> entropies_;
    SelectionRequest request_;
    bool has_bounds_;
    bool is_complete_ = false;
    bool has_scored_single_parents_ = false;
    std::uint64_t n_evaluated_ = 0;
    CountScratch scratch_;
    std::vector<VariableId> set_;     // being scored
    std::vector<VariableId> subset_;  // of it
    EvaluatedSets evaluated_;
    std::vector<SetId> promising_;  // better than every subset known when they were scored
    std::vector<ArityGroup> groups_;
    std::vector<std::uint32_t> rank_of_;  // by variable, of candidates
    std::priority_queue<Extension, std::vector<Extension>, LessPromising> queue_;
};

}  // namespace baytree
