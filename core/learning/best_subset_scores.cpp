#include "learning/best_subset_scores.hpp"

#include <algorithm>

namespace baytree {

namespace {

constexpr std::size_t n_known = std::size_t{1} << 20;
constexpr double price_of_idle_parent = 0.5;  // nats: too little to matter until the search is cold

}  // namespace

BestSubsetScores::BestSubsetScores(const ParentSetCache& cache) : cache_(cache), known_(n_known) {}

std::size_t BestSubsetScores::best_subset(VariableId child, VariableSpan parents) const {
    const ScoredParentSets& sets = cache_.of(child);
    std::size_t i = 0;
    while (i < sets.size() && !std::ranges::includes(parents, sets.parents(i))) ++i;
    return i;
}

Structure BestSubsetScores::without_idle_parents(Structure structure) const {
    structure.score = 0.0;
    for (VariableId child = 0; child < structure.parents.size(); ++child) {
        const ScoredParentSets& sets = cache_.of(child);
        const std::size_t best = best_subset(child, structure.parents[child]);
        if (best == sets.size()) {
            structure.score += score_of_no_set;
            continue;
        }
        const VariableSpan parents = sets.parents(best);
        structure.parents[child].assign(parents.begin(), parents.end());
        structure.score += sets.score(best);
    }
    return structure;
}

double BestSubsetScores::score(VariableId child, VariableSpan parents) const {
    const std::uint64_t digest = family_digest(child, parents);
    if (const auto known = known_.find(digest)) return *known;
    const ScoredParentSets& sets = cache_.of(child);
    const std::size_t best = best_subset(child, parents);
    double score = score_of_no_set;
    if (best < sets.size())
        score =
            sets.score(best) -
            price_of_idle_parent * static_cast<double>(parents.size() - sets.parents(best).size());
    known_.store(digest, score);
    return score;
}

}  // namespace baytree
