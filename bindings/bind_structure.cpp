#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "structure/arc_constraints.hpp"
#include "structure/dag.hpp"
#include "structure/min_degree.hpp"
#include "structure/random_dag.hpp"
#include "structure/tree_decomposition.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

void bind_random_dag(nb::module_& m) {
    nb::class_<RandomDag>(m, "RandomDag")
        .def(nb::init<std::size_t, std::size_t, std::uint64_t>(), "n_variables"_a, nb::kw_only(),
             "max_degree"_a, "seed"_a)
        .def("run", &RandomDag::run, "n_steps"_a, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("parents", [](const RandomDag& self) { return self.dag().parents().lists(); });
}

std::vector<VariableId> order_along(std::vector<std::vector<VariableId>> bags,
                                    std::vector<std::pair<std::size_t, std::size_t>> edges) {
    for (const auto& [first, second] : edges)
        if (std::max(first, second) >= bags.size() || first == second)
            throw std::invalid_argument("an edge must join two bags");
    return TreeDecomposition{std::move(bags), std::move(edges)}.elimination_order();
}

}  // namespace

void bind_structure(nb::module_& m) {
    bind_random_dag(m);
    nb::class_<ArcConstraints>(m, "ArcConstraints")
        .def(
            "__init__",
            [](ArcConstraints* self, ParentLists required, ParentLists forbidden,
               std::vector<std::uint32_t> tiers) {
                ArcConstraints constraints{std::move(required), std::move(forbidden),
                                           std::move(tiers)};
                check_constraints(constraints, constraints.required.size());
                new (self) ArcConstraints(std::move(constraints));
            },
            nb::kw_only(), "required"_a, "forbidden"_a, "tiers"_a);
    nb::class_<TreeDecomposition>(m, "TreeDecomposition")
        .def_prop_ro("bags", [](const TreeDecomposition& self) { return to_tuples(self.bags); })
        .def_ro("edges", &TreeDecomposition::edges)
        .def_prop_ro("width", &TreeDecomposition::width)
        .def_prop_ro("elimination_order", &TreeDecomposition::elimination_order);
    m.def("order_along", &order_along, "bags"_a, "edges"_a);
    m.def(
        "topological_order",
        [](const ParentLists& parents) {
            check_parents(parents);
            return topological_order(parents);
        },
        "parents"_a);
    m.def(
        "min_degree_order",
        [](const ParentLists& parents, std::size_t max_degree) {
            check_parents(parents);
            return min_degree_order(parents, max_degree);
        },
        "parents"_a, nb::kw_only(), "max_degree"_a);
    m.def(
        "decompose",
        [](const ParentLists& parents, const std::vector<VariableId>& order) {
            check_elimination_order(parents, order);
            return decompose(parents, order);
        },
        "parents"_a, "order"_a);
}

}  // namespace baytree
