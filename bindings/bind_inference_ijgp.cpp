#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "inference/join_graph_inference.hpp"
#include "query_calls.hpp"
#include "run_control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

void bind_answer(nb::module_& m) {
    nb::class_<JoinGraphAnswer>(m, "JoinGraphAnswer")
        .def_prop_ro(
            "probabilities",
            [](const JoinGraphAnswer& self) {
                return nb::cast(to_numpy(std::span<const double>(self.probabilities)));
            },
            nb::sig("def probabilities(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def_ro("log_probability", &JoinGraphAnswer::log_probability)
        .def_ro("n_sweeps", &JoinGraphAnswer::n_sweeps)
        .def_ro("largest_change", &JoinGraphAnswer::largest_change)
        .def_ro("is_converged", &JoinGraphAnswer::is_converged)
        .def_ro("is_exact", &JoinGraphAnswer::is_exact);
    nb::class_<JoinGraphOptions>(m, "JoinGraphOptions")
        .def(
            "__init__",
            [](JoinGraphOptions* self, std::size_t i_bound, std::size_t max_sweeps,
               double tolerance, double max_bytes) {
                new (self) JoinGraphOptions{i_bound, max_sweeps, tolerance, max_bytes};
            },
            nb::kw_only(), "i_bound"_a, "max_sweeps"_a, "tolerance"_a, "max_bytes"_a);
}

}  // namespace

void bind_inference_ijgp(nb::module_& m) {
    bind_answer(m);
    nb::class_<JoinGraphInference>(m, "JoinGraphInference")
        .def(nb::init<const TabularNetwork&, std::vector<VariableId>>(), "network"_a, nb::kw_only(),
             "order"_a, nb::keep_alive<1, 2>())
        .def(
            "posterior",
            [](const JoinGraphInference& self, VariableId target, States states,
               Likelihoods likelihoods, const JoinGraphOptions& options,
               PythonRunControl& control) {
                const Evidence evidence{std::move(states), std::move(likelihoods)};
                return run_query(control, [&](RunControl& core) {
                    return self.posterior(target, evidence, options, core);
                });
            },
            "target"_a, "states"_a, "likelihoods"_a, nb::kw_only(), "options"_a, "control"_a)
        .def(
            "marginals",
            [](const JoinGraphInference& self, States states, Likelihoods likelihoods,
               const JoinGraphOptions& options, PythonRunControl& control) {
                const Evidence evidence{std::move(states), std::move(likelihoods)};
                return run_query(control, [&](RunControl& core) {
                    return self.marginals(evidence, options, core);
                });
            },
            "states"_a, "likelihoods"_a, nb::kw_only(), "options"_a, "control"_a)
        .def(
            "probability",
            [](const JoinGraphInference& self, States states, Likelihoods likelihoods,
               const JoinGraphOptions& options, PythonRunControl& control) {
                const Evidence evidence{std::move(states), std::move(likelihoods)};
                return run_query(control, [&](RunControl& core) {
                    return self.probability(evidence, options, core);
                });
            },
            "states"_a, "likelihoods"_a, nb::kw_only(), "options"_a, "control"_a);
}

}  // namespace baytree
