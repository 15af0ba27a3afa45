#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// Parents of every variable, each list ascending.
using ParentLists = std::vector<std::vector<VariableId>>;

/// The same with room for a fixed number of parents a variable, in one piece of memory.
class ParentTable {
public:
    ParentTable(std::size_t n_variables, std::size_t max_parents)
        : max_parents_(max_parents),
          members_(n_variables * max_parents),
          counts_(n_variables) {}

    std::size_t n_variables() const noexcept { return counts_.size(); }
    std::size_t max_parents() const noexcept { return max_parents_; }
    VariableSpan operator[](VariableId child) const noexcept {
        return {members_.data() + child * max_parents_, counts_[child]};
    }

    /// There must be room.
    void insert(VariableId parent, VariableId child);
    /// It must be there.
    void erase(VariableId parent, VariableId child);

    ParentLists lists() const;

private:
    std::size_t max_parents_;
    std::vector<VariableId> members_;
    std::vector<std::uint32_t> counts_;
};

/// All variables, parents before their children; nothing if the arcs form a cycle.
std::optional<std::vector<VariableId>> topological_order(const ParentLists& parents);

}  // namespace baytree
