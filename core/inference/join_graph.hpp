#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// Clusters of variables that cover all factors, joined by edges whose labels are variables of both
/// ends ([ijgp]). For every variable, the clusters that hold it and the edges whose labels hold it
/// form a tree. So the graph is minimal: no variable's own news comes back to it on a cycle.
struct JoinGraph {
    struct Edge {
        std::uint32_t lower, upper;     // numbers of clusters, lower < upper
        std::vector<VariableId> label;  // ascending, never empty
    };

    std::vector<std::vector<VariableId>> clusters;  // each ascending
    std::vector<Edge> edges;                        // no two join the same clusters
    std::vector<std::uint32_t> cluster_of_factor;

    /// Without cycles, propagation is exact.
    bool is_forest() const;
};

/// Splits the factors with the given scopes (ascending, not empty) into clusters by mini-buckets
/// ([mini-buckets]). A cluster has at most `i_bound` + 1 variables unless a factor has more.
/// Variables are eliminated in `order`, which may hold others too. Without one, min-fill chooses
/// among those that need no split as long as there are any.
JoinGraph build_join_graph(std::size_t n_variables,
                           const std::vector<std::vector<VariableId>>& scopes, std::size_t i_bound,
                           std::optional<std::span<const VariableId>> order = std::nullopt);

}  // namespace baytree
