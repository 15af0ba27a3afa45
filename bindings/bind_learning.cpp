#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "learning/structure_search.hpp"
#include "run_control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

void bind_search_arguments(nb::module_& m) {
    nb::class_<StructureLimits>(m, "StructureLimits")
        .def(
            "__init__",
            [](StructureLimits* self, std::size_t max_treewidth, std::size_t max_parents,
               double max_clique_states, std::vector<std::uint32_t> arities) {
                new (self) StructureLimits{max_treewidth, max_parents, max_clique_states,
                                           std::move(arities)};
            },
            nb::kw_only(), "max_treewidth"_a, "max_parents"_a, "max_clique_states"_a, "arities"_a);
    nb::class_<SearchBudget>(m, "SearchBudget")
        .def(
            "__init__",
            [](SearchBudget* self, std::optional<std::uint64_t> max_iterations, std::uint64_t seed,
               int n_threads) { new (self) SearchBudget{max_iterations, seed, n_threads}; },
            nb::kw_only(), "max_iterations"_a.none(), "seed"_a, "n_threads"_a);
}

void bind_search_outcome(nb::module_& m) {
    nb::class_<SearchOutcome>(m, "SearchOutcome")
        .def_prop_ro("score", [](const SearchOutcome& self) { return self.best.score; })
        .def_prop_ro("parents",
                     [](const SearchOutcome& self) { return to_tuples(self.best.parents); })
        .def_prop_ro("elimination_order",
                     [](const SearchOutcome& self) { return self.best.elimination_order; })
        .def_ro("n_iterations", &SearchOutcome::n_iterations)
        .def_prop_ro("history", [](const SearchOutcome& self) {
            std::vector<std::tuple<double, std::uint64_t, double>> steps;
            for (const SearchStep& step : self.history)
                steps.emplace_back(step.seconds, step.iteration, step.score);
            return steps;
        });
}

}  // namespace

void bind_learning(nb::module_& m) {
    bind_search_arguments(m);
    bind_search_outcome(m);
}

}  // namespace baytree
