#pragma once

#include "learning/search_problem.hpp"
#include "learning/structure_state.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Adds, removes and reverses arcs, always the one that gains most, until no change gains, there
/// were `max_changes`, or the run or the time `until` is over; returns the number of changes.
/// `candidates` are the parents worth adding, by child. A change that the limits do not let through
/// is tried again once others have made room.
std::uint64_t hill_climb(const SearchProblem& problem, const ParentLists& candidates,
                         StructureState& state, RandomStream& random, const RunControl& control,
                         Clock::time_point until, std::uint64_t max_changes);

}  // namespace baytree
