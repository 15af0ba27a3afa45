#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "learning/usable_parent_sets.hpp"

namespace baytree {

/// A network over a few variables.
struct SmallDag {
    double score;
    std::vector<VariableId> order;      // its variables, parents before children
    std::vector<std::uint32_t> choice;  // in this order: which of its sets each has
};

/// So many variables take some four megabytes and milliseconds; each further one doubles that.
inline constexpr std::size_t max_small_dag_variables = 15;

/// The network of highest score over `variables`, whose parent sets lie among them ([silander],
/// dynamic programming over subsets). Where not all of them can have a parent set without a cycle,
/// the best over as many as can. Throws std::invalid_argument for more variables than
/// `max_small_dag_variables`.
SmallDag best_small_dag(const ParentSetLists& sets, std::span<const VariableId> variables);

}  // namespace baytree
