#pragma once

#include "learning/parent_pairs.hpp"
#include "learning/search_problem.hpp"
#include "learning/structure_state.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

struct ClimbLimits {
    Clock::time_point until;
    std::uint64_t max_changes;
    /// Whether changes that do not keep to the limits are tried again once others have made room.
    bool tries_again = true;
};

/// Adds, removes and reverses arcs, always the one that gains most, until no change gains or that
/// is all that the run and the limits allow; returns the number of changes. `candidates` are the
/// parents worth adding, by child, and `pairs` those worth adding together, if there are any.
std::uint64_t hill_climb(const SearchProblem& problem, const ParentLists& candidates,
                         const ParentPairs& pairs, StructureState& state, RandomStream& random,
                         const RunControl& control, const ClimbLimits& limits);

}  // namespace baytree
