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

    /// All variables, parents before their children.
    const std::vector<VariableId>& topological_order() const noexcept { return order_; }

private:
    std::vector<std::uint32_t> arities_;
    ParentLists parents_;
    std::vector<std::vector<double>> tables_;
    std::vector<VariableId> order_;
};

}  // namespace baytree
