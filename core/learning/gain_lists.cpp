#include "learning/gain_lists.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

using Gains = std::vector<SingleGain>;

void sort_first(Gains& gains, std::size_t n_sorted) {
    std::ranges::partial_sort(gains, gains.begin() + static_cast<std::ptrdiff_t>(n_sorted),
                              std::greater{}, &SingleGain::gain);
}

Gains highest_gains_of(VariableId child, const SingleGains& gains, const SearchProblem& problem,
                       std::size_t n_most) {
    Gains known;
    for (VariableId parent = 0; parent < gains.n_variables(); ++parent) {
        if (parent == child) continue;
        const double gain = gains.gain(parent, child);
        if (gain > unknown_gain && problem.allows(parent, child)) known.push_back({parent, gain});
    }
    const std::size_t n_kept = std::min(n_most, known.size());
    sort_first(known, n_kept);
    return {known.begin(), known.begin() + static_cast<std::ptrdiff_t>(n_kept)};
}

Gains gains_of(VariableId child, VariableSpan parents, const SearchProblem& problem) {
    Gains known;
    const double alone = problem.scores.score(child, {});
    for (const VariableId& parent : parents) {
        if (!problem.allows(parent, child)) continue;
        const double gain = problem.scores.score_once(child, {&parent, 1}) - alone;
        if (gain > unknown_gain) known.push_back({parent, gain});
    }
    sort_first(known, known.size());
    return known;
}

}  // namespace

GainLists highest_gains(const SingleGains& gains, const SearchProblem& problem, std::size_t n_most,
                        int n_threads, RunControl& control) {
    GainLists lists(gains.n_variables());
    parallel_for(lists.size(), n_threads, control, [&](std::size_t task) {
        if (is_over(control)) return;
        lists[task] = highest_gains_of(static_cast<VariableId>(task), gains, problem, n_most);
    });
    return lists;
}

ScoredLists scored_lists(const ParentLists& given, const SearchProblem& problem, int n_threads,
                         RunControl& control, Clock::time_point until) {
    GainLists lists(given.size());
    std::vector<std::size_t> n_unscored(given.size());
    parallel_for(given.size(), n_threads, control, [&](std::size_t task) {
        if (control.stop_requested() || is_over(control, until))
            n_unscored[task] = given[task].size();
        else
            lists[task] = gains_of(static_cast<VariableId>(task), given[task], problem);
    });
    return {std::move(lists), std::reduce(n_unscored.begin(), n_unscored.end())};
}

ParentLists promising_parents(const GainLists& lists, std::size_t n_least) {
    ParentLists promising(lists.size());
    for (VariableId child = 0; child < lists.size(); ++child)
        for (const SingleGain& single : lists[child])
            if (single.gain > 0.0 || promising[child].size() < n_least)
                promising[child].push_back(single.parent);
    return promising;
}

}  // namespace baytree
