#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "data/dataset.hpp"
#include "data/row_donors.hpp"
#include "run_control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

std::span<const std::int32_t> to_codes(const StateCodes& codes) {
    return {codes.data(), codes.size()};
}

DonorTable to_donors(const StateCodes& codes) { return {to_codes(codes), codes.shape(0)}; }

void bind_row_donors(nb::module_& m) {
    nb::class_<DonorSearch>(m, "DonorSearch")
        .def(
            "__init__",
            [](DonorSearch* self, const StateCodes& donors, std::vector<std::uint32_t> arities,
               const Vector<double>& probabilities, std::vector<double> error_rates,
               std::optional<std::string_view> instruction_set) {
                const auto of_states = to_span(probabilities);
                const CopyModel model{std::move(arities),
                                      {of_states.begin(), of_states.end()},
                                      std::move(error_rates)};
                const nb::gil_scoped_release unlocked;
                new (self) DonorSearch(model, to_donors(donors),
                                       instruction_set ? instruction_set_named(*instruction_set)
                                                       : best_instruction_set());
            },
            "donors"_a, nb::kw_only(), "arities"_a, "probabilities"_a, "error_rates"_a,
            "instruction_set"_a = nb::none())
        .def(
            "find",
            [](const DonorSearch& search, const StateCodes& rows,
               const std::optional<Vector<std::int32_t>>& own, bool must_help, std::size_t n_donors,
               int n_threads, PythonRunControl& control) {
                const DonorRequest request{n_donors, must_help,
                                           own ? to_span(*own) : std::span<const std::int32_t>(),
                                           n_threads};
                RowDonors found = run_unlocked(control, [&](RunControl& core) {
                    return search.find(to_donors(rows), request, core);
                });
                return std::make_pair(to_numpy(std::move(found.donors)),
                                      to_numpy(std::move(found.log_densities)));
            },
            "rows"_a, nb::kw_only(), "own"_a.none(), "must_help"_a, "n_donors"_a, "n_threads"_a,
            "control"_a);
}

}  // namespace

void bind_data(nb::module_& m) {
    nb::class_<Dataset>(m, "Dataset")
        .def(
            "__init__",
            [](Dataset* self, const StateCodes& codes, const Vector<std::int32_t>& arities,
               const std::optional<Vector<double>>& weights) {
                const nb::gil_scoped_release unlocked;
                new (self) Dataset(to_codes(codes), codes.shape(0), to_span(arities),
                                   weights ? to_span(*weights) : std::span<const double>());
            },
            "codes"_a, "arities"_a, nb::kw_only(), "weights"_a = nb::none())
        .def_prop_ro("n_rows", &Dataset::n_rows)
        .def_prop_ro("n_variables", &Dataset::n_variables)
        .def_prop_ro("n_distinct_rows", &Dataset::n_distinct_rows)
        .def_prop_ro("total_weight", &Dataset::total_weight);
    bind_row_donors(m);
}

}  // namespace baytree
