#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "structure/arc_constraints.hpp"
#include "structure/dag.hpp"
#include "structure/k_tree.hpp"
#include "structure/narrow_order.hpp"
#include "structure/tree_decomposition.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

VariableTuples cliques_of(const KTree& tree) {
    VariableTuples cliques;
    for (std::size_t i = 0; i < tree.order.size(); ++i) cliques.append(to_tuple(tree.clique(i)));
    return cliques;
}

void bind_k_tree(nb::module_& m) {
    nb::class_<KTree>(m, "KTree")
        .def_ro("order", &KTree::order)
        .def_prop_ro("cliques", &cliques_of);
    m.def(
        "decode_k_tree",
        [](std::size_t n_variables, std::size_t k, std::vector<VariableId> root,
           std::vector<std::uint32_t> word) {
            return decode_k_tree(n_variables, k, {std::move(root), std::move(word)});
        },
        "n_variables"_a, "k"_a, nb::kw_only(), "root"_a, "word"_a);
    m.def(
        "random_k_tree",
        [](std::size_t n_variables, std::size_t k, std::uint64_t seed) {
            RandomStream random(seed, 0);
            return random_k_tree(n_variables, k, random);
        },
        "n_variables"_a, "k"_a, nb::kw_only(), "seed"_a);
}

}  // namespace

void bind_structure(nb::module_& m) {
    bind_k_tree(m);
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
        "narrow_order",
        [](const ParentLists& parents, std::size_t max_width) {
            for (const auto& of_child : parents)
                for (const VariableId parent : of_child)
                    if (parent >= parents.size())
                        throw std::invalid_argument("a parent is no variable");
            return narrow_order(parents, max_width);
        },
        "parents"_a, "max_width"_a);
    m.def(
        "decompose",
        [](const ParentLists& parents, const std::vector<VariableId>& order) {
            check_elimination_order(parents, order);
            return decompose(parents, order);
        },
        "parents"_a, "order"_a);
}

}  // namespace baytree
