#include "scores/evaluated_sets.hpp"

#include <algorithm>
#include <bit>

#include "scores/family_score_table.hpp"

namespace baytree {

EvaluatedSets::EvaluatedSets() : slots_(1024, no_set) {}

std::size_t EvaluatedSets::slot_of(VariableSpan set) const noexcept {
    std::size_t slot = family_digest(0, set) & (slots_.size() - 1);
    while (slots_[slot] != no_set && !std::ranges::equal(members(slots_[slot]), set))
        slot = (slot + 1) & (slots_.size() - 1);
    return slot;
}

std::optional<EvaluatedSets::Id> EvaluatedSets::find(VariableSpan set) const noexcept {
    const Id id = slots_[slot_of(set)];
    return id == no_set ? std::nullopt : std::optional(id);
}

EvaluatedSets::Id EvaluatedSets::add(VariableSpan set, double score, double best_within) {
    if (2 * (records_.size() + 1) > slots_.size()) resize_slots(2 * slots_.size());
    const Id id = static_cast<Id>(records_.size());
    slots_[slot_of(set)] = id;
    records_.push_back({score, best_within, members_.size()});
    members_.insert(members_.end(), set.begin(), set.end());
    return id;
}

void EvaluatedSets::reserve(std::size_t n) {
    records_.reserve(records_.size() + n);
    members_.reserve(members_.size() + n);
    const std::size_t n_slots = std::bit_ceil(2 * (records_.size() + n));
    if (n_slots > slots_.size()) resize_slots(n_slots);
}

void EvaluatedSets::resize_slots(std::size_t n_slots) {
    slots_.assign(n_slots, no_set);
    for (Id id = 0; id < records_.size(); ++id) slots_[slot_of(members(id))] = id;
}

}  // namespace baytree
