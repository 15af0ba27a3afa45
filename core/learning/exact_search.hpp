#pragma once

#include <cstddef>
#include <stdexcept>

#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/family_scores.hpp"
#include "structure/arc_constraints.hpp"

namespace baytree {

/// The exact search is for so many variables at most: it takes 2^n doubles to begin with.
inline constexpr std::size_t max_exact_search_variables = 28;

/// Whether `exact_structure` is meant for so many variables within these limits: for all bags of at
/// most 6 variables, and for larger ones if they are few.
bool can_search_exactly(std::size_t n_variables, const StructureLimits& limits);

/// Thrown when a search was stopped before it had any network that meets the constraints.
class SearchStopped : public std::runtime_error {
public:
    SearchStopped() : std::runtime_error("the search was stopped before it had a result") {}
};

/// A network of the highest score that there is within the limits and the constraints, proven; if a
/// stop, the deadline or want of memory cuts the search short, the best network that is known, with
/// a bound on the score of all. Its tables take `max_bytes` at most. Throws std::invalid_argument
/// if the search is not meant for the request or no network meets the constraints.
SearchOutcome exact_structure(const FamilyScores& scores, const ArcConstraints& constraints,
                              const StructureLimits& limits, int n_threads, std::size_t max_bytes,
                              RunControl& control);

}  // namespace baytree
