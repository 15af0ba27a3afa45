#pragma once

#include <atomic>
#include <memory>

#include "learning/family_lists.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"
#include "structure/variable_mask.hpp"

namespace baytree {

/// The highest score of a network of any treewidth over each subset of the variables, by dynamic
/// programming ([silander]). Takes 2^n doubles.
class SubsetScores {
public:
    /// Stops early when the run is over: `is_complete` tells.
    SubsetScores(const FamilyLists& families, int n_threads, RunControl& control);

    bool is_complete() const noexcept { return !is_cut_short_; }
    double operator[](VariableMask subset) const noexcept { return scores_[subset]; }

    /// A network of the highest score over all variables, without an order of elimination.
    Structure best_structure() const;

private:
    /// Whether it came to its end.
    bool fill(VariableMask begin, VariableMask end, const RunControl& control);
    double best_last(VariableMask subset) const;

    const FamilyLists& families_;
    std::size_t n_variables_;
    std::atomic<bool> is_cut_short_{false};
    std::unique_ptr<double[]> scores_;  // not cleared: that would take long
};

}  // namespace baytree
