#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/variable.hpp"
#include "learning/search_problem.hpp"
#include "learning/single_gain.hpp"
#include "runtime/run_control.hpp"
#include "scores/family_scores.hpp"

namespace baytree {

/// Gains of all pairs of variables. One number a pair where the direction of the arc does not
/// matter, else two; minus infinity where none is known.
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

/// Up to `n_most` allowed parents of each child, whether or not they are a gain.
GainLists highest_gains(const SingleGains& gains, const SearchProblem& problem, std::size_t n_most,
                        int n_threads, RunControl& control);

/// The same pairs with their gains in other data, without those that are not allowed there. A list
/// that the control cuts off is left empty.
GainLists scored_again(const GainLists& lists, const SearchProblem& problem, int n_threads,
                       RunControl& control);

/// The parents in the lists, those without a gain only as long as a list is shorter than `n_least`.
ParentLists likely_parents(const GainLists& lists, std::size_t n_least);

}  // namespace baytree
