#pragma once

#include "learning/parent_pairs.hpp"
#include "learning/search_problem.hpp"
#include "runtime/run_control.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// Parents that are worth a try given others, by child: of each step of a forward selection over
/// all variables, those that gain most. It begins from the first of `singles` and from the first
/// of `pairs`, which may be empty. No parents of children that come after a stop request or
/// the time `until`.
ParentLists forward_selected(const SearchProblem& problem, const ParentLists& singles,
                             const ParentPairs& pairs, int n_threads, RunControl& control,
                             Clock::time_point until);

}  // namespace baytree
