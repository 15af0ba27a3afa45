#include "learning/small_dag.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

namespace baytree {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

/// Subset of the variables in question.
using Mask = std::uint32_t;

/// A parent set inside them.
struct InnerSet {
    Mask parents;
    std::uint32_t choice;
};

class SmallDagSearch {
public:
    SmallDagSearch(const ParentSetLists& sets, std::span<const VariableId> variables)
        : sets_(sets),
          variables_(variables),
          position_(sets.size(), outside) {
        for (std::size_t i = 0; i < variables.size(); ++i)
            position_[variables[i]] = static_cast<std::uint8_t>(i);
        for (std::size_t i = 0; i < variables.size(); ++i) inner_sets_.push_back(inner_sets_of(i));
    }

    SmallDag run() {
        for (std::size_t i = 0; i < variables_.size(); ++i) best_within_.push_back(best_within(i));
        score_.assign(n_subsets(), impossible);
        last_.assign(n_subsets(), 0);
        score_[0] = 0.0;
        for (Mask subset = 1; subset < n_subsets(); ++subset) choose_last(subset);
        return dag_over(largest_possible());
    }

private:
    static constexpr std::uint8_t outside = 255;

    std::size_t n_subsets() const { return std::size_t{1} << variables_.size(); }

    std::optional<Mask> mask_of(VariableSpan parents) const {
        Mask mask = 0;
        for (const VariableId parent : parents) {
            if (position_[parent] == outside) return std::nullopt;
            mask |= Mask{1} << position_[parent];
        }
        return mask;
    }

    std::vector<InnerSet> inner_sets_of(std::size_t i) const {
        const ScoredParentSets& all = sets_[variables_[i]];
        std::vector<InnerSet> inner;
        for (std::uint32_t choice = 0; choice < all.size(); ++choice)
            if (const auto mask = mask_of(all.parents(choice))) inner.push_back({*mask, choice});
        return inner;
    }

    /// Best score of the i-th variable with parents inside each subset.
    std::vector<double> best_within(std::size_t i) const {
        std::vector<double> best(n_subsets(), impossible);
        for (const auto& [parents, choice] : inner_sets_[i])
            best[parents] = std::max(best[parents], sets_[variables_[i]].score(choice));
        for (std::size_t bit = 1; bit < n_subsets(); bit *= 2)
            for (std::size_t block = bit; block < n_subsets(); block += 2 * bit)
                for (std::size_t subset = block; subset < block + bit; ++subset)
                    best[subset] = std::max(best[subset], best[subset - bit]);
        return best;
    }

    /// Which variable of the subset comes last, its parents among the others.
    void choose_last(Mask subset) {
        for (Mask left = subset; left != 0; left &= left - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(left));
            const Mask others = subset ^ (Mask{1} << i);
            const double score = score_[others] + best_within_[i][others];
            if (score <= score_[subset]) continue;
            score_[subset] = score;
            last_[subset] = static_cast<std::uint8_t>(i);
        }
    }

    Mask largest_possible() const {
        const auto rank = [&](Mask subset) {
            return std::pair(score_[subset] > impossible ? std::popcount(subset) : -1,
                             score_[subset]);
        };
        const auto all = static_cast<Mask>(n_subsets() - 1);
        if (score_[all] > impossible) return all;
        Mask largest = 0;
        for (Mask subset = 1; subset < all; ++subset)
            if (rank(subset) > rank(largest)) largest = subset;
        return largest;
    }

    SmallDag dag_over(Mask subset) const {
        SmallDag dag{score_[subset], {}, {}};
        while (subset != 0) {
            const std::size_t i = last_[subset];
            subset ^= Mask{1} << i;
            // Best first, so the first that fits is the best that fits.
            const auto best = std::ranges::find_if(
                inner_sets_[i], [&](const InnerSet& set) { return (set.parents & ~subset) == 0; });
            dag.order.push_back(variables_[i]);
            dag.choice.push_back(best->choice);
        }
        std::ranges::reverse(dag.order);
        std::ranges::reverse(dag.choice);
        return dag;
    }

    const ParentSetLists& sets_;
    std::span<const VariableId> variables_;
    std::vector<std::uint8_t> position_;  // by variable
    std::vector<std::vector<InnerSet>> inner_sets_;
    std::vector<std::vector<double>> best_within_;
    std::vector<double> score_;       // of the best network over each subset
    std::vector<std::uint8_t> last_;  // in its order
};

}  // namespace

SmallDag best_small_dag(const ParentSetLists& sets, std::span<const VariableId> variables) {
    if (variables.size() > max_small_dag_variables)
        throw std::invalid_argument("a small network has at most 15 variables");
    return SmallDagSearch(sets, variables).run();
}

}  // namespace baytree
