#include "scores/cached_family_scores.hpp"

#include <bit>
#include <limits>

#include "scores/family_score_table.hpp"

namespace baytree {

CachedFamilyScores::CachedFamilyScores(const ParentSetCache& cache)
    : n_variables_(cache.n_variables()),
      entries_(std::bit_ceil(2 * cache.n_parent_sets() + 1)) {
    for (VariableId child = 0; child < n_variables_; ++child) {
        const ScoredParentSets& sets = cache.of(child);
        for (std::size_t i = 0; i < sets.size(); ++i) {
            const std::uint64_t digest = family_digest(child, sets.parents(i));
            Entry& entry = entries_[slot_of(digest)];
            // Best first: of a set that is listed twice, the better score stays.
            if (entry.digest == 0) entry = {digest, sets.score(i)};
        }
    }
}

double CachedFamilyScores::score(VariableId child, VariableSpan parents) const {
    const Entry& entry = entries_[slot_of(family_digest(child, parents))];
    return entry.digest == 0 ? -std::numeric_limits<double>::infinity() : entry.score;
}

std::size_t CachedFamilyScores::slot_of(std::uint64_t digest) const noexcept {
    std::size_t slot = digest & (entries_.size() - 1);
    while (entries_[slot].digest != 0 && entries_[slot].digest != digest)
        slot = (slot + 1) & (entries_.size() - 1);
    return slot;
}

}  // namespace baytree
