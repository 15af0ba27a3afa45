#pragma once

#include <cstddef>
#include <memory>

#include "learning/gain_lists.hpp"
#include "learning/parent_pairs.hpp"
#include "learning/search_problem.hpp"
#include "learning/single_gains.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// The parents that a search offers to each variable, the best first.
struct CandidateParents {
    ParentLists lists{};
    ParentPairs pairs{};
    std::size_t n_unscored_pairs = 0;  // of a parent and a child
    std::shared_ptr<const ParentLists>
        likely{};  // for later searches, if they would be spared much
};

/// Those of the lists.
CandidateParents candidates_among(const GainLists& lists, const SearchProblem& problem);

/// The best single parents. With `adds_joint_ones`, also parents that tell something only beside
/// others, as far as the budget allows: those of a forward selection, and pairs.
CandidateParents candidates_among_all(const SingleGains& gains, const SearchProblem& problem,
                                      bool adds_joint_ones, const SearchBudget& budget,
                                      RunControl& control);

}  // namespace baytree
