#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "data/variable.hpp"
#include "runtime/run_control.hpp"
#include "scores/family_scores.hpp"

namespace baytree {

inline constexpr double unknown_gain = -std::numeric_limits<double>::infinity();

/// What the score of a child alone gains from a parent, for all pairs of variables. One number a
/// pair where the direction of the arc does not matter, else two; minus infinity where none is
/// known.
class SingleGains {
public:
    /// Scores all pairs, unless the control or the time `until` puts an end to it.
    SingleGains(const FamilyScores& scores, int n_threads, RunControl& control,
                Clock::time_point until);

    std::size_t n_variables() const noexcept { return n_variables_; }
    bool is_symmetric() const noexcept { return is_symmetric_; }
    /// How many of the gains are not known, because scoring came to an end before them.
    std::size_t n_unknown() const;
    double gain(VariableId parent, VariableId child) const noexcept {
        return gains_[place(parent, child)];
    }

private:
    std::size_t place(VariableId parent, VariableId child) const noexcept {
        if (!is_symmetric_) return std::size_t{child} * n_variables_ + parent;
        const auto [low, high] = std::minmax(parent, child);
        return std::size_t{high} * (high - 1) / 2 + low;
    }

    std::size_t n_variables_;
    bool is_symmetric_;
    std::vector<double> gains_;
};

}  // namespace baytree
