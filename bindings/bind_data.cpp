#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <span>

#include "binders.hpp"
#include "conversions.hpp"
#include "data/dataset.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

std::span<const std::int32_t> to_codes(const StateCodes& codes) {
    return {codes.data(), codes.size()};
}

}  // namespace

void bind_data(nb::module_& m) {
    nb::class_<Dataset>(m, "Dataset")
        .def(
            "__init__",
            [](Dataset* self, const StateCodes& codes, const Vector<std::int32_t>& arities,
               const std::optional<Vector<double>>& weights, int n_threads) {
                const nb::gil_scoped_release unlocked;
                new (self)
                    Dataset(to_codes(codes), codes.shape(0), to_span(arities),
                            weights ? to_span(*weights) : std::span<const double>(), n_threads);
            },
            "codes"_a, "arities"_a, nb::kw_only(), "weights"_a = nb::none(), "n_threads"_a = 1)
        .def_prop_ro("n_rows", &Dataset::n_rows)
        .def_prop_ro("n_variables", &Dataset::n_variables)
        .def_prop_ro("n_distinct_rows", &Dataset::n_distinct_rows)
        .def_prop_ro("total_weight", &Dataset::total_weight);
}

}  // namespace baytree
