#include "scores/parent_set_search.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include "runtime/parallel_for.hpp"
#include "scores/parent_set_selection.hpp"

namespace baytree {

namespace {

constexpr unsigned checks_a_clock_reading = 8;

void check(const ArcConstraints& constraints, const ParentSetSearchOptions& options,
           std::size_t n_variables) {
    check_constraints(constraints, n_variables);
    for (const auto& required : constraints.required)
        if (required.size() > options.max_parents)
            throw std::invalid_argument("more required parents than max_parents");
}

/// Candidate parents of `child` in an order of their own for every seed and child.
std::vector<VariableId> candidates_of(VariableId child, const ArcConstraints& constraints,
                                      std::uint64_t seed) {
    std::vector<VariableId> candidates(constraints.required.size());
    std::iota(candidates.begin(), candidates.end(), VariableId{0});
    std::erase_if(candidates, [&](VariableId variable) {
        return variable == child || !constraints.allows(variable, child);
    });
    if (seed == 0) return candidates;
    std::mt19937_64 random(seed + child);
    for (std::size_t i = candidates.size(); i > 1; --i)
        std::swap(candidates[i - 1], candidates[random() % i]);
    return candidates;
}

/// N times the entropy of every variable: what it could explain of any other, at most.
std::vector<double> entropies_of(const FamilyScorer& scorer, int n_threads) {
    const Dataset& dataset = scorer.dataset();
    std::vector<double> entropies(dataset.n_variables(), 0.0);
    if (!scorer.rule().is_penalised_likelihood()) return entropies;
    parallel_for(dataset.n_variables(), n_threads, [&](std::size_t task) {
        const auto variable = static_cast<VariableId>(task);
        CountScratch scratch;
        entropies[variable] = -(scorer.evaluate(variable, {}, scratch).score +
                                scorer.rule().penalty(scorer.shape(variable, {})));
    });
    return entropies;
}

/// Hands out equal shares of the time left.
class TimeShares {
public:
    TimeShares(const RunControl& control, std::size_t n_tasks, int n_threads)
        : control_(control),
          n_waiting_(n_tasks),
          n_threads_(static_cast<std::size_t>(std::max(1, n_threads))) {}

    Clock::time_point next_deadline() {
        const std::size_t n_waiting = n_waiting_--;
        if (!control_.has_deadline()) return Clock::time_point::max();
        const auto now = Clock::now();
        const auto left = std::max(control_.deadline() - now, Clock::duration::zero());
        const auto n_rounds = static_cast<Clock::rep>((n_waiting + n_threads_ - 1) / n_threads_);
        return now + left / n_rounds;
    }

private:
    const RunControl& control_;
    std::atomic<std::size_t> n_waiting_;
    std::size_t n_threads_;
};

/// The search of one table, in two passes over the variables.
class Search {
public:
    Search(const FamilyScorer& scorer, const ArcConstraints& constraints,
           const ParentSetSearchOptions& options, RunControl& control)
        : scorer_(scorer),
          constraints_(constraints),
          options_(options),
          control_(control),
          entropies_(entropies_of(scorer, options.n_threads)),
          seconds_(constraints.required.size()),
          sets_(constraints.required.size()),
          n_evaluated_(constraints.required.size()),
          is_complete_(constraints.required.size()) {
        options_.max_parents = std::min(options.max_parents, n_variables());
        control_.set_total(n_variables());
    }

    void add_single_parents() {
        parallel_for(n_variables(), options_.n_threads, control_, [this](std::size_t task) {
            const auto child = static_cast<VariableId>(task);
            const std::size_t depth =
                std::min(options_.max_parents, constraints_.required[child].size() + 1);
            ParentSetSelection selection = selection_of(child, depth);
            const auto begun = Clock::now();
            selection.run(stop_at(control_.deadline()));
            seconds_[child] = std::chrono::duration<double>(Clock::now() - begun).count();
            take(child, selection);
            if (is_at_full_depth(child)) control_.add_done(1);
        });
    }

    void add_larger_sets() {
        std::vector<VariableId> children;
        for (VariableId child = 0; child < n_variables(); ++child)
            if (!is_at_full_depth(child)) children.push_back(child);
        // The longest first, as far as single parents tell, so that threads end together.
        std::ranges::stable_sort(children, std::ranges::greater{},
                                 [this](VariableId child) { return seconds_[child]; });
        TimeShares shares(control_, children.size(), options_.n_threads);
        parallel_for(children.size(), options_.n_threads, control_, [&](std::size_t task) {
            if (control_.stop_requested()) return;  // what the first pass found stays
            const VariableId child = children[task];
            ParentSetSelection selection = selection_of(child, options_.max_parents);
            selection.run(stop_at(shares.next_deadline()));
            // Stopped before that, it knows less than the first pass did.
            if (selection.has_scored_single_parents()) take(child, selection);
            control_.add_done(1);
        });
    }

    ParentSetSearchResult result() && {
        return {ParentSetCache(std::move(sets_)), std::move(n_evaluated_), std::move(is_complete_)};
    }

private:
    std::size_t n_variables() const { return constraints_.required.size(); }

    bool is_at_full_depth(VariableId child) const {
        return options_.max_parents <= constraints_.required[child].size() + 1;
    }

    ParentSetSelection selection_of(VariableId child, std::size_t max_parents) const {
        return {scorer_,
                entropies_,
                {child, constraints_.required[child],
                 candidates_of(child, constraints_, options_.seed), max_parents,
                 options_.max_evaluations}};
    }

    std::function<bool()> stop_at(Clock::time_point deadline) const {
        return [this, deadline, n_checks = 0U]() mutable {
            if (control_.stop_requested()) return true;
            return control_.has_deadline() && n_checks++ % checks_a_clock_reading == 0 &&
                   Clock::now() >= deadline;
        };
    }

    void take(VariableId child, const ParentSetSelection& selection) {
        sets_[child] = selection.undominated_sets([this] {
            return control_.stop_requested() ||
                   (control_.has_deadline() && Clock::now() >= control_.deadline());
        });
        n_evaluated_[child] = selection.n_evaluated();
        is_complete_[child] =
            selection.is_complete() && selection.max_parents() == options_.max_parents;
    }

    const FamilyScorer& scorer_;
    const ArcConstraints& constraints_;
    ParentSetSearchOptions options_;
    RunControl& control_;
    std::vector<double> entropies_;
    std::vector<double> seconds_;  // of the search for single parents, by child
    std::vector<ScoredParentSets> sets_;
    std::vector<std::uint64_t> n_evaluated_;
    std::vector<std::uint8_t> is_complete_;
};

}  // namespace

ParentSetSearchResult search_parent_sets(const FamilyScorer& scorer,
                                         const ArcConstraints& constraints,
                                         const ParentSetSearchOptions& options,
                                         RunControl& control) {
    check(constraints, options, scorer.dataset().n_variables());
    Search search(scorer, constraints, options, control);
    search.add_single_parents();
    search.add_larger_sets();
    return std::move(search).result();
}

}  // namespace baytree
