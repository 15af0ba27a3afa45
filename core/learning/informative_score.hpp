#pragma once

#include <cstddef>
#include <vector>

#include "data/variable.hpp"
#include "learning/usable_parent_sets.hpp"
#include "structure/k_tree.hpp"

namespace baytree {

/// How much two variables tell about each other, as far as a cache knows: what a variable gains in
/// score by the other as its only parent, the larger of both directions. [s2] has their mutual
/// information here, which a cache cannot give: it knows neither rows nor arities, and pairs whose
/// gain does not pay for its penalty are not in it. For BIC, the gain is N times the mutual
/// information less that penalty, or 0; the factor N does not change ratios.
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

/// Sum of the information over the pairs of variables that share a clique, each counted once: S_mi
/// of [s2], and what [s2+] maximises, since A* can bound a sum over pairs.
double informative_score(const KTree& tree, const PairInformation& information);

/// I(T) of [s2]: that sum by the size of the best score inside the k-tree if cycles were allowed.
double informativeness(const KTree& tree, const PairInformation& information,
                       const ParentSetLists& sets);

}  // namespace baytree
