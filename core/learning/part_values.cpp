#include "learning/part_values.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace baytree {

namespace {

constexpr std::size_t n_first_slots = 16;

std::uint64_t digest(const Part& part) noexcept {
    const std::uint64_t bits = (std::uint64_t{part.under} << 32) | part.children;
    const std::uint64_t product = bits * 0x9E3779B97F4A7C15ULL;
    return product ^ (product >> 32);
}

}  // namespace

std::size_t PartValues::slot_of(const Part& part) const noexcept {
    std::size_t slot = digest(part) & (slots_.size() - 1);
    while (slots_[slot] != 0 && parts_[slots_[slot] - 1] != part)
        slot = (slot + 1) & (slots_.size() - 1);
    return slot;
}

const double* PartValues::find(const Part& part) const noexcept {
    if (!slots_.empty()) {
        const std::uint32_t number = slots_[slot_of(part)];
        return number == 0 ? nullptr : values(number - 1);
    }
    const auto found = std::ranges::find(parts_, part);
    if (found == parts_.end()) return nullptr;
    return values(static_cast<std::size_t>(std::distance(parts_.begin(), found)));
}

double* PartValues::find(const Part& part) noexcept {
    return const_cast<double*>(std::as_const(*this).find(part));
}

double* PartValues::find_or_add(const Part& part) {
    if (2 * (parts_.size() + 1) > slots_.size()) grow();
    const std::size_t slot = slot_of(part);
    if (slots_[slot] == 0) {
        parts_.push_back(part);
        values_.resize(values_.size() + n_orders_, -std::numeric_limits<double>::infinity());
        slots_[slot] = static_cast<std::uint32_t>(parts_.size());
    }
    return values_.data() + (slots_[slot] - 1) * n_orders_;
}

void PartValues::grow() {
    slots_.assign(std::max(n_first_slots, 2 * slots_.size()), 0);
    for (std::size_t i = 0; i < parts_.size(); ++i)
        slots_[slot_of(parts_[i])] = static_cast<std::uint32_t>(i + 1);
}

void PartValues::freeze() {
    slots_.clear();  // assigning {} would keep the memory
    slots_.shrink_to_fit();
    parts_.shrink_to_fit();
    values_.shrink_to_fit();
}

}  // namespace baytree
