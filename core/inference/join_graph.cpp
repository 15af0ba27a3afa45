#include "inference/join_graph.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "inference/min_fill_graph.hpp"

namespace baytree {

namespace {

using Scope = std::vector<VariableId>;

Scope union_of(const Scope& a, const Scope& b) {
    Scope both;
    std::ranges::set_union(a, b, std::back_inserter(both));
    return both;
}

Scope without(const Scope& scope, VariableId variable) {
    Scope rest;
    std::ranges::remove_copy(scope, std::back_inserter(rest), variable);
    return rest;
}

/// A factor that was given, or the message of a cluster to a bucket that comes later.
struct Function {
    Scope scope;
    std::uint32_t number;  // of the factor, or of the cluster
    bool is_message;
};

/// Where a function goes that fits into several mini-buckets.
enum class Placement {
    least_growth,  // where it brings the fewest variables
    smallest       // where the fewest variables are together then
};

struct MiniBucket {
    Scope scope;
    std::vector<std::size_t> functions;
};

/// Eliminates variables, and writes down who would send what to whom.
class BucketElimination {
public:
    BucketElimination(std::size_t n_variables, const std::vector<Scope>& scopes,
                      std::size_t i_bound, Placement placement, WorkMeter& meter)
        : meter_(meter),
          i_bound_(i_bound),
          placement_(placement),
          functions_of_(n_variables) {
        graph_.cluster_of_factor.resize(scopes.size());
        for (std::uint32_t i = 0; i < scopes.size(); ++i) add({scopes[i], i, false});
    }

    /// Returns the scopes of the messages that go on.
    std::vector<Scope> eliminate(VariableId variable) {
        std::vector<Scope> sent;
        const auto first = static_cast<std::uint32_t>(graph_.clusters.size());
        for (auto& bucket : partition(variable)) {
            const auto cluster = static_cast<std::uint32_t>(graph_.clusters.size());
            if (cluster > first) graph_.edges.push_back({cluster - 1, cluster, {variable}});
            for (const std::size_t i : bucket.functions) take(functions_[i], cluster);
            graph_.clusters.push_back(std::move(bucket.scope));
            sent.push_back(without(graph_.clusters.back(), variable));
        }
        for (std::uint32_t i = 0; i < sent.size(); ++i)
            if (!sent[i].empty()) add({sent[i], first + i, true});
        return sent;
    }

    JoinGraph take_graph() { return std::move(graph_); }

private:
    void add(Function function) {
        for (const VariableId variable : function.scope)
            functions_of_[variable].push_back(functions_.size());
        functions_.push_back(std::move(function));
        is_taken_.push_back(false);
    }

    void take(Function& function, std::uint32_t cluster) {
        if (function.is_message)
            graph_.edges.push_back({function.number, cluster, std::move(function.scope)});
        else
            graph_.cluster_of_factor[function.number] = cluster;
    }

    /// Larger functions first.
    std::vector<MiniBucket> partition(VariableId variable) {
        std::vector<std::size_t> members;
        for (const std::size_t i : functions_of_[variable])
            if (!is_taken_[i]) members.push_back(i);
        std::ranges::stable_sort(members, std::ranges::greater{},
                                 [&](std::size_t i) { return functions_[i].scope.size(); });
        std::vector<MiniBucket> buckets;
        for (const std::size_t i : members) {
            is_taken_[i] = true;
            place(i, buckets);
        }
        return buckets;
    }

    void place(std::size_t function, std::vector<MiniBucket>& buckets) const {
        const Scope& scope = functions_[function].scope;
        meter_.add((1 + buckets.size()) * scope.size());
        MiniBucket* best = nullptr;
        Scope best_scope;
        std::size_t least = 0;
        for (auto& bucket : buckets) {
            Scope both = union_of(bucket.scope, scope);
            if (both.size() > std::max(i_bound_ + 1, bucket.scope.size())) continue;
            const std::size_t price =
                placement_ == Placement::smallest ? both.size() : both.size() - bucket.scope.size();
            if (best && price >= least) continue;
            best = &bucket;
            best_scope = std::move(both);
            least = price;
        }
        if (!best) {
            buckets.push_back({scope, {function}});
            return;
        }
        best->scope = std::move(best_scope);
        best->functions.push_back(function);
    }

    WorkMeter& meter_;
    std::size_t i_bound_;
    Placement placement_;
    std::vector<Function> functions_;
    std::vector<bool> is_taken_;
    std::vector<std::vector<std::size_t>> functions_of_;  // by variable
    JoinGraph graph_;
};

/// Numbers of clusters as they become one.
class Merges {
public:
    explicit Merges(std::size_t n) : into_(n) { std::iota(into_.begin(), into_.end(), 0U); }

