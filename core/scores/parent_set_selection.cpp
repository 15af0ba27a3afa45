#include "scores/parent_set_selection.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace baytree {

namespace {

/// Scores of equal counts, summed in another order, differ in their last digits: a set must beat
/// its subsets by more than that.
bool exceeds(double score, double other) {
    constexpr double rounding = 1e-10;
    return std::isinf(other) ? score > other : score > other + rounding * std::abs(other);
}

/// Writes `set` and `variable` to `extended`, in order. The buffer spares an allocation a set.
void extend(VariableSpan set, VariableId variable, std::vector<VariableId>& extended) {
    const auto place = std::ranges::lower_bound(set, variable);
    extended.assign(set.begin(), place);
    extended.push_back(variable);
    extended.insert(extended.end(), place, set.end());
}

bool contains(VariableSpan set, VariableId variable) {
    return std::ranges::binary_search(set, variable);
}

}  // namespace

bool ParentSetSelection::LessPromising::operator()(const Extension& a,
                                                   const Extension& b) const noexcept {
    if (a.estimate != b.estimate) return a.estimate < b.estimate;
    return std::tie(a.base, a.group, a.position) > std::tie(b.base, b.group, b.position);
}

ParentSetSelection::ParentSetSelection(const FamilyScorer& scorer,
                                       std::span<const double> entropies, SelectionRequest request)
    : scorer_(scorer),
      entropies_(entropies),
      request_(std::move(request)),
      rank_of_(scorer.dataset().n_variables(), 0) {
    const Dataset& dataset = scorer_.dataset();
    // A variable with one state explains nothing and has nothing to explain.
    std::erase_if(request_.candidates, [&](VariableId variable) {
        return variable == request_.child || dataset.arity(variable) < 2 ||
               contains(request_.required, variable);
    });
    if (dataset.arity(request_.child) < 2) request_.candidates.clear();
    const auto is_complete = [&](VariableId variable) { return !dataset.has_missing(variable); };
    // With missing cells, scores of different sets speak of different rows, and no bound holds.
    has_bounds_ = is_complete(request_.child) &&
                  std::ranges::all_of(request_.candidates, is_complete) &&
                  std::ranges::all_of(request_.required, is_complete) &&
                  (scorer_.rule().is_penalised_likelihood() || dataset.has_integer_weights());
}

void ParentSetSelection::run(const std::function<bool()>& should_stop) {
    add(request_.required, evaluate(request_.required).score,
        -std::numeric_limits<double>::infinity());
    if (std::isinf(evaluated_.score(required_set)) ||
        request_.required.size() >= request_.max_parents)
        has_scored_single_parents_ = is_complete_ = true;
    else if (score_single_extensions(should_stop))
        score_queued(should_stop);
}

bool ParentSetSelection::score_single_extensions(const std::function<bool()>& should_stop) {
    const bool are_last = request_.max_parents == request_.required.size() + 1;
    const double to_beat = evaluated_.score(required_set);
    std::vector<Candidate> candidates;
    std::vector<std::pair<SetId, std::uint64_t>> singles;
    if (!are_last) evaluated_.reserve(request_.candidates.size());
    for (const VariableId variable : request_.candidates) {
        if (n_evaluated_ >= request_.max_evaluations || should_stop()) return false;
        extend(request_.required, variable, set_);
        const FamilyEvaluation evaluation = evaluate(set_);
        // Nobody will ask again for a set that is dominated and has no extensions.
        if (std::isinf(evaluation.score) || (are_last && !exceeds(evaluation.score, to_beat)))
            continue;
        const SetId id = add(set_, evaluation.score, to_beat);
        if (are_last) continue;
        singles.emplace_back(id, evaluation.n_configurations);
        candidates.push_back({variable, log_likelihood(id) - log_likelihood(required_set), 0});
    }
    has_scored_single_parents_ = true;
    group_by_arity(std::move(candidates));
    for (const auto& [id, n_configurations] : singles) queue_extensions(id, n_configurations);
    return true;
}

void ParentSetSelection::group_by_arity(std::vector<Candidate> candidates) {
    std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::gain);
    std::map<std::uint32_t, std::vector<Candidate>> of_arity;
    for (std::uint32_t rank = 0; rank < candidates.size(); ++rank) {
        Candidate& candidate = candidates[rank];
        candidate.rank = rank_of_[candidate.variable] = rank;
        of_arity[scorer_.dataset().arity(candidate.variable)].push_back(candidate);
    }
    for (auto& [arity, members] : of_arity)
        groups_.push_back({static_cast<double>(arity), std::move(members)});
}

void ParentSetSelection::score_queued(const std::function<bool()>& should_stop) {
    while (!queue_.empty()) {
        if (n_evaluated_ >= request_.max_evaluations || should_stop()) return;
        const Extension next = queue_.top();
        queue_.pop();
        queue(next.base, next.group, next.position + 1);
        const VariableId added = groups_[next.group].candidates[next.position].variable;
        const VariableSpan base = evaluated_.members(next.base);
        if (contains(base, added) || is_ruled_out(next)) continue;
        extend(base, added, set_);
        if (evaluated_.find(set_)) continue;
        const FamilyEvaluation evaluation = evaluate(set_);
        const SetId id = add(set_, evaluation.score, best_known_within_subsets(set_));
        queue_extensions(id, evaluation.n_configurations);
    }
    is_complete_ = true;
}

