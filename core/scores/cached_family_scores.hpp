#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scores/family_scores.hpp"
#include "scores/parent_set_cache.hpp"

namespace baytree {

/// The scores of a parent-set cache, found by family: minus infinity for a set that it lacks.
/// Families are told apart by 64-bit digests: two in 2^64 share one.
class CachedFamilyScores final : public FamilyScores {
public:
    /// Copies what it needs of the cache: 32 to 64 bytes a parent set.
    explicit CachedFamilyScores(const ParentSetCache& cache);

    std::size_t n_variables() const noexcept override { return n_variables_; }
    double score(VariableId child, VariableSpan parents) const override;

private:
    struct Entry {
        std::uint64_t digest = 0;  // 0 marks an empty entry
        double score = 0.0;
    };

    /// Where the family is, or where it would be put.
    std::size_t slot_of(std::uint64_t digest) const noexcept;

    std::size_t n_variables_;
    std::vector<Entry> entries_;  // open addressing; a power of two in size, at most half full
};

}  // namespace baytree
