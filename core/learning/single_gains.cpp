#include "learning/single_gains.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

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

std::vector<VariableId> best_parents_of(VariableId child, const SingleGains& gains,
                                        const SearchProblem& problem, std::size_t n_least,
                                        std::size_t n_most) {
    std::vector<SingleGain> known;
    for (VariableId parent = 0; parent < gains.n_variables(); ++parent) {
        if (parent == child) continue;
        const double gain = gains.gain(parent, child);
        if (gain > unknown && problem.allows(parent, child)) known.push_back({parent, child, gain});
    }
    const std::size_t n_kept = std::min(n_most, known.size());
    std::ranges::partial_sort(known, known.begin() + static_cast<std::ptrdiff_t>(n_kept),
                              std::greater{}, &SingleGain::gain);
    std::vector<VariableId> best;
    for (std::size_t i = 0; i < n_kept && (i < n_least || known[i].gain > 0.0); ++i)
        best.push_back(known[i].parent);
    return best;
}

}  // namespace

ParentLists best_single_parents(const SingleGains& gains, const SearchProblem& problem,
                                std::size_t n_least, std::size_t n_most, int n_threads,
                                RunControl& control) {
    ParentLists best(gains.n_variables());
    parallel_for(gains.n_variables(), n_threads, control, [&](std::size_t task) {
        if (is_over(control)) return;
        const auto child = static_cast<VariableId>(task);
        best[child] = best_parents_of(child, gains, problem, n_least, n_most);
    });
    return best;
}

}  // namespace baytree
