#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "structure/variable_mask.hpp"

namespace baytree {

/// What hangs on a clique: variables under it, and the members of the clique that get their parents
/// there.
struct Part {
    VariableMask under = 0;
    VariableMask children = 0;

    bool operator==(const Part&) const = default;
    auto operator<=>(const Part&) const = default;
};

/// Whether both can hang on the same clique.
inline bool go_together(const Part& a, const Part& b) noexcept {
    return ((a.under & b.under) | (a.children & b.children)) == 0;
}
inline Part united(const Part& a, const Part& b) noexcept {
    return {a.under | b.under, a.children | b.children};
}

/// Values of parts, one for each order of the clique. Moved only: a copy would be in other memory.
class PartValues {
public:
    /// `memory` must outlive the values; if it throws, they are of no more use.
    PartValues(std::size_t n_orders, std::pmr::memory_resource* memory)
        : n_orders_(n_orders),
          parts_(memory),
          values_(memory),
          slots_(memory) {}
    PartValues(PartValues&&) = default;
    PartValues& operator=(PartValues&&) = default;

    std::size_t size() const noexcept { return parts_.size(); }
    const Part& part(std::size_t i) const noexcept { return parts_[i]; }
    const double* values(std::size_t i) const noexcept { return values_.data() + i * n_orders_; }

    /// Null if there are none. Pointers hold until the next `find_or_add`.
    const double* find(const Part& part) const noexcept;
    double* find(const Part& part) noexcept;
    /// New values are minus infinity.
    double* find_or_add(const Part& part);

    /// Gives back memory; finding is slow from then on, and nothing can be added.
    void freeze();

private:
    std::size_t slot_of(const Part& part) const noexcept;
    void grow();

    std::size_t n_orders_;
    std::pmr::vector<Part> parts_;
    std::pmr::vector<double> values_;
    std::pmr::vector<std::uint32_t> slots_;  // number of a part, from 1; 0 for none
};

}  // namespace baytree
