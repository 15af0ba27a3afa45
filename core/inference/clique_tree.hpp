#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/elimination.hpp"
#include "inference/inference_cost.hpp"
#include "inference/table_kernels.hpp"

namespace baytree {

/// Variables whose table is held together. First come those that the parent clique lacks, then the
/// separator in the order of the parent, so that messages to and from it run along memory.
struct Clique {
    std::vector<VariableId> variables;
    std::vector<std::uint32_t> arities;
    std::size_t n_separator = 0;
    std::size_t parent = 0;  // itself for a root
    double n_entries = 1.0;
    double n_separator_entries = 1.0;

    std::span<const VariableId> separator() const noexcept {
        return std::span(variables).last(n_separator);
    }
    std::size_t size() const noexcept { return static_cast<std::size_t>(n_entries); }
    std::size_t separator_size() const noexcept {
        return static_cast<std::size_t>(n_separator_entries);
    }
};

/// The cliques of an elimination, joined to a forest. Parents come before their children.
class CliqueTree {
public:
    /// One of the roots holds `root`, a set that the elimination kept together; empty for any.
    CliqueTree(const Elimination& elimination, std::span<const std::uint32_t> arities,
               std::span<const VariableId> root = {});

    const std::vector<Clique>& cliques() const noexcept { return cliques_; }
    bool is_root(std::size_t clique) const noexcept { return cliques_[clique].parent == clique; }

    /// A clique that holds a set of which the elimination kept all members together.
    std::size_t clique_of(std::span<const VariableId> set) const;

    /// Plans how the separator of a clique lies in its parent. `is_kept` is memory to use.
    void plan_separator(std::size_t clique, Broadcast& plan,
                        std::vector<std::uint8_t>& is_kept) const;

    /// Sizes of the tables; `bytes` is left to those who know which of them they keep.
    const InferenceCost& cost() const noexcept { return cost_; }
    double n_separator_entries() const noexcept { return n_separator_entries_; }

private:
    void add_costs();

    std::vector<Clique> cliques_;
    std::vector<std::size_t> position_;   // of every variable in the order of elimination
    std::vector<std::size_t> clique_at_;  // of every variable: it holds its later neighbours too
    InferenceCost cost_;
    double n_separator_entries_ = 0.0;
};

}  // namespace baytree
