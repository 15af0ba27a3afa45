#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "conversions.hpp"
#include "mixtures/lane_kernels.hpp"
#include "mixtures/latent_mixture.hpp"
#include "row_arguments.hpp"
#include "run_control.hpp"
#include "runtime/instruction_set.hpp"
#include "testing/binders.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

using Numbers = Vector<float>;
using Answer = nb::ndarray<nb::numpy, float, nb::ndim<1>>;

/// The kernels of one instruction set, on flat arrays of `n_lanes` numbers per value.
class NamedKernels {
public:
    explicit NamedKernels(std::string_view name)
        : kernels_(&lane_kernels(instruction_set_named(name))) {}

    const LaneKernels* operator->() const noexcept { return kernels_; }

private:
    const LaneKernels* kernels_;
};

std::vector<float> copy_of(const Numbers& numbers) {
    const auto span = to_span(numbers);
    return {span.begin(), span.end()};
}

void check_size(const Numbers& numbers, std::size_t size) {
    if (numbers.size() != size) throw std::invalid_argument("an array has another size");
}

void bind_layers(nb::class_<NamedKernels>& kernels) {
    kernels
        .def("apply",
             [](const NamedKernels& self, const Numbers& weights, const Numbers& bias,
                const Numbers& in) -> Answer {
                 const LayerShape shape{in.size() / n_lanes, bias.size()};
                 check_size(weights, shape.n_in * shape.n_out);
                 std::vector<float> out(shape.n_out * n_lanes);
                 self->apply(shape, weights.data(), bias.data(), in.data(), out.data());
                 return to_numpy(std::move(out));
             })
        .def("apply_transposed",
             [](const NamedKernels& self, const Numbers& weights, const Numbers& out) -> Answer {
                 const std::size_t n_out = out.size() / n_lanes;
                 const LayerShape shape{weights.size() / n_out, n_out};
                 std::vector<float> in(shape.n_in * n_lanes);
                 self->apply_transposed(shape, weights.data(), out.data(), in.data());
                 return to_numpy(std::move(in));
             })
        .def("add_products",
             [](const NamedKernels& self, const Numbers& out, const Numbers& lanes_in,
                const Numbers& weights, const Numbers& bias) {
                 const LayerShape shape{lanes_in.size() / n_lanes, out.size() / n_lanes};
                 check_size(weights, shape.n_in * shape.n_out);
                 check_size(bias, shape.n_out);
                 auto of_weights = copy_of(weights);
                 auto of_bias = copy_of(bias);
                 self->add_products(shape, out.data(), lanes_in.data(), of_weights.data(),
                                    of_bias.data());
                 return nb::make_tuple(to_numpy(std::move(of_weights)),
                                       to_numpy(std::move(of_bias)));
             })
        .def("rectify",
             [](const NamedKernels& self, const Numbers& values) -> Answer {
                 auto changed = copy_of(values);
                 self->rectify(changed.data(), changed.size() / n_lanes);
                 return to_numpy(std::move(changed));
             })
        .def("rectify_gradients",
             [](const NamedKernels& self, const Numbers& values,
                const Numbers& gradients) -> Answer {
                 check_size(gradients, values.size());
                 auto changed = copy_of(gradients);
                 self->rectify_gradients(values.data(), changed.data(), values.size() / n_lanes);
                 return to_numpy(std::move(changed));
             });
}

void bind_tables(nb::class_<NamedKernels>& kernels) {
    kernels
        .def("log_distribution",
             [](const NamedKernels& self, const Numbers& logits) -> Answer {
                 const std::size_t arity = logits.size() / n_lanes + 1;
                 std::vector<float> logarithms(arity * n_lanes);
                 self->log_distribution(logits.data(), arity, logarithms.data());
                 return to_numpy(std::move(logarithms));
             })
        .def("logit_gradients",
             [](const NamedKernels& self, const Numbers& counts, const Numbers& logarithms,
                float scale) -> Answer {
                 check_size(logarithms, counts.size());
                 std::vector<float> gradients(counts.size() - n_lanes);
                 self->logit_gradients(counts.data(), logarithms.data(), counts.size() / n_lanes,
                                       scale, gradients.data());
                 return to_numpy(std::move(gradients));
             })
        .def("sum_entries",
             [](const NamedKernels& self, const Vector<std::uint32_t>& entries,
                std::size_t n_families, const Numbers& table) -> Answer {
                 const std::size_t n_rows = entries.size() / n_families;
                 std::vector<float> sums(n_rows * n_lanes);
                 self->sum_entries({entries.data(), n_rows, n_families}, table.data(), sums.data());
                 return to_numpy(std::move(sums));
             })
        .def("add_shares",
             [](const NamedKernels& self, const Vector<std::uint32_t>& entries,
                std::size_t n_families, const Numbers& shares, const Numbers& table) -> Answer {
                 const std::size_t n_rows = entries.size() / n_families;
                 check_size(shares, n_rows * n_lanes);
                 auto changed = copy_of(table);
                 self->add_shares({entries.data(), n_rows, n_families}, shares.data(),
                                  changed.data());
                 return to_numpy(std::move(changed));
             })
        .def("exponentials",
             [](const NamedKernels& self, const Numbers& values, float subtracted) {
                 check_size(values, n_lanes);
                 auto changed = copy_of(values);
                 const float sum = self->exponentials(changed.data(), subtracted);
                 return nb::make_tuple(to_numpy(std::move(changed)), sum);
             })
        .def("largest", [](const NamedKernels& self, const Numbers& values) {
            check_size(values, n_lanes);
            return self->largest(values.data());
        });
}

}  // namespace

void bind_mixtures_testing(nb::module_& m) {
    m.attr("n_lanes") = n_lanes;
    nb::class_<NamedKernels> kernels(m, "LaneKernels");
    kernels.def(nb::init<std::string_view>(), "instruction_set"_a);
    bind_layers(kernels);
    bind_tables(kernels);
    nb::class_<LatentGradients>(m, "LatentGradients")
        .def_ro("mean", &LatentGradients::mean)
        .def_prop_ro(
            "parameters",
            [](const LatentGradients& self) { return to_numpy(std::vector(self.parameters)); },
            nb::rv_policy::move)
        .def_prop_ro(
            "gradients",
            [](const LatentGradients& self) { return to_numpy(std::vector(self.gradients)); },
            nb::rv_policy::move);
    m.def(
        "latent_gradients",
        [](const LatentMixtureTask& task, const StateCodes& codes, const RowLimits& limits) {
            RunControl control;
            return latent_gradients(task, to_rows(codes), limits, control);
        },
        "task"_a, "codes"_a, nb::kw_only(), "limits"_a);
}

}  // namespace baytree
