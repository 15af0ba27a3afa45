#pragma once

#include <cstddef>
#include <vector>

#include "data/variable.hpp"
#include "learning/search_problem.hpp"
#include "learning/single_gains.hpp"
#include "runtime/run_control.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// A parent that a child could have, and what the score of the child alone gains from it.
struct SingleGain {
    VariableId parent;
    double gain;
};

/// For each child, some of its possible parents, the highest gains first.
using GainLists = std::vector<std::vector<SingleGain>>;

/// The `n_most` allowed parents of each child that gain the most, be it nothing or less. A list
/// that the control cuts off is empty.
GainLists highest_gains(const SingleGains& gains, const SearchProblem& problem, std::size_t n_most,
                        int n_threads, RunControl& control);

/// Lists, and how many pairs are not in them because scoring came to an end before.
struct ScoredLists {
    GainLists lists;
    std::size_t n_unscored;
};

/// What the given parents of each child gain, as far as they are allowed, unless the control or the
/// time `until` puts an end to it.
ScoredLists scored_lists(const ParentLists& given, const SearchProblem& problem, int n_threads,
                         RunControl& control, Clock::time_point until);

/// The parents in the lists, those without a gain only as long as there are fewer than `n_least`.
ParentLists promising_parents(const GainLists& lists, std::size_t n_least);

}  // namespace baytree
