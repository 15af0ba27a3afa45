#pragma once

#include <cstddef>
#include <vector>

#include "data/variable.hpp"
#include "learning/usable_parent_sets.hpp"
#include "structure/k_tree.hpp"

namespace baytree {

/// How much two variables tell about each other, as far as a cache knows: what a variable gains in
/// score by the other as its only parent, the larger of both directions. For BIC that is N times
/// their mutual information less the penalty, and 0 where the gain does not pay for it: the cache
/// has no such set then. So no data are needed, and a pair that no network would join counts
/// nothing.
class PairInformation {
public:
    explicit PairInformation(const ParentSetLists& sets);

    std::size_t n_variables() const noexcept { return starts_.size() - 1; }
    double operator()(VariableId a, VariableId b) const noexcept;

private:
    std::vector<std::size_t> starts_;  // by variable, and the end
    std::vector<VariableId> partners_;
    std::vector<double> gains_;
};

/// Sum of the information over the pairs of variables that share a clique, each counted once. [s2]
/// divides such a sum by the score of the best network with cycles inside the k-tree. That is left
/// out: it needs a search in every k-tree, and a sum over pairs is what A* can bound ([s2+]).
double informative_score(const KTree& tree, const PairInformation& information);

}  // namespace baytree
