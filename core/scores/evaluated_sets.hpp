#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// The parent sets of one child that were scored so far, found again by their members.
class EvaluatedSets {
public:
    using Id = std::uint32_t;

    EvaluatedSets();

    VariableSpan members(Id id) const noexcept {
        const std::size_t end = id + 1 < records_.size() ? records_[id + 1].start : members_.size();
        return {members_.data() + records_[id].start, end - records_[id].start};
    }
    double score(Id id) const noexcept { return records_[id].score; }

    /// Best score among the set and those of its subsets that were known when it was added.
    double best_within(Id id) const noexcept { return records_[id].best_within; }

    /// Makes room for `n` more sets of a few members.
    void reserve(std::size_t n);

    /// `set` must be sorted and new.
    Id add(VariableSpan set, double score, double best_within);

    std::optional<Id> find(VariableSpan set) const noexcept;

private:
    struct Record {
        double score;
        double best_within;
        std::size_t start;
    };
    static constexpr Id no_set = static_cast<Id>(-1);

    std::size_t slot_of(VariableSpan set) const noexcept;
    void resize_slots(std::size_t n_slots);

    std::vector<Record> records_;
    std::vector<VariableId> members_;
    std::vector<Id> slots_;  // open addressing; a power of two in size, at most half full
};

}  // namespace baytree
