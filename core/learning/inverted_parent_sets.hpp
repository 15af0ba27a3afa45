#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "learning/usable_parent_sets.hpp"

namespace baytree {

/// A set of variables in 64 bits, several variables to a bit: what lacks a bit of a set's
/// signature does not hold the set.
using Signature = std::uint64_t;

inline Signature signature_of(VariableId variable) noexcept {
    return Signature{1} << ((variable * 0x9E3779B97F4A7C15ULL) >> 58);
}

/// Parent sets found by member: for each variable the sets that hold it, grouped by child and best
/// first within a group.
class InvertedParentSets {
public:
    explicit InvertedParentSets(const ParentSetLists& sets);

    /// The sets of one child that hold one member.
    struct Group {
        VariableId child;
        std::span<const std::uint32_t> choices;  // which of the child's sets, ascending
        std::span<const Signature> signatures;
    };

    std::size_t n_groups(VariableId member) const noexcept {
        return first_group_[member + 1] - first_group_[member];
    }
    Group group(VariableId member, std::size_t i) const noexcept {
        const std::size_t group = first_group_[member] + i;
        const std::size_t start = starts_[group];
        const std::size_t size = starts_[group + 1] - start;
        return {children_[group], {&choices_[start], size}, {&signatures_[start], size}};
    }

private:
    std::vector<std::size_t> first_group_;  // by member, and the end
    std::vector<VariableId> children_;      // by group
    std::vector<std::size_t> starts_;       // by group, and the end
    std::vector<std::uint32_t> choices_;
    std::vector<Signature> signatures_;
};

}  // namespace baytree
