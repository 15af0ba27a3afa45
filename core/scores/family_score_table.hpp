#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "runtime/large_vector.hpp"

namespace baytree {

/// Digest of a family, the same for its parents in any order.
std::uint64_t family_digest(VariableId child, VariableSpan parents) noexcept;
/// The same, another one for each version of the data of a variable; all have version 0 if
/// `versions` is empty.
std::uint64_t family_digest(VariableId child, VariableSpan parents,
                            std::span<const std::uint32_t> versions) noexcept;

/// Scores of families met before: a bounded table in which a new family pushes out an old one.
/// Any number of threads may read and write at once without locks. Families are told apart by
/// 64-bit digests: two in 2^64 share one.
class FamilyScoreTable {
public:
    /// Takes 16 bytes an entry; `n_entries` is rounded up to a power of two, 0 to a single entry.
    explicit FamilyScoreTable(std::size_t n_entries);
    FamilyScoreTable(const FamilyScoreTable&) = delete;
    FamilyScoreTable& operator=(const FamilyScoreTable&) = delete;

    /// Has the entry of a family fetched from memory while other work goes on.
    void prefetch(std::uint64_t digest) const noexcept {
        __builtin_prefetch(&entries_[digest & (entries_.size() - 1)]);
    }
    std::size_t size() const noexcept { return entries_.size(); }
    std::optional<double> find(std::uint64_t digest) const noexcept;
    void store(std::uint64_t digest, double score) noexcept;

private:
    // `check` holds digest ^ bits of the score. A reader that catches a half-written entry, the
    // halves from two writers, finds that they do not fit together and takes it for absent.
    struct Entry {
        std::atomic<std::uint64_t> check{0};
        std::atomic<std::uint64_t> score_bits{0};
    };

    LargeVector<Entry> entries_;
};

}  // namespace baytree
