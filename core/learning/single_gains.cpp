#include "learning/single_gains.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <span>

#include "runtime/parallel_for.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

namespace {

constexpr double unknown = -std::numeric_limits<double>::infinity();
constexpr std::size_t pairs_a_clock_reading = 64;

}  // namespace

SingleGains::SingleGains(const FamilyScores& scores, int n_threads, RunControl& control,
                         Clock::time_point until)
    : n_variables_(scores.n_variables()),
      is_symmetric_(scores.is_score_equivalent()) {
    gains_.assign(is_symmetric_ ? n_variables_ * (n_variables_ - 1) / 2
                                : n_variables_ * n_variables_,
                  unknown);
    // The last children have the most pairs of a triangle: they go first, so that threads end
    // together.
    parallel_for(n_variables_, n_threads, control, [&](std::size_t task) {
        const auto child = static_cast<VariableId>(n_variables_ - 1 - task);
        const double alone = scores.score(child, {});
        const std::size_t end = is_symmetric_ ? child : n_variables_;
        for (VariableId parent = 0; parent < end; ++parent) {
            if (control.stop_requested()) return;
            if (parent % pairs_a_clock_reading == 0 && is_over(control, until)) return;
            if (parent == child) continue;
            const std::array<VariableId, 1> parents{parent};
            gains_[place(parent, child)] = scores.score_once(child, parents) - alone;
        }
    });
}

std::size_t SingleGains::n_unknown() const {
    const auto n_unknown = static_cast<std::size_t>(std::ranges::count(gains_, unknown));
    return is_symmetric_ ? n_unknown : n_unknown - n_variables_;  // no variable is its own parent
}

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
        if (gain > unknown && problem.allows(parent, child)) known.push_back({parent, child, gain});
    }
    const std::size_t n_kept = std::min(n_most, known.size());
    sort_first(known, n_kept);
    return {known.begin(), known.begin() + static_cast<std::ptrdiff_t>(n_kept)};
}

Gains gains_again(std::span<const SingleGain> list, VariableId child,
                  const SearchProblem& problem) {
    Gains known;
    const double alone = problem.scores.score(child, {});
    for (const SingleGain& pair : list) {
        if (!problem.allows(pair.parent, child)) continue;
        const double gain = problem.scores.score_once(child, {&pair.parent, 1}) - alone;
        if (gain > unknown) known.push_back({pair.parent, child, gain});
    }
    sort_first(known, known.size());
    return known;
}

/// Fills a list a child; those after a stop stay empty.
template <class ListOf>
GainLists lists_of(std::size_t n_variables, int n_threads, RunControl& control, ListOf&& list_of) {
    GainLists lists(n_variables);
    parallel_for(n_variables, n_threads, control, [&](std::size_t task) {
        if (is_over(control)) return;
        lists[task] = list_of(static_cast<VariableId>(task));
    });
    return lists;
}

}  // namespace

GainLists highest_gains(const SingleGains& gains, const SearchProblem& problem, std::size_t n_most,
                        int n_threads, RunControl& control) {
    return lists_of(gains.n_variables(), n_threads, control, [&](VariableId child) {
        return highest_gains_of(child, gains, problem, n_most);
    });
}

GainLists scored_again(const GainLists& lists, const SearchProblem& problem, int n_threads,
                       RunControl& control) {
    return lists_of(lists.size(), n_threads, control,
                    [&](VariableId child) { return gains_again(lists[child], child, problem); });
}

ParentLists likely_parents(const GainLists& lists, std::size_t n_least) {
    ParentLists likely(lists.size());
    for (VariableId child = 0; child < lists.size(); ++child)
        for (const SingleGain& pair : lists[child])
            if (likely[child].size() < n_least || pair.gain > 0.0)
                likely[child].push_back(pair.parent);
    return likely;
}

}  // namespace baytree
