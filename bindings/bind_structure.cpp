#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "structure/arc_constraints.hpp"
#include "structure/dag.hpp"
#include "structure/tree_decomposition.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

void bind_structure(nb::module_& m) {
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
            nb::kw_only(), "required"_a, "forbidden"_a, "tiers"_a = std::vector<std::uint32_t>{});
    nb::class_<TreeDecomposition>(m, "TreeDecomposition")
        .def_prop_ro("bags", [](const TreeDecomposition& self) { return to_tuples(self.bags); })
        .def_ro("edges", &TreeDecomposition::edges)
        .def_prop_ro("width", &TreeDecomposition::width);
    m.def("topological_order", &topological_order, "parents"_a);
    m.def(
        "decompose",
        [](const ParentLists& parents, const std::vector<VariableId>& order) {
            check_elimination_order(parents, order);
            return decompose(parents, order);
        },
        "parents"_a, "order"_a);
}

}  // namespace baytree