bool ParentSetSelection::is_ruled_out(const Extension& extension) const {
    if (!has_bounds_ || !scorer_.rule().is_penalised_likelihood()) return false;
    // Whatever else joins: the added variable raises the log-likelihood by at most its own entropy
    // and the penalty by at least what it costs here ([entropy-pruning]).
    const ArityGroup& group = groups_[extension.group];
    const VariableId added = group.candidates[extension.position].variable;
    return entropies_[added] <=
           scorer_.rule().added_penalty(shape(evaluated_.members(extension.base)), group.arity);
}

FamilyEvaluation ParentSetSelection::evaluate(VariableSpan set) {
    ++n_evaluated_;
    return scorer_.evaluate(request_.child, set, scratch_);
}

ParentSetSelection::SetId ParentSetSelection::add(VariableSpan set, double score,
                                                  double best_subset) {
    const SetId id = evaluated_.add(set, score, std::max(best_subset, score));
    if (exceeds(score, best_subset)) promising_.push_back(id);
    return id;
}

double ParentSetSelection::best_known_within_subsets(VariableSpan set) {
    double best = -std::numeric_limits<double>::infinity();
    for (const VariableId left_out : set) {
        if (contains(request_.required, left_out)) continue;
        subset_.clear();
        std::ranges::remove_copy(set, std::back_inserter(subset_), left_out);
        if (const auto known = evaluated_.find(subset_))
            best = std::max(best, evaluated_.best_within(*known));
    }
    return best;
}

void ParentSetSelection::queue_extensions(SetId base, std::uint64_t n_configurations) {
    const VariableSpan set = evaluated_.members(base);
    if (set.size() >= request_.max_parents || std::isinf(evaluated_.score(base))) return;
    const DecomposableScore& rule = scorer_.rule();
    const std::uint32_t child_arity = scorer_.dataset().arity(request_.child);
    const double penalty = rule.penalty(shape(set));
    const double best = evaluated_.best_within(base);
    // The first observation of a child in a configuration of its parents has probability 1 / arity
    // under BDeu and K2, and supersets have no fewer configurations ([de-campos-ji]).
    if (has_bounds_ && !rule.is_penalised_likelihood() &&
        -static_cast<double>(n_configurations) * std::log(child_arity) <= best)
        return;
    const bool is_single = set.size() == request_.required.size() + 1;
    const auto n_groups = static_cast<std::uint16_t>(groups_.size());
    for (std::uint16_t group = 0; group < n_groups; ++group) {
        // A log-likelihood is at most 0, and supersets pay at least this penalty ([de-campos-ji]).
        if (has_bounds_ && rule.is_penalised_likelihood() &&
            -(penalty + rule.added_penalty(shape(set), groups_[group].arity)) <= best)
            continue;
        queue(base, group, is_single ? first_after(set, group) : 0);
    }
}

std::uint32_t ParentSetSelection::first_after(VariableSpan single, std::uint16_t group) const {
    const auto added = std::ranges::find_if_not(
        single, [&](VariableId variable) { return contains(request_.required, variable); });
    const auto& candidates = groups_[group].candidates;
    const auto first = std::ranges::upper_bound(candidates, rank_of_[*added], {}, &Candidate::rank);
    return static_cast<std::uint32_t>(first - candidates.begin());
}

void ParentSetSelection::queue(SetId base, std::uint16_t group, std::uint32_t position) {
    const ArityGroup& extended_by = groups_[group];
    if (position >= extended_by.candidates.size()) return;
    const double added =
        scorer_.rule().added_penalty(shape(evaluated_.members(base)), extended_by.arity);
    queue_.push({evaluated_.score(base) + extended_by.candidates[position].gain - added, base,
                 position, group});
}

double ParentSetSelection::log_likelihood(SetId id) const {
    return evaluated_.score(id) + scorer_.rule().penalty(shape(evaluated_.members(id)));
}

ScoredParentSets
ParentSetSelection::undominated_sets(const std::function<bool()>& should_stop) const {
    std::vector<std::vector<SetId>> of_size(request_.max_parents + 1);
    for (const SetId id : promising_) of_size[evaluated_.members(id).size()].push_back(id);
    std::vector<SetId> kept{required_set};
    for (const std::vector<SetId>& ids : of_size)
        for (const SetId id : ids)
            if (id != required_set && (should_stop() || !is_dominated(id, kept)))
                kept.push_back(id);
    ScoredParentSets sets;
    std::size_t n_members = 0;
    for (const SetId id : kept) n_members += evaluated_.members(id).size();
    sets.reserve(kept.size(), n_members);
    for (const SetId id : kept) sets.add(evaluated_.score(id), evaluated_.members(id));
    sets.sort();
    return sets;
}

bool ParentSetSelection::is_dominated(SetId id, std::span<const SetId> kept) const {
    const VariableSpan set = evaluated_.members(id);
    const auto matches = [&](SetId other) {
        return !exceeds(evaluated_.score(id), evaluated_.score(other));
    };
    const std::size_t n_free = set.size() - request_.required.size();
    // A subset at least as good is kept or has a kept subset at least as good: looking at the kept
    // ones is enough, and cheaper where they are fewer than the subsets.
    if (n_free >= 20 || (std::size_t{1} << n_free) > kept.size())
        return std::ranges::any_of(kept, [&](SetId other) {
            return matches(other) && std::ranges::includes(set, evaluated_.members(other));
        });
    std::vector<VariableId> subset;
    for (std::size_t chosen = 0; chosen + 1 < (std::size_t{1} << n_free); ++chosen) {
        subset.clear();
        std::size_t n_seen = 0;
        for (const VariableId variable : set)
            if (contains(request_.required, variable) || ((chosen >> n_seen++) & 1U))
                subset.push_back(variable);
        const auto known = evaluated_.find(subset);
        if (known && matches(*known)) return true;
    }
    return false;
}

}  // namespace baytree
