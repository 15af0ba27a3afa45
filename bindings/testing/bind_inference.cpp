#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "conversions.hpp"
#include "inference/elimination.hpp"
#include "inference/expected_counts.hpp"
#include "inference/join_graph.hpp"
#include "inference/repeated_counts.hpp"
#include "inference/row_network.hpp"
#include "inference/scopes.hpp"
#include "inference/work_meter.hpp"
#include "row_arguments.hpp"
#include "run_control.hpp"
#include "structure/tree_decomposition.hpp"
#include "testing/binders.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

Scopes to_scopes(const std::vector<std::vector<VariableId>>& lists, std::size_t n_variables) {
    Scopes scopes;
    for (const auto& list : lists) {
        for (const VariableId variable : list)
            if (variable >= n_variables) throw std::invalid_argument("a scope has no variable");
        scopes.add_set(list);
    }
    return scopes;
}

void bind_elimination(nb::module_& m) {
    nb::enum_<EliminationRule>(m, "EliminationRule")
        .value("fill", EliminationRule::fill)
        .value("weighted_fill", EliminationRule::weighted_fill)
        .value("size", EliminationRule::size);
    nb::class_<Elimination>(m, "Elimination")
        .def_ro("order", &Elimination::order)
        .def_ro("later", &Elimination::later);
    m.def(
        "eliminate_greedily",
        [](const std::vector<std::vector<VariableId>>& scopes,
           const std::vector<std::uint32_t>& arities, EliminationRule rule,
           std::optional<std::uint64_t> seed) {
            RunControl control;
            WorkMeter meter(control);
            return eliminate_greedily(to_scopes(scopes, arities.size()), arities, rule, seed,
                                      meter);
        },
        "scopes"_a, "arities"_a, nb::kw_only(), "rule"_a, "seed"_a.none());
    m.def(
        "eliminate_along",
        [](const std::vector<std::vector<VariableId>>& scopes,
           const std::vector<VariableId>& order) {
            check_elimination_order(ParentLists(order.size()), order);
            return eliminate_along(to_scopes(scopes, order.size()), order);
        },
        "scopes"_a, "order"_a);
}

void bind_join_graph(nb::module_& m) {
    nb::class_<JoinGraph::Edge>(m, "JoinGraphEdge")
        .def_ro("lower", &JoinGraph::Edge::lower)
        .def_ro("upper", &JoinGraph::Edge::upper)
        .def_ro("label", &JoinGraph::Edge::label);
    nb::class_<JoinGraph>(m, "JoinGraph")
        .def_ro("clusters", &JoinGraph::clusters)
        .def_ro("edges", &JoinGraph::edges)
        .def_ro("cluster_of_factor", &JoinGraph::cluster_of_factor)
        .def_prop_ro("is_forest", &JoinGraph::is_forest);
    m.def(
        "build_join_graph",
        [](std::size_t n_variables, const std::vector<std::vector<VariableId>>& scopes,
           std::size_t i_bound) {
            RunControl control;
            WorkMeter meter(control);
            return build_join_graph(n_variables, scopes, i_bound, meter);
        },
        "n_variables"_a, "scopes"_a, nb::kw_only(), "i_bound"_a);
}

void bind_counts(nb::module_& m) {
    m.def(
        "expected_counts",
        [](const RowNetwork& network, const StateCodes& codes, const Weights& weights,
           const RowLimits& limits, PythonRunControl& control) {
            auto expected = run_unlocked(control, [&](RunControl& core) {
                return expected_counts(network, to_rows(codes), to_weights(weights), limits, core);
            });
            return std::pair(to_numpy(std::move(expected.counts)), expected.log_likelihood);
        },
        "network"_a, "codes"_a, nb::kw_only(), "weights"_a.none(), "limits"_a, "control"_a);
    m.def(
        "repeated_counts",
        [](const std::vector<const RowNetwork*>& networks, const StateCodes& codes,
           const Weights& weights, std::size_t max_kept, const RowLimits& limits,
           PythonRunControl& control) {
            RepeatedCounts counts(to_rows(codes), to_weights(weights), limits, max_kept);
            std::vector<std::pair<nb::ndarray<nb::numpy, double, nb::ndim<1>>, double>> all;
            for (const RowNetwork* network : networks) {
                auto expected = run_unlocked(
                    control, [&](RunControl& core) { return counts.count(*network, core); });
                all.emplace_back(to_numpy(std::move(expected.counts)), expected.log_likelihood);
            }
            return std::pair(std::move(all), counts.n_kept());
        },
        "networks"_a, "codes"_a, nb::kw_only(), "weights"_a.none(), "max_kept"_a, "limits"_a,
        "control"_a);
}

}  // namespace

void bind_inference_testing(nb::module_& m) {
    bind_elimination(m);
    bind_join_graph(m);
    bind_counts(m);
}

}  // namespace baytree
