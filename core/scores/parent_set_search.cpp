#include "scores/parent_set_search.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include "runtime/parallel_for.hpp"
#include "scores/parent_set_selection.hpp"

namespace baytree {

namespace {

constexpr unsigned checks_a_clock_reading = 8;

std::vector<VariableId> sorted(std::vector<VariableId> variables) {
    std::ranges::sort(variables);
    const auto repeats = std::ranges::unique(variables);
    variables.erase(repeats.begin(), repeats.end());
    return variables;
}

void check(const ArcConstraints& constraints, const ParentSetSearchOptions& options,
           std::size_t n_variables) {
    if (constraints.required.size() != n_variables || constraints.forbidden.size() != n_variables)
        throw std::invalid_argument("arc constraints must hold one list a variable");
    for (std::size_t child = 0; child < n_variables; ++child) {
        if (sorted(constraints.required[child]).size() > options.max_parents)
            throw std::invalid_argument("more required parents than max_parents");
        for (const auto* list : {&constraints.required[child], &constraints.forbidden[child]})
            for (const VariableId parent : *list)
                if (parent >= n_variables || parent == child)
                    throw std::invalid_argument("an arc constraint names no other variable");
    }
}

/// Candidate parents of `child` in an order of their own for every seed and child.
std::vector<VariableId> candidates_of(VariableId child, const ArcConstraints& constraints,
                                      std::uint64_t seed) {
    std::vector<VariableId> candidates(constraints.required.size());
    std::iota(candidates.begin(), candidates.end(), VariableId{0});
    const std::vector<VariableId> forbidden = sorted(constraints.forbidden[child]);
    std::erase_if(candidates, [&](VariableId variable) {
        return variable == child || std::ranges::binary_search(forbidden, variable);
    });
    if (seed == 0) return candidates;
    std::mt19937_64 random(seed + child);
    for (std::size_t i = candidates.size(); i > 1; --i)
        std::swap(candidates[i - 1], candidates[random() % i]);
    return candidates;
}

/// N times the entropy of every variable: what it could explain of any other, at most.
std::vector<double> entropies_of(const FamilyScorer& scorer) {
    const Dataset& dataset = scorer.dataset();
    std::vector<double> entropies(dataset.n_variables(), 0.0);
    if (!scorer.rule().is_penalised_likelihood()) return entropies;
    CountScratch scratch;
    for (VariableId variable = 0; variable < dataset.n_variables(); ++variable)
        entropies[variable] = -(scorer.evaluate(variable, {}, scratch).score +
                                scorer.rule().penalty(dataset.arity(variable), 1.0));
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

}  // namespace

ParentSetSearchResult search_parent_sets(const FamilyScorer& scorer,
                                         const ArcConstraints& constraints,
                                         const ParentSetSearchOptions& options,
                                         RunControl& control) {
    const std::size_t n_variables = scorer.dataset().n_variables();
    check(constraints, options, n_variables);
    const std::vector<double> entropies = entropies_of(scorer);
    std::vector<ScoredParentSets> sets(n_variables);
    std::vector<std::uint64_t> n_evaluated(n_variables);
    std::vector<std::uint8_t> is_complete(n_variables);
    TimeShares shares(control, n_variables, options.n_threads);
    control.set_total(n_variables);
    parallel_for(n_variables, options.n_threads, control, [&](std::size_t task) {
        const auto child = static_cast<VariableId>(task);
        ParentSetSelection selection(scorer, entropies,
                                     {child, sorted(constraints.required[child]),
                                      candidates_of(child, constraints, options.seed),
                                      options.max_parents, options.max_evaluations});
        const Clock::time_point deadline = shares.next_deadline();
        unsigned n_checks = 0;
        selection.run([&] {
            if (control.stop_requested()) return true;
            return control.has_deadline() && n_checks++ % checks_a_clock_reading == 0 &&
                   Clock::now() >= deadline;
        });
        sets[child] = selection.undominated_sets([&] { return control.stop_requested(); });
        n_evaluated[child] = selection.n_evaluated();
        is_complete[child] = selection.is_complete();
        control.add_done(1);
    });
    return {ParentSetCache(std::move(sets)), std::move(n_evaluated), std::move(is_complete)};
}

}  // namespace baytree
