#pragma once

#include <cstddef>

#include "learning/informative_score.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/parent_set_cache.hpp"
#include "structure/k_tree.hpp"

namespace baytree {

/// S2+ is for so many variables at most.
inline constexpr std::size_t max_best_k_tree_variables = 64;

struct BestKTree {
    KTree tree;
    double informative_score;
    bool is_proven;  // that no k-tree has a higher one
};

/// The k-tree of highest informative score. [s2+] searches it by A*; this is branch and bound,
/// depth first, which needs no memory for the k-trees that it leaves for later. Finding it is
/// NP-hard for k > 1: the search ends without proof, with the best k-tree met, when nine tenths of
/// the time are over or, without a deadline, after a fixed amount of work (some seconds). Throws
/// std::invalid_argument for more variables than `max_best_k_tree_variables`.
BestKTree find_best_k_tree(const PairInformation& information, std::size_t k,
                           const RunControl& control);

/// S2+ ([s2+]): a network inside the k-tree of highest informative score, by `dag_in_k_tree`. The
/// iterations of the budget try orders of the variables in that k-tree; where it is solved exactly,
/// there is one. The search for the k-tree takes nine tenths of the time, if need be. The outcome
/// is proven if that of the k-tree is; the network inside may not be.
SearchOutcome search_best_k_tree(const ParentSetCache& cache, const StructureLimits& limits,
                                 const SearchBudget& budget, RunControl& control);

}  // namespace baytree
