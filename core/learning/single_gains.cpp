#include "learning/single_gains.hpp"

#include <algorithm>
#include <array>

#include "runtime/parallel_for.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

namespace {

constexpr std::size_t pairs_a_clock_reading = 64;

}  // namespace

SingleGains::SingleGains(const FamilyScores& scores, int n_threads, RunControl& control,
                         Clock::time_point until)
    : n_variables_(scores.n_variables()),
      is_symmetric_(scores.has_symmetric_gains()) {
    gains_.assign(is_symmetric_ ? n_variables_ * (n_variables_ - 1) / 2
                                : n_variables_ * n_variables_,
                  unknown_gain);
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
    const auto n_unknown = static_cast<std::size_t>(std::ranges::count(gains_, unknown_gain));
    return is_symmetric_ ? n_unknown : n_unknown - n_variables_;  // no variable is its own parent
}

}  // namespace baytree
