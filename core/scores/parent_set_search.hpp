#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/variable.hpp"
#include "runtime/run_control.hpp"
#include "scores/family_scorer.hpp"
#include "scores/parent_set_cache.hpp"
#include "structure/arc_constraints.hpp"

namespace baytree {

struct ParentSetSearchOptions {
    std::size_t max_parents;
    std::uint64_t max_evaluations;  // a variable; bounds the memory as well
    std::uint64_t seed;             // of the order among equally promising candidates
    int n_threads;
};

struct ParentSetSearchResult {
    ParentSetCache cache;
    std::vector<std::uint64_t> n_evaluated;  // by variable
    std::vector<std::uint8_t> is_complete;   // by variable: every set was scored or ruled out
};

/// Independence selection for every variable: single parents of all variables first, so that a
/// search cut short knows something of each, then the larger sets of one variable after the other.
/// Under a deadline each variable gets an equal share of the time left for them, so what one does
/// not use goes to those after it. The set of required parents (the empty set) of every variable is
/// scored whatever the clock or a stop request says. Required lists fit into
/// max_parents.
ParentSetSearchResult search_parent_sets(const FamilyScorer& scorer,
                                         const ArcConstraints& constraints,
                                         const ParentSetSearchOptions& options,
                                         RunControl& control);

}  // namespace baytree