    std::uint32_t find(std::uint32_t cluster) {
        while (into_[cluster] != cluster) cluster = into_[cluster] = into_[into_[cluster]];
        return cluster;
    }
    void merge(std::uint32_t cluster, std::uint32_t into) { into_[find(cluster)] = find(into); }

private:
    std::vector<std::uint32_t> into_;
};

/// Makes one of two clusters where the label is the whole of one of them. The higher number stays,
/// so that on a forest each cluster but the last still has one neighbour above it.
Merges merge_subsumed(JoinGraph& graph) {
    Merges merges(graph.clusters.size());
    for (const auto& edge : graph.edges) {
        const std::uint32_t a = merges.find(edge.lower), b = merges.find(edge.upper);
        const std::size_t smaller = std::min(graph.clusters[a].size(), graph.clusters[b].size());
        if (a == b || edge.label.size() != smaller) continue;
        const auto [low, high] = std::minmax(a, b);
        if (graph.clusters[low].size() > graph.clusters[high].size())
            graph.clusters[high] = std::move(graph.clusters[low]);
        merges.merge(low, high);
    }
    return merges;
}

/// Two edges between the same clusters become one: it can carry what both do, and more.
std::vector<JoinGraph::Edge> merged_edges(const JoinGraph& graph, Merges& merges) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Scope> labels;
    for (const auto& edge : graph.edges) {
        const std::pair<std::uint32_t, std::uint32_t> ends =
            std::minmax({merges.find(edge.lower), merges.find(edge.upper)});
        if (ends.first != ends.second) labels[ends] = union_of(labels[ends], edge.label);
    }
    std::vector<JoinGraph::Edge> edges;
    edges.reserve(labels.size());
    for (auto& [ends, label] : labels) edges.push_back({ends.first, ends.second, std::move(label)});
    return edges;
}

JoinGraph simplified(JoinGraph graph) {
    Merges merges = merge_subsumed(graph);
    graph.edges = merged_edges(graph, merges);
    std::vector<std::uint32_t> number(graph.clusters.size());
    std::uint32_t n_clusters = 0;
    for (std::uint32_t cluster = 0; cluster < number.size(); ++cluster) {
        if (merges.find(cluster) != cluster) continue;
        if (n_clusters != cluster) graph.clusters[n_clusters] = std::move(graph.clusters[cluster]);
        number[cluster] = n_clusters++;
    }
    graph.clusters.resize(n_clusters);
    for (auto& edge : graph.edges) {
        edge.lower = number[edge.lower];
        edge.upper = number[edge.upper];
    }
    for (auto& cluster : graph.cluster_of_factor) cluster = number[merges.find(cluster)];
    return graph;
}

JoinGraph graph_by_min_fill(std::size_t n_variables, const std::vector<Scope>& scopes,
                            std::size_t i_bound, std::size_t max_degree, Placement placement,
                            WorkMeter& meter) {
    BucketElimination elimination(n_variables, scopes, i_bound, placement, meter);
    MinFillGraph graph(n_variables, scopes, meter);
    while (graph.n_left() > 0) {
        const VariableId variable = graph.next(max_degree);
        graph.eliminate(variable, elimination.eliminate(variable));
    }
    return simplified(elimination.take_graph());
}

}  // namespace

bool JoinGraph::is_forest() const {
    Merges trees(clusters.size());
    for (const auto& edge : edges) {
        if (trees.find(edge.lower) == trees.find(edge.upper)) return false;
        trees.merge(edge.lower, edge.upper);
    }
    return true;
}

JoinGraph build_join_graph(std::size_t n_variables, const std::vector<Scope>& scopes,
                           std::size_t i_bound, WorkMeter& meter) {
    std::optional<JoinGraph> best;
    // A variable that has at most so many neighbours comes first: it needs no split.
    for (const std::size_t max_degree : {i_bound, n_variables})
        for (const Placement placement : {Placement::least_growth, Placement::smallest}) {
            JoinGraph graph =
                graph_by_min_fill(n_variables, scopes, i_bound, max_degree, placement, meter);
            if (graph.is_forest()) return graph;
            if (!best || graph.clusters.size() < best->clusters.size()) best = std::move(graph);
        }
    return *std::move(best);
}

double bytes_to_build_join_graph(std::size_t n_variables) {
    return MinFillGraph::bytes(n_variables);
}

JoinGraph build_join_graph_along(std::size_t n_variables, const std::vector<Scope>& scopes,
                                 std::size_t i_bound, std::span<const VariableId> order,
                                 WorkMeter& meter) {
    BucketElimination elimination(n_variables, scopes, i_bound, Placement::least_growth, meter);
    for (const VariableId variable : order) elimination.eliminate(variable);
    return simplified(elimination.take_graph());
}

}  // namespace baytree
