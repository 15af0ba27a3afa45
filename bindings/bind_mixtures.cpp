#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "mixtures/latent_mixture.hpp"
#include "row_arguments.hpp"
#include "run_control.hpp"
#include "runtime/instruction_set.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

void bind_task(nb::module_& m) {
    nb::class_<LatentMixtureTask>(m, "LatentMixtureTask")
        .def(
            "__init__",
            [](LatentMixtureTask* self, const std::vector<std::uint32_t>& arities,
               const ParentLists& parents, const std::vector<VariableId>& elimination_order,
               const Vector<double>& points, std::size_t n_latent, const Vector<double>& weights,
               const Vector<double>& held_out_weights, std::size_t n_hidden, std::size_t n_steps,
               std::size_t batch_size, double learning_rate, double weight_decay,
               std::size_t n_moving, double still_fraction, bool learns_weights,
               std::size_t n_evaluations, std::size_t patience, std::uint64_t seed,
               std::optional<std::string_view> instruction_set) {
                check_parents(parents);
                const auto values = [](const Vector<double>& own) {
                    const auto span = to_span(own);
                    return std::vector<double>(span.begin(), span.end());
                };
                const InstructionSet instructions = instruction_set
                                                        ? instruction_set_named(*instruction_set)
                                                        : best_instruction_set();
                const LatentMixtureOptions options{n_hidden,       n_steps,        batch_size,
                                                   learning_rate,  weight_decay,   n_moving,
                                                   still_fraction, learns_weights, n_evaluations,
                                                   patience,       seed,           instructions};
                new (self) LatentMixtureTask{
                    {arities, parents, elimination_order, values(points), n_latent},
                    options,
                    values(weights),
                    values(held_out_weights)};
            },
            nb::kw_only(), "arities"_a, "parents"_a, "elimination_order"_a, "points"_a,
            "n_latent"_a, "weights"_a, "held_out_weights"_a, "n_hidden"_a, "n_steps"_a,
            "batch_size"_a, "learning_rate"_a, "weight_decay"_a, "n_moving"_a, "still_fraction"_a,
            "learns_weights"_a, "n_evaluations"_a, "patience"_a, "seed"_a,
            "instruction_set"_a = nb::none());
}

void bind_found(nb::module_& m) {
    nb::class_<LatentMixture>(m, "LatentMixture")
        .def_prop_ro("tables",
                     [](const LatentMixture& self) {
                         nb::typed<nb::list, nb::ndarray<nb::numpy, double, nb::ndim<1>>> tables;
                         for (const auto& table : self.tables) tables.append(to_numpy(table));
                         return tables;
                     })
        .def_prop_ro(
            "weights",
            [](const LatentMixture& self) { return to_numpy(std::vector(self.weights)); },
            nb::rv_policy::move)
        .def_prop_ro("history",
                     [](const LatentMixture& self) {
                         nb::typed<nb::list, nb::typed<nb::tuple, std::size_t, double, double>> all;
                         for (const auto& [step, seconds, held_out] : self.history)
                             all.append(nb::make_tuple(step, seconds, held_out));
                         return all;
                     })
        .def_ro("held_out", &LatentMixture::held_out)
        .def_ro("n_steps", &LatentMixture::n_steps);
}

}  // namespace

void bind_mixtures(nb::module_& m) {
    bind_task(m);
    bind_found(m);
    m.def(
        "learn_latent_mixtures",
        [](const std::vector<LatentMixtureTask>& tasks, const StateCodes& codes,
           const RowLimits& limits, PythonRunControl& control) {
            return run_unlocked(control, [&](RunControl& core) {
                return learn_latent_mixtures(tasks, to_rows(codes), limits, core);
            });
        },
        "tasks"_a, "codes"_a, nb::kw_only(), "limits"_a, "control"_a);
}

}  // namespace baytree
