#include "learning/subset_scores.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr std::size_t n_block_variables = 6;  // the last ones: a block for each subset of them
constexpr VariableMask between_polls = (1U << 14) - 1;

}  // namespace

SubsetScores::SubsetScores(const FamilyLists& families, int n_threads, RunControl& control)
    : families_(families),
      n_variables_(families.n_variables()),
      scores_(std::make_unique_for_overwrite<double[]>(std::size_t{1} << n_variables_)) {
    scores_[0] = 0.0;
    const std::size_t n_high = std::min(n_variables_, n_block_variables);
    const VariableMask block_size = VariableMask{1} << (n_variables_ - n_high);
    // A block needs those of fewer variables.
    for (int size = 0; size <= static_cast<int>(n_high); ++size) {
        std::vector<VariableMask> blocks;
        for (VariableMask high = 0; high < VariableMask{1} << n_high; ++high)
            if (std::popcount(high) == size) blocks.push_back(high * block_size);
        parallel_for(blocks.size(), n_threads, control, [&](std::size_t i) {
            if (!fill(blocks[i], blocks[i] + block_size, control)) is_cut_short_ = true;
        });
    }
}

bool SubsetScores::fill(VariableMask begin, VariableMask end, const RunControl& control) {
    for (VariableMask subset = begin; subset < end; ++subset) {
        if ((subset & between_polls) == 0 && is_over(control)) return false;
        if (subset != 0) scores_[subset] = best_last(subset);
    }
    return true;
}

double SubsetScores::best_last(VariableMask subset) const {
    double best = -std::numeric_limits<double>::infinity();
    for (VariableMask left = subset; left != 0; left &= left - 1) {
        const VariableId last = first_of(left);
        const VariableMask before = subset & ~mask_of(last);
        const double without = scores_[before];
        best = std::max(best, without + families_.score_above(best - without, last, before));
    }
    return best;
}

Structure SubsetScores::best_structure() const {
    Structure structure{0.0, ParentLists(n_variables_), {}};
    for (auto subset = static_cast<VariableMask>((std::uint64_t{1} << n_variables_) - 1);
         subset != 0;) {
        const std::vector<VariableId> members = members_of(subset);
        const VariableId last = *std::ranges::max_element(members, {}, [&](VariableId variable) {
            const VariableMask before = subset & ~mask_of(variable);
            return scores_[before] + families_.score(variable, before);
        });
        subset &= ~mask_of(last);
        structure.parents[last] = members_of(families_.parents(last, subset));
        structure.score += families_.score(last, subset);
    }
    return structure;
}

}  // namespace baytree
