#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "conversions.hpp"
#include "run_control.hpp"
#include "structure/chordal_graph.hpp"
#include "structure/dag.hpp"
#include "structure/fill_in.hpp"
#include "structure/k_tree.hpp"
#include "structure/maximum_forest.hpp"
#include "structure/narrow_order.hpp"
#include "structure/ordered_dag.hpp"
#include "structure/tree_decomposition.hpp"
#include "testing/binders.hpp"

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

std::vector<VariableId> to_vector(VariableSpan variables) {
    return {variables.begin(), variables.end()};
}

void check_pair(std::size_t n_variables, VariableId a, VariableId b) {
    check_variable(a, n_variables);
    check_variable(b, n_variables);
    if (a == b) throw std::invalid_argument("a variable is no pair");
}

bool add_arc(OrderedDag& dag, VariableId parent, VariableId child) {
    check_pair(dag.n_variables(), parent, child);
    if (dag.has_arc(parent, child)) throw std::invalid_argument("the arc is there");
    if (dag.parents(child).size() == dag.max_parents())
        throw std::invalid_argument("there is no room for a parent");
    return dag.add(parent, child);
}

void remove_arc(OrderedDag& dag, VariableId parent, VariableId child) {
    check_pair(dag.n_variables(), parent, child);
    if (!dag.has_arc(parent, child)) throw std::invalid_argument("there is no such arc");
    dag.remove(parent, child);
}

void bind_ordered_dag(nb::module_& m) {
    nb::class_<OrderedDag>(m, "OrderedDag")
        .def(nb::init<std::size_t, std::size_t>(), "n_variables"_a, nb::kw_only(), "max_parents"_a)
        .def("parents",
             [](const OrderedDag& self, VariableId child) {
                 check_variable(child, self.n_variables());
                 return to_vector(self.parents(child));
             })
        .def("children",
             [](const OrderedDag& self, VariableId parent) {
                 check_variable(parent, self.n_variables());
                 return self.children(parent);
             })
        .def(
            "has_arc",
            [](const OrderedDag& self, VariableId parent, VariableId child) {
                check_variable(parent, self.n_variables());
                check_variable(child, self.n_variables());
                return self.has_arc(parent, child);
            },
            "parent"_a, "child"_a)
        .def("add", &add_arc, "parent"_a, "child"_a)
        .def("remove", &remove_arc, "parent"_a, "child"_a);
}

void construct_fill_in(FillIn* self, std::size_t n_variables, std::size_t max_treewidth,
                       double max_states, std::vector<std::uint32_t> arities) {
    if (!arities.empty() && arities.size() != n_variables)
        throw std::invalid_argument("there must be one arity a variable, or none");
    new (self) FillIn(n_variables, {max_treewidth, max_states, std::move(arities)});
}

void check_size(const FillIn& fill_in, const OrderedDag& dag) {
    if (fill_in.positions().size() != dag.n_variables())
        throw std::invalid_argument("the DAG must have the same variables");
}

bool refresh(FillIn& self, const OrderedDag& dag,
             const std::optional<std::vector<VariableId>>& order) {
    check_size(self, dag);
    if (!order) return self.refresh(dag);
    check_elimination_order(dag.parents().lists(), *order);
    return self.refresh(dag, *order);
}

void bind_fill_in(nb::module_& m) {
    nb::class_<FillIn>(m, "FillIn")
        .def("__init__", &construct_fill_in, "n_variables"_a, nb::kw_only(), "max_treewidth"_a,
             "max_states"_a, "arities"_a)
        .def("later_neighbours",
             [](const FillIn& self, VariableId variable) {
                 check_variable(variable, self.positions().size());
                 return to_vector(self.later_neighbours(variable));
             })
        .def(
            "are_neighbours",
            [](const FillIn& self, VariableId a, VariableId b) {
                check_variable(a, self.positions().size());
                check_variable(b, self.positions().size());
                return self.are_neighbours(a, b);
            },
            "a"_a, "b"_a)
        .def(
            "connect",
            [](FillIn& self, VariableId a, VariableId b) {
                check_pair(self.positions().size(), a, b);
                return self.connect(a, b);
            },
            "a"_a, "b"_a)
        .def("undo", &FillIn::undo)
        .def("keep", &FillIn::keep)
        .def(
            "isolate",
            [](FillIn& self, VariableId variable) {
                check_variable(variable, self.positions().size());
                self.isolate(variable);
            },
            "variable"_a)
        .def(
            "rebuild",
            [](FillIn& self, const OrderedDag& dag, std::uint64_t seed) {
                check_size(self, dag);
                RandomStream random(seed, 0);
                return self.rebuild(dag, random);
            },
            "dag"_a, nb::kw_only(), "seed"_a)
        .def("refresh", &refresh, "dag"_a, "order"_a = nb::none())
        .def_prop_ro("total_states", &FillIn::total_states)
        .def_prop_ro("elimination_order", &FillIn::elimination_order);
}

void bind_forests(nb::module_& m) {
    using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    m.def(
        "maximum_spanning_forest",
        [](const Weights& weights, PythonRunControl& control) {
            if (weights.shape(0) != weights.shape(1))
                throw std::invalid_argument("weights must be a square");
            return maximum_spanning_forest(
                weights.shape(0), [&](VariableId a, VariableId b) { return weights(a, b); },
                control.core());
        },
        "weights"_a, nb::kw_only(), "control"_a);
    m.def(
        "maximum_branching",
        [](std::size_t n_variables,
           const std::vector<std::tuple<VariableId, VariableId, double>>& arcs) {
            std::vector<std::vector<WeightedArc>> arcs_into(n_variables);
            for (const auto& [parent, child, weight] : arcs) {
                check_variable(parent, n_variables);
                check_variable(child, n_variables);
                arcs_into[child].push_back({parent, child, weight});
            }
            return maximum_branching(n_variables,
                                     [&](VariableId child) { return arcs_into[child]; });
        },
        "n_variables"_a, "arcs"_a);
}

void bind_chordal_graph(nb::module_& m) {
    nb::class_<ChordalGraph>(m, "ChordalGraph")
        .def(nb::init<std::size_t>(), "n_variables"_a)
        .def_prop_ro("n_admissible", &ChordalGraph::n_admissible)
        .def("is_admissible", &ChordalGraph::is_admissible, "a"_a, "b"_a)
        .def("common_neighbours", &ChordalGraph::common_neighbours, "a"_a, "b"_a)
        .def("exclude", &ChordalGraph::exclude, "a"_a, "b"_a)
        .def("add_edge", &ChordalGraph::add_edge, "a"_a, "b"_a)
        .def_prop_ro("parents", [](const ChordalGraph& self) { return self.to_dag().parents; })
        .def_prop_ro("elimination_order",
                     [](const ChordalGraph& self) { return self.to_dag().elimination_order; });
}

}  // namespace

void bind_structure_testing(nb::module_& m) {
    bind_k_tree(m);
    bind_ordered_dag(m);
    bind_fill_in(m);
    bind_forests(m);
    bind_chordal_graph(m);
    m.def(
        "narrow_order",
        [](const ParentLists& parents, std::size_t max_width) {
            check_parents(parents);
            return narrow_order(parents, max_width);
        },
        "parents"_a, "max_width"_a);
}

}  // namespace baytree
