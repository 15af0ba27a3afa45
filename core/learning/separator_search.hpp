#pragma once

#include <cstddef>
#include <optional>

#include "learning/decomposition_search.hpp"
#include "learning/family_lists.hpp"
#include "learning/structure_search.hpp"
#include "learning/subset_scores.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Which sets can be bags: those of at most so many variables for which `is_bag` holds.
struct Bags {
    std::size_t largest;
    bool all_fit;  // all sets of that size are bags
    BagTest is_bag;
};

/// Finds the best network with a tree decomposition into given bags, if it scores as much as a
/// threshold.
///
/// Dynamic programming over what can hang on a separator, as in `best_decomposed_structure`, but
/// only over what may be part of a network above the threshold: the best networks of any treewidth
/// over the variables on each side of a separator ([silander]) bound ([yuan]) what there is to be
/// had there, less what the members of the separator get twice in their order. What hangs on a
/// separator is connected and has a member of each bag on top; there is a bag in the middle, on
/// which no more than half of the variables hang in one place.
class SeparatorSearch {
public:
    /// `families` and `bounds` must outlive the search. Its tables take `max_bytes` at most.
    SeparatorSearch(const FamilyLists& families, const SubsetScores& bounds, Bags bags,
                    int n_threads, std::size_t max_bytes, RunControl& control);

    /// Nothing if no network scores as much. Also nothing if the run was over or memory did not
    /// suffice: `is_cut_short` tells.
    std::optional<Structure> best_above(double threshold);

    bool is_cut_short() const noexcept { return is_cut_short_; }
    bool is_out_of_memory() const noexcept { return is_out_of_memory_; }

private:
    class Tables;

    const FamilyLists& families_;
    const SubsetScores& bounds_;
    Bags bags_;
    int n_threads_;
    std::size_t max_bytes_;
    RunControl& control_;
    bool is_cut_short_ = false;
    bool is_out_of_memory_ = false;
};

}  // namespace baytree
