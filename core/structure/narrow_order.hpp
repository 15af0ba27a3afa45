#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "data/variable.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// An elimination order of the moral graph of a DAG whose bags have at most `max_width` + 1
/// variables; nothing if its treewidth is larger. Exact, by dynamic programming over the sets of
/// variables that are eliminated first ([bodlaender]); for at most 20 variables, else it throws
/// std::invalid_argument.
std::optional<std::vector<VariableId>> narrow_order(const ParentLists& parents,
                                                    std::size_t max_width);

}  // namespace baytree
