#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "inference/work_meter.hpp"

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
/// ([mini-buckets]). A cluster has at most `i_bound` + 1 variables unless a factor has more. Tries
/// four ways to choose the next variable and to split; the fewest clusters win, as what is split
/// less often errs less. Takes a bit for each pair of variables.
JoinGraph build_join_graph(std::size_t n_variables,
                           const std::vector<std::vector<VariableId>>& scopes, std::size_t i_bound,
                           WorkMeter& meter);

/// Bytes that this takes.
double bytes_to_build_join_graph(std::size_t n_variables);

/// The same, with variables eliminated in a given order of all that the scopes hold. Takes no more
/// memory than the graph.
JoinGraph build_join_graph_along(std::size_t n_variables,
                                 const std::vector<std::vector<VariableId>>& scopes,
                                 std::size_t i_bound, std::span<const VariableId> order,
                                 WorkMeter& meter);

}  // namespace baytree
