#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "data/variable.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// Bags of variables joined to a forest: every family lies in a bag, and the bags that hold a
/// variable are connected.
struct TreeDecomposition {
    std::vector<std::vector<VariableId>> bags;  // each ascending, none inside another
    std::vector<std::pair<std::size_t, std::size_t>> edges;

    /// Size of the largest bag less one.
    std::size_t width() const noexcept;

    /// All variables, in an order whose elimination puts none together that share no bag; the bags
    /// need not be ascending for it.
    std::vector<VariableId> elimination_order() const;
};

/// Throws std::invalid_argument unless `parents` are ascending lists of other variables and `order`
/// holds each variable once.
void check_elimination_order(const ParentLists& parents, std::span<const VariableId> order);

/// The decomposition of the moral graph of a DAG that eliminating its variables in `order` gives:
/// a variable shares a bag with its neighbours that are left, which become neighbours.
TreeDecomposition decompose(const ParentLists& parents, std::span<const VariableId> order);

}  // namespace baytree
