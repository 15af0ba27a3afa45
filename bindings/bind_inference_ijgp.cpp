#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "inference/ijgp.hpp"
#include "inference/join_graph.hpp"
#include "run_control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

using Arrays = nb::typed<nb::list, decltype(to_numpy(std::vector<double>()))>;

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
           std::size_t i_bound) { return build_join_graph(n_variables, scopes, i_bound); },
        "n_variables"_a, "scopes"_a, nb::kw_only(), "i_bound"_a);
}

void bind_result(nb::module_& m) {
    nb::class_<IjgpResult>(m, "IjgpResult")
        .def_prop_ro("marginals",
                     [](const IjgpResult& self) {
                         Arrays arrays;
                         for (const auto& marginal : self.marginals)
                             arrays.append(to_numpy(std::span<const double>(marginal)));
                         return arrays;
                     })
        .def_ro("log_probability", &IjgpResult::log_probability)
        .def_ro("n_sweeps", &IjgpResult::n_sweeps)
        .def_ro("largest_change", &IjgpResult::largest_change)
        .def_ro("is_converged", &IjgpResult::is_converged)
        .def_ro("is_exact", &IjgpResult::is_exact)
        .def_ro("n_clusters", &IjgpResult::n_clusters)
        .def_ro("largest_cluster", &IjgpResult::largest_cluster)
        .def_ro("n_entries", &IjgpResult::n_entries);
}

}  // namespace

void bind_inference_ijgp(nb::module_& m) {
    bind_join_graph(m);
    bind_result(m);
    m.def(
        "propagate_on_join_graph",
        [](const TabularNetwork& network, std::vector<std::int32_t> codes,
           std::vector<std::pair<VariableId, std::vector<double>>> likelihoods,
           std::vector<VariableId> targets, std::vector<VariableId> order, std::size_t i_bound,
           std::size_t max_sweeps, double tolerance, double max_entries,
           PythonRunControl& control) {
            const Observations observations{std::move(codes), std::move(likelihoods)};
            const IjgpOptions options{.i_bound = i_bound,
                                      .max_sweeps = max_sweeps,
                                      .tolerance = tolerance,
                                      .max_entries = max_entries,
                                      .order = std::move(order),
                                      .targets = std::move(targets)};
            std::optional<IjgpResult> result;
            {
                nb::gil_scoped_release unlocked;
                result = propagate_on_join_graph(network, observations, options, control.core());
            }
            control.raise_pending();
            return *std::move(result);
        },
        "network"_a, "codes"_a, nb::kw_only(), "likelihoods"_a, "targets"_a, "order"_a, "i_bound"_a,
        "max_sweeps"_a, "tolerance"_a, "max_entries"_a, "control"_a);
}

}  // namespace baytree
