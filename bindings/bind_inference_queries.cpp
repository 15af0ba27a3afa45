#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "inference/elimination.hpp"
#include "inference/exact_inference.hpp"
#include "inference/scopes.hpp"
#include "inference/work_meter.hpp"
#include "query_calls.hpp"
#include "run_control.hpp"
#include "structure/tree_decomposition.hpp"

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

}  // namespace

void bind_inference_queries(nb::module_& m) {
    bind_cost(m);
    bind_elimination(m);
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
