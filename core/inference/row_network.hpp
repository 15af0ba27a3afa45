#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "inference/tabular_network.hpp"

namespace baytree {

/// How far the entry of a table moves when a variable's state goes up by one.
struct FamilyTerm {
    VariableId variable;
    std::uint32_t stride;
};

/// A network with all that inference on many rows looks up again and again. Immutable, so threads
/// share one without locks.
class RowNetwork {
public:
    /// Cliques come from eliminating variables in `elimination_order`. Throws std::invalid_argument
    /// unless that holds every variable once, and a table has fewer than 2^32 entries.
    RowNetwork(TabularNetwork network, std::span<const VariableId> elimination_order);

    std::size_t n_variables() const noexcept { return network_.n_variables(); }
    std::uint32_t arity(VariableId variable) const noexcept { return network_.arity(variable); }
    VariableSpan parents(VariableId variable) const noexcept { return network_.parents(variable); }
    VariableSpan children(VariableId variable) const noexcept { return children_[variable]; }

    /// The parents, ascending, and behind them the variable itself with a stride of 1.
    std::span<const FamilyTerm> family(VariableId variable) const noexcept {
        return std::span(terms_).subspan(first_term_[variable],
                                         first_term_[variable + 1] - first_term_[variable]);
    }
    std::span<const double> table(VariableId variable) const noexcept {
        return network_.table(variable);
    }
    /// Natural logarithms of `table`, minus infinity for zero.
    std::span<const double> log_table(VariableId variable) const noexcept {
        return std::span(log_tables_).subspan(first_entry(variable), table(variable).size());
    }

    /// Where the table of a variable begins in arrays that hold all of them, one behind the other.
    std::size_t first_entry(VariableId variable) const noexcept { return first_entry_[variable]; }
    std::size_t n_entries() const noexcept { return log_tables_.size(); }

    /// Whether some joint states are impossible.
    bool has_zeros() const noexcept { return network_.has_zeros(); }

    /// Position in the elimination order.
    std::uint32_t rank(VariableId variable) const noexcept { return rank_[variable]; }
    /// All variables, parents before their children.
    const std::vector<VariableId>& topological_order() const noexcept {
        return network_.topological_order();
    }
    const TabularNetwork& tabular() const noexcept { return network_; }

private:
    void index_families();
    void take_logarithms();

    TabularNetwork network_;
    std::vector<std::uint32_t> rank_;
    std::vector<std::vector<VariableId>> children_;
    std::vector<FamilyTerm> terms_;
    std::vector<std::size_t> first_term_;
    std::vector<double> log_tables_;
    std::vector<std::size_t> first_entry_;
};

}  // namespace baytree
