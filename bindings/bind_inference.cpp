#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "inference/tabular_network.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

void bind_tabular_network(nb::module_& m) {
    nb::class_<TabularNetwork>(m, "TabularNetwork")
        .def(
            "__init__",
            [](TabularNetwork* self, std::vector<std::uint32_t> arities, ParentLists parents,
               const std::vector<Vector<double>>& tables) {
                std::vector<std::vector<double>> copies;
                copies.reserve(tables.size());
                for (const auto& table : tables)
                    copies.emplace_back(table.data(), table.data() + table.size());
                new (self)
                    TabularNetwork(std::move(arities), std::move(parents), std::move(copies));
            },
            "arities"_a, nb::kw_only(), "parents"_a, "tables"_a)
        .def_prop_ro("n_variables", &TabularNetwork::n_variables)
        .def_prop_ro("topological_order", &TabularNetwork::topological_order);
}

}  // namespace

void bind_inference(nb::module_& m) { bind_tabular_network(m); }

}  // namespace baytree
