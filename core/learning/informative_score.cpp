#include "learning/informative_score.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "learning/dag_in_k_tree.hpp"

namespace baytree {

namespace {

/// What the child gains by each single parent.
std::vector<std::pair<VariableId, double>> single_gains(const ScoredParentSets& sets) {
    std::vector<std::pair<VariableId, double>> gains;
    double alone = 0.0;
    bool has_empty = false;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (sets.parents(i).size() == 1) gains.emplace_back(sets.parents(i)[0], sets.score(i));
        if (!sets.parents(i).empty() || has_empty) continue;
        alone = sets.score(i);
        has_empty = true;
    }
    if (!has_empty) return {};
    for (auto& [parent, score] : gains) score = std::max(score - alone, 0.0);
    return gains;
}

}  // namespace

PairInformation::PairInformation(const ParentSetLists& sets) {
    std::vector<std::map<VariableId, double>> gains(sets.size());
    for (VariableId child = 0; child < sets.size(); ++child)
        for (const auto& [parent, gain] : single_gains(sets[child]))
            for (const auto& [a, b] : {std::pair(child, parent), std::pair(parent, child)})
                gains[a][b] = std::max(gains[a][b], gain);
    starts_.push_back(0);
    for (const auto& of_variable : gains) {
        for (const auto& [partner, gain] : of_variable) {
            partners_.push_back(partner);
            gains_.push_back(gain);
        }
        starts_.push_back(partners_.size());
    }
}

double PairInformation::operator()(VariableId a, VariableId b) const noexcept {
    const auto first = partners_.begin() + static_cast<std::ptrdiff_t>(starts_[a]);
    const auto last = partners_.begin() + static_cast<std::ptrdiff_t>(starts_[a + 1]);
    const auto found = std::lower_bound(first, last, b);
    return found != last && *found == b
               ? gains_[static_cast<std::size_t>(found - partners_.begin())]
               : 0.0;
}

double informative_score(const KTree& tree, const PairInformation& information) {
    double sum = 0.0;
    for (std::size_t i = 0; i < tree.order.size(); ++i)
        for (const VariableId member : tree.clique(i)) sum += information(tree.order[i], member);
    return sum;
}

double informativeness(const KTree& tree, const PairInformation& information,
                       const ParentSetLists& sets) {
    const double size = std::abs(best_score_with_cycles(tree, sets));
    return size > 0.0 ? informative_score(tree, information) / size : 0.0;
}

}  // namespace baytree
