#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "inference/network_sampling.hpp"
#include "inference/parameter_estimation.hpp"
#include "inference/row_inference.hpp"
#include "inference/row_network.hpp"
#include "row_arguments.hpp"
#include "run_control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>, nb::f_contig>
to_codes(LargeVector<std::int32_t> codes, std::size_t n_rows, std::size_t n_variables) {
    using Owned = LargeVector<std::int32_t>;
    auto* owned = new Owned(std::move(codes));  // freed by the capsule
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
    return {owned->data(), {n_rows, n_variables}, owner, {1, static_cast<std::int64_t>(n_rows)}};
}

/// RowsTooLarge becomes an exception with the bytes needed and allowed as its arguments.
void bind_too_large(nb::module_& m) {
    const nb::exception<RowsTooLarge> type(m, "RowsTooLarge", PyExc_MemoryError);
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* python_type) {
            try {
                std::rethrow_exception(thrown);
            } catch (const RowsTooLarge& error) {
                const auto figures = nb::make_tuple(error.n_bytes, error.max_bytes);
                PyErr_SetObject(static_cast<PyObject*>(python_type), figures.ptr());
            }
        },
        type.ptr());  // the module keeps it alive
}

void bind_row_network(nb::module_& m) {
    nb::class_<RowNetwork>(m, "RowNetwork")
        .def(
            "__init__",
            [](RowNetwork* self, const TabularNetwork& network,
               const std::vector<VariableId>& elimination_order) {
                new (self) RowNetwork(network, elimination_order);
            },
            "network"_a, nb::kw_only(), "elimination_order"_a)
        .def_prop_ro("n_variables", &RowNetwork::n_variables);
    nb::class_<RowLimits>(m, "RowLimits")
        .def(
            "__init__",
            [](RowLimits* self, int n_threads, double max_bytes) {
                new (self) RowLimits{n_threads, max_bytes};
            },
            nb::kw_only(), "n_threads"_a, "max_bytes"_a);
}

void bind_answers(nb::module_& m) {
    m.def(
        "log_likelihoods",
        [](const RowNetwork& network, const StateCodes& codes, const RowLimits& limits,
           PythonRunControl& control) {
            return to_numpy(run_unlocked(control, [&](RunControl& core) {
                return log_likelihoods(network, to_rows(codes), limits, core);
            }));
        },
        "network"_a, "codes"_a, nb::kw_only(), "limits"_a, "control"_a);
    nb::enum_<Completion>(m, "Completion")
        .value("joint", Completion::joint)
        .value("independent", Completion::independent);
    m.def(
        "complete_rows",
        [](const RowNetwork& network, const StateCodes& codes, Completion completion,
           const RowLimits& limits, PythonRunControl& control) {
            auto completed = run_unlocked(control, [&](RunControl& core) {
                return complete_rows(network, to_rows(codes), completion, limits, core);
            });
            return to_codes(std::move(completed), codes.shape(0), codes.shape(1));
        },
        "network"_a, "codes"_a, nb::kw_only(), "completion"_a, "limits"_a, "control"_a);
    m.def(
        "target_marginals",
        [](const RowNetwork& network, const StateCodes& codes,
           const std::vector<VariableId>& targets, const RowLimits& limits,
           PythonRunControl& control) {
            auto marginals = run_unlocked(control, [&](RunControl& core) {
                return target_marginals(network, to_rows(codes), targets, limits, core);
            });
            nb::typed<nb::list, nb::ndarray<nb::numpy, double, nb::ndim<1>>> arrays;
            for (auto& marginal : marginals) arrays.append(to_numpy(std::move(marginal)));
            return arrays;
        },
        "network"_a, "codes"_a, nb::kw_only(), "targets"_a, "limits"_a, "control"_a);
    m.def(
        "cell_marginals",
        [](const RowNetwork& network, const StateCodes& codes, const RowLimits& limits,
           PythonRunControl& control) {
            return to_numpy(run_unlocked(control, [&](RunControl& core) {
                return cell_marginals(network, to_rows(codes), limits, core);
            }));
        },
        "network"_a, "codes"_a, nb::kw_only(), "limits"_a, "control"_a);
}

void bind_sampling(nb::module_& m) {
    m.def(
        "sample_rows",
        [](const RowNetwork& network, const Vector<std::int32_t>& evidence, std::size_t n_rows,
           std::uint64_t seed, const RowLimits& limits, PythonRunControl& control) {
            auto drawn = run_unlocked(control, [&](RunControl& core) {
                return sample_rows(network, to_span(evidence), n_rows, seed, limits, core);
            });
            return to_codes(std::move(drawn), n_rows, network.n_variables());
        },
        "network"_a, "evidence"_a, nb::kw_only(), "n_rows"_a, "seed"_a, "limits"_a, "control"_a);
    m.def(
        "draw_completions",
        [](const RowNetwork& network, const StateCodes& codes,
           const std::vector<std::uint64_t>& seeds, const RowLimits& limits,
           PythonRunControl& control) {
            auto drawn = run_unlocked(control, [&](RunControl& core) {
                return draw_completions(network, to_rows(codes), seeds, limits, core);
            });
            nb::typed<nb::list, decltype(to_codes({}, 0, 0))> tables;
            for (auto& table : drawn)
                tables.append(to_codes(std::move(table), codes.shape(0), codes.shape(1)));
            return tables;
        },
        "network"_a, "codes"_a, nb::kw_only(), "seeds"_a, "limits"_a, "control"_a);
}

nb::typed<nb::list, nb::ndarray<nb::numpy, double, nb::ndim<1>>>
to_tables(const TabularNetwork& network) {
    nb::typed<nb::list, nb::ndarray<nb::numpy, double, nb::ndim<1>>> tables;
    for (VariableId variable = 0; variable < network.n_variables(); ++variable)
        tables.append(to_numpy(network.table(variable)));
    return tables;
}

void bind_estimation(nb::module_& m) {
    nb::class_<EstimatedNetwork>(m, "EstimatedNetwork")
        .def_ro("network", &EstimatedNetwork::network)
        .def_prop_ro("tables", [](const EstimatedNetwork& self) { return to_tables(self.network); })
        .def_ro("objectives", &EstimatedNetwork::objectives)
        .def_ro("has_converged", &EstimatedNetwork::has_converged)
        .def_ro("log_likelihood", &EstimatedNetwork::log_likelihood);
    m.def(
        "estimate_network",
        [](const StateCodes& codes, const std::vector<std::uint32_t>& arities,
           const ParentLists& parents, const std::vector<VariableId>& elimination_order,
           const Weights& weights, double equivalent_sample_size, std::size_t max_iterations,
           double tolerance, bool evaluates_last, const TabularNetwork* initial,
           const RowLimits& limits, PythonRunControl& control) {
            const EstimationOptions options{equivalent_sample_size, max_iterations, tolerance,
                                            evaluates_last, limits};
            return run_unlocked(control, [&](RunControl& core) {
                return estimate_network(arities, parents, elimination_order, to_rows(codes),
                                        to_weights(weights), options, core, initial);
            });
        },
        "codes"_a, nb::kw_only(), "arities"_a, "parents"_a, "elimination_order"_a,
        "weights"_a.none(), "equivalent_sample_size"_a, "max_iterations"_a, "tolerance"_a,
        "evaluates_last"_a = false, "initial"_a.none(), "limits"_a, "control"_a);
}

}  // namespace

void bind_inference_rows(nb::module_& m) {
    bind_too_large(m);
    bind_row_network(m);
    bind_answers(m);
    bind_sampling(m);
    bind_estimation(m);
}

}  // namespace baytree
