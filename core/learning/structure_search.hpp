#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "data/variable.hpp"
#include "runtime/run_control.hpp"
#include "structure/arc_constraints.hpp"
#include "structure/dag.hpp"
#include "structure/fill_in.hpp"

namespace baytree {

/// What a structure must keep to.
struct StructureLimits {
    std::size_t max_treewidth;
    std::size_t max_parents;             // at most the treewidth
    double max_clique_states;            // product of the arities in a bag
    std::vector<std::uint32_t> arities;  // by variable; empty if unknown, and then not looked at
};

/// Those that concern bags.
inline BagLimits bag_limits(const StructureLimits& limits) {
    return {limits.max_treewidth, limits.max_clique_states, limits.arities};
}

/// What a search may use, beside the deadline of its RunControl.
struct SearchBudget {
    std::optional<std::uint64_t> max_iterations;
    std::uint64_t seed;
    int n_threads;
    bool keeps_scores = false;  // of all iterations of a search that begins anew each time
};

/// A DAG with an order whose elimination proves its width.
struct Structure {
    double score;
    ParentLists parents;
    std::vector<VariableId> elimination_order;
};

/// When a better structure was found: seconds from the start, iterations done, its score.
struct SearchStep {
    double seconds;
    std::uint64_t iteration;
    double score;
};

/// An edge of a decomposable model, with the test by which it was added.
struct SelectedEdge {
    VariableId a, b;
    std::vector<VariableId> separator;
    double g2;
    double degrees;  // of freedom
    double log_p;    // as tested: -infinity for a p value rounded to 0
};

struct SearchOutcome {
    Structure best;
    std::uint64_t n_iterations;
    std::uint64_t n_accepted;  // iterations whose structure was taken to go on from
    std::vector<SearchStep> history;
    bool is_proven = false;  // that there is no better one, in the sense of the search
    double score_bound = std::numeric_limits<double>::infinity();  // no structure scores more
    bool is_out_of_memory = false;                                 // whether that ended the proof
    std::size_t n_unscored_pairs = 0;  // of those that a search of arcs scores before it starts
    /// The best single parents of each variable, where later searches in nearly the same data would
    /// be spared much if they chose from them.
    std::shared_ptr<const ParentLists> likely_parents{};
    std::vector<SelectedEdge> edges{};       // of a search that selects them, in that order
    bool is_finished = true;                 // whether that search ended by itself
    std::vector<double> iteration_scores{};  // if the budget asks for them
};

/// The best structure so far; threads may offer at once. Among equal scores the lowest iteration
/// stays, so that the order in which threads come does not matter.
class Incumbent {
public:
    explicit Incumbent(RunControl& control) : control_(control), started_(Clock::now()) {}

    /// Whether a structure of this score and iteration would be taken. Cheap: to be asked before
    /// the structure is put together.
    bool would_take(double score, std::uint64_t iteration) const;
    void offer(Structure structure, std::uint64_t iteration);
    /// Of the best; nothing if there is none.
    std::optional<double> score() const;

    /// The best and how it was found, with an elimination order of smaller bags if one is at hand.
    /// At least one structure must have been offered. The search is one of restarts, or of
    /// iterations of which so many were accepted.
    SearchOutcome outcome(std::uint64_t n_iterations, const StructureLimits& limits,
                          std::optional<std::uint64_t> n_accepted = std::nullopt) &&;

private:
    Clock::time_point end_of_tidying() const;

    RunControl& control_;
    Clock::time_point started_;
    mutable std::mutex mutex_;
    std::optional<Structure> best_;
    std::uint64_t iteration_ = 0;
    std::vector<SearchStep> history_;
};

}  // namespace baytree
