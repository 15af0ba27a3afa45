#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "inference/exact_inference.hpp"
#include "query_calls.hpp"
#include "run_control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

void bind_cost(nb::module_& m) {
    nb::class_<InferenceCost>(m, "InferenceCost")
        .def_ro("clique_variables", &InferenceCost::clique_variables)
        .def_ro("clique_entries", &InferenceCost::clique_entries)
        .def_ro("total_entries", &InferenceCost::total_entries)
        .def_ro("n_cliques", &InferenceCost::n_cliques)
        .def_ro("bytes", &InferenceCost::bytes)
        .def_ro("filled_entries", &InferenceCost::filled_entries);
    // The error carries its cost, which nanobind's own exceptions could not.
    const nb::object name = m.attr("__name__") + nb::str(".InferenceTooLarge");
    static nb::object too_large =
        nb::steal(PyErr_NewException(nb::cast<const char*>(name), PyExc_MemoryError, nullptr));
    m.attr("InferenceTooLarge") = too_large;
    nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
        try {
            std::rethrow_exception(pointer);
        } catch (const InferenceTooLarge& error) {
            PyErr_SetObject(too_large.ptr(), nb::cast(error.cost()).ptr());
        }
    });
}

}  // namespace

void bind_inference_queries(nb::module_& m) {
    bind_cost(m);
    nb::class_<ExactInference>(m, "ExactInference")
        .def(nb::init<const TabularNetwork&, std::vector<VariableId>, double>(), "network"_a,
             nb::kw_only(), "order"_a, "max_kept_bytes"_a, nb::keep_alive<1, 2>())
        .def(
            "cost",
            [](ExactInference& self, States states, Likelihoods likelihoods,
               PythonRunControl& control) {
                const Evidence evidence{std::move(states), std::move(likelihoods)};
                return run_query(control,
                                 [&](RunControl& core) { return self.cost(evidence, core); });
            },
            "states"_a, "likelihoods"_a, nb::kw_only(), "control"_a)
        .def(
            "probability",
            [](ExactInference& self, States states, Likelihoods likelihoods, double max_bytes,
               PythonRunControl& control) {
                const Evidence evidence{std::move(states), std::move(likelihoods)};
                const ScaledNumber result = run_query(control, [&](RunControl& core) {
                    return self.probability(evidence, {max_bytes, core});
                });
                return std::pair(result.value(), result.log());
            },
            "states"_a, "likelihoods"_a, nb::kw_only(), "max_bytes"_a, "control"_a)
        .def(
            "posterior",
            [](ExactInference& self, const std::vector<VariableId>& targets, States states,
               Likelihoods likelihoods, double max_bytes, PythonRunControl& control) {
                const Evidence evidence{std::move(states), std::move(likelihoods)};
                return to_numpy(run_query(control, [&](RunControl& core) {
                    return self.posterior(targets, evidence, {max_bytes, core});
                }));
            },
            "targets"_a, "states"_a, "likelihoods"_a, nb::kw_only(), "max_bytes"_a, "control"_a)
        .def(
            "marginals",
            [](ExactInference& self, States states, Likelihoods likelihoods, double max_bytes,
               PythonRunControl& control) {
                const Evidence evidence{std::move(states), std::move(likelihoods)};
                return to_numpy(run_query(control, [&](RunControl& core) {
                    return self.marginals(evidence, {max_bytes, core});
                }));
            },
            "states"_a, "likelihoods"_a, nb::kw_only(), "max_bytes"_a, "control"_a)
        .def(
            "most_probable",
            [](ExactInference& self, States states, Likelihoods likelihoods, double max_bytes,
               PythonRunControl& control) {
                const Evidence evidence{std::move(states), std::move(likelihoods)};
                MostProbable result = run_query(control, [&](RunControl& core) {
                    return self.most_probable(evidence, {max_bytes, core});
                });
                return std::pair(std::move(result.states), result.probability.log());
            },
            "states"_a, "likelihoods"_a, nb::kw_only(), "max_bytes"_a, "control"_a);
}

}  // namespace baytree
