#pragma once

#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "scores/family_scorer.hpp"
#include "structure/arc_constraints.hpp"

namespace baytree {

/// What an edge must pass to be added. Sources: docs/references.md, keys [chordalysis],
/// [chordalysis-mml], [chordalysis-smt].
enum class EdgeRule {
    smt,           // p <= budget / m among m admissible pairs, which costs p m of the budget
    budget_share,  // p <= a share of the budget / m, which costs that share
    layered,       // p <= alpha / 2^step / m
    bic,           // the likelihood gains more than BIC's penalty
    kl,            // the likelihood gains
    mml,           // the message gets shorter
};

struct ChordalysisOptions {
    EdgeRule rule = EdgeRule::smt;
    double alpha = 0.05;
    double budget_share = 0.01;
    bool phantom_state = false;
    /// Whether p values are multiples of 2^-53, so that all the smallest are 0.
    bool rounds_p_values = false;
};

/// A decomposable model by forward selection of edges, each tested given the common neighbours of
/// its ends, as a DAG scored by `scorer`, whose rows must be complete. An arc forbidden either way
/// forbids the edge. The model so far if a stop or the deadline ends the search. The answer is the
/// same for any number of threads.
SearchOutcome select_edges(const FamilyScorer& scorer, const ArcConstraints& constraints,
                           const StructureLimits& limits, const ChordalysisOptions& options,
                           const SearchBudget& budget, RunControl& control);

}  // namespace baytree
