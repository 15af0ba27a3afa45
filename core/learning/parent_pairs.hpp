#pragma once

#include <array>
#include <vector>

#include "data/variable.hpp"
#include "learning/search_problem.hpp"
#include "learning/single_gains.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// For each child, pairs of parents that tell more of it together than the sum of what each tells
/// alone, the highest surplus first.
using ParentPairs = std::vector<std::vector<std::array<VariableId, 2>>>;

/// Scores all triples of variables, each once: under a score-equivalent score the surplus is the
/// same for all three as the child. Few pairs are kept for each. None, if that takes a thread about
/// more than `most_seconds`; those met before a stop request or the time `until`.
ParentPairs surplus_pairs(const SearchProblem& problem, const SingleGains& gains, int n_threads,
                          RunControl& control, double most_seconds, Clock::time_point until);

/// The same by a look at 512 rows, which finds what is strong: those pairs that have the highest
/// surplus there and tell more together on all rows too. None if the scores have no rows.
ParentPairs sampled_pairs(const SearchProblem& problem, const SingleGains& gains, int n_threads,
                          RunControl& control, double most_seconds, Clock::time_point until);

}  // namespace baytree
