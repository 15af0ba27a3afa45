#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// A Bayesian network in numbers. Immutable, so threads share one without locks.
class TabularNetwork {
public:
    /// The table of a variable holds one distribution after the other, for all joint states of its
    /// parents, of which the last one's state changes fastest. Throws std::invalid_argument unless
    /// parents are ascending and without cycle, and each table has the right size and holds
    /// distributions (finite, not negative, sum 1 within 1e-6).
    TabularNetwork(std::vector<std::uint32_t> arities, ParentLists parents,
                   std::vector<std::vector<double>> tables);

    std::size_t n_variables() const noexcept { return arities_.size(); }
    std::uint32_t arity(VariableId variable) const noexcept { return arities_[variable]; }
    const std::vector<std::uint32_t>& arities() const noexcept { return arities_; }
    const ParentLists& parents() const noexcept { return parents_; }
    VariableSpan parents(VariableId variable) const noexcept { return parents_[variable]; }
    std::span<const double> table(VariableId variable) const noexcept { return tables_[variable]; }

    /// Whether the table of a variable, or any table, holds a zero: only then are some joint states
    /// impossible.
    bool has_zeros(VariableId variable) const noexcept { return has_zeros_[variable] != 0; }
    bool has_zeros() const noexcept { return has_any_zero_; }

    /// All variables, parents before their children.
    const std::vector<VariableId>& topological_order() const noexcept { return order_; }

private:
    std::vector<std::uint32_t> arities_;
    ParentLists parents_;
    std::vector<std::vector<double>> tables_;
    std::vector<VariableId> order_;
    std::vector<std::uint8_t> has_zeros_;  // by variable
    bool has_any_zero_ = false;
};

}  // namespace baytree
