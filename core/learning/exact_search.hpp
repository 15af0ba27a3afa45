#pragma once

#include <cstddef>
#include <stdexcept>

#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/family_scores.hpp"
#include "structure/arc_constraints.hpp"

namespace baytree {

/// The exact search is for so many variables at most.
inline constexpr std::size_t max_exact_search_variables = 12;

/// So many steps of the exact search take one or two minutes on one core, and at most 600 MB.
inline constexpr double max_exact_search_cost = 2e10;

/// About how many steps `exact_structure` takes for so many variables within these limits; infinity
/// if it is not meant for so many or memory forbids it.
double exact_search_cost(std::size_t n_variables, const StructureLimits& limits);

/// Thrown when a search that has a result only at its end was stopped before it.
class SearchStopped : public std::runtime_error {
public:
    SearchStopped() : std::runtime_error("the search was stopped before it had a result") {}
};

/// A network of the highest score that there is within the limits and the constraints, proven.
/// Throws std::invalid_argument if that costs more than `max_exact_search_cost` or no network meets
/// the constraints, and SearchStopped if a stop or the deadline cuts the search short; one that
/// comes after the last step changes nothing.
SearchOutcome exact_structure(const FamilyScores& scores, const ArcConstraints& constraints,
                              const StructureLimits& limits, int n_threads, RunControl& control);

}  // namespace baytree
