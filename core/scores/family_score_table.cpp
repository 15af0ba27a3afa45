#include "scores/family_score_table.hpp"

#include <algorithm>
#include <bit>

namespace baytree {

namespace {

template <class Key>
std::uint64_t digest_of(VariableId child, VariableSpan parents, const Key& key) noexcept {
    const auto mix = [](std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
        return x ^ (x >> 31);
    };
    std::uint64_t sum = 0;  // without order, so that the parents are mixed side by side
    for (const VariableId parent : parents) sum += mix(key(parent) + 0x9E3779B97F4A7C15ULL);
    const std::uint64_t digest = mix(sum + 0xD1B54A32D192ED03ULL * (key(child) + 1ULL));
    return std::max<std::uint64_t>(digest, 1);  // 0 marks an empty entry
}

}  // namespace

std::uint64_t family_digest(VariableId child, VariableSpan parents) noexcept {
    return digest_of(child, parents, [](VariableId variable) { return std::uint64_t{variable}; });
}

std::uint64_t family_digest(VariableId child, VariableSpan parents,
                            std::span<const std::uint32_t> versions) noexcept {
    if (versions.empty()) return family_digest(child, parents);
    return digest_of(child, parents, [&](VariableId variable) {
        return std::uint64_t{versions[variable]} << 32 | variable;
    });
}

FamilyScoreTable::FamilyScoreTable(std::size_t n_entries)
    : entries_(std::bit_ceil(std::max<std::size_t>(n_entries, 1))) {}

std::optional<double> FamilyScoreTable::find(std::uint64_t digest) const noexcept {
    const Entry& entry = entries_[digest & (entries_.size() - 1)];
    const std::uint64_t bits = entry.score_bits.load(std::memory_order_relaxed);
    if ((entry.check.load(std::memory_order_relaxed) ^ bits) != digest) return std::nullopt;
    return std::bit_cast<double>(bits);
}

void FamilyScoreTable::store(std::uint64_t digest, double score) noexcept {
    Entry& entry = entries_[digest & (entries_.size() - 1)];
    const auto bits = std::bit_cast<std::uint64_t>(score);
    entry.score_bits.store(bits, std::memory_order_relaxed);
    entry.check.store(digest ^ bits, std::memory_order_relaxed);
}

}  // namespace baytree
