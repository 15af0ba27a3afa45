#pragma once

#include "learning/gain_lists.hpp"
#include "learning/search_problem.hpp"
#include "learning/single_gains.hpp"
#include "learning/structure_search.hpp"
#include "structure/maximum_forest.hpp"

namespace baytree {

/// The forest of the highest score within the constraints: a maximum spanning forest where arcs
/// score the same both ways and are free, else a maximum branching. Throws std::invalid_argument if
/// a variable has more than one required parent. Some forest within the constraints if a stop is
/// asked for meanwhile.
Structure chow_liu_forest(const SearchProblem& problem, const SingleGains& gains,
                          const RunControl& control);

/// The same among the pairs of lists: a pair serves both ways if its gain does not depend on that.
Structure chow_liu_forest(const SearchProblem& problem, const GainLists& lists,
                          const RunControl& control);

/// The same among given arcs, whose weights are their gains.
Structure chow_liu_forest(const SearchProblem& problem, const ArcsInto& arcs_into,
                          const RunControl& control);

}  // namespace baytree
