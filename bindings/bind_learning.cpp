#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "learning/best_k_tree.hpp"
#include "learning/chordalysis.hpp"
#include "learning/dag_search.hpp"
#include "learning/exact_search.hpp"
#include "learning/informative_score.hpp"
#include "learning/k_tree_growth.hpp"
#include "learning/k_tree_sampling.hpp"
#include "learning/structure_search.hpp"
#include "learning/usable_parent_sets.hpp"
#include "run_control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

/// An opaque object that Python passes from one search to the next.
struct LikelyParents {
    std::shared_ptr<const ParentLists> lists;
};

/// The result of a search that runs without Python's lock.
template <class Call>
auto search_unlocked(PythonRunControl& control, const Call& call) {
    try {
        return run_unlocked(control, [&](RunControl&) { return call(); });
    } catch (const SearchStopped&) {
        control.raise_pending();  // what stopped it, if that was an error
        throw;
    }
}

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
               int n_threads, bool keeps_scores) {
                new (self) SearchBudget{max_iterations, seed, n_threads, keeps_scores};
            },
            nb::kw_only(), "max_iterations"_a.none(), "seed"_a, "n_threads"_a,
            "keeps_scores"_a = false);
}

void bind_k_trees(nb::module_& m) {
    nb::enum_<GrowthRule>(m, "GrowthRule")
        .value("k_greedy", GrowthRule::k_greedy)
        .value("k_max", GrowthRule::k_max);
    m.def(
        "grow_k_trees",
        [](const ParentSetCache& cache, GrowthRule rule, const StructureLimits& limits,
           const SearchBudget& budget, PythonRunControl& control) {
            return search_unlocked(
                control, [&] { return grow_k_trees(cache, limits, rule, budget, control.core()); });
        },
        "cache"_a, nb::kw_only(), "rule"_a, "limits"_a, "budget"_a, "control"_a);
    m.def(
        "sample_k_trees",
        [](const ParentSetCache& cache, const StructureLimits& limits, const SearchBudget& budget,
           PythonRunControl& control) {
            return search_unlocked(
                control, [&] { return sample_k_trees(cache, limits, budget, control.core()); });
        },
        "cache"_a, nb::kw_only(), "limits"_a, "budget"_a, "control"_a);
    m.attr("max_best_k_tree_variables") = max_best_k_tree_variables;
    m.def(
        "best_k_tree",
        [](const ParentSetCache& cache, const StructureLimits& limits, const SearchBudget& budget,
           PythonRunControl& control) {
            return search_unlocked(
                control, [&] { return search_best_k_tree(cache, limits, budget, control.core()); });
        },
        "cache"_a, nb::kw_only(), "limits"_a, "budget"_a, "control"_a);
}

void bind_causes(nb::module_& m) {
    m.def("variable_without_sets", &variable_without_sets, "cache"_a, nb::kw_only(),
          "constraints"_a, "limits"_a);
}

void bind_search_outcome(nb::module_& m) {
    const nb::class_<LikelyParents> likely_parents(m, "LikelyParents");
    nb::class_<SearchOutcome>(m, "SearchOutcome")
        .def_prop_ro("score", [](const SearchOutcome& self) { return self.best.score; })
        .def_prop_ro("parents",
                     [](const SearchOutcome& self) { return to_tuples(self.best.parents); })
        .def_prop_ro("elimination_order",
                     [](const SearchOutcome& self) { return self.best.elimination_order; })
        .def_ro("n_iterations", &SearchOutcome::n_iterations)
        .def_ro("n_accepted", &SearchOutcome::n_accepted)
        .def_ro("is_proven", &SearchOutcome::is_proven)
        .def_ro("score_bound", &SearchOutcome::score_bound)
        .def_ro("is_out_of_memory", &SearchOutcome::is_out_of_memory)
        .def_ro("n_unscored_pairs", &SearchOutcome::n_unscored_pairs)
        .def_prop_ro(
            "iteration_scores",
            [](const SearchOutcome& self) { return to_numpy(self.iteration_scores); },
            nb::rv_policy::move)
        .def_prop_ro("likely_parents",
                     [](const SearchOutcome& self) -> std::optional<LikelyParents> {
                         if (!self.likely_parents) return std::nullopt;
                         return LikelyParents{self.likely_parents};
                     })
        .def_ro("is_finished", &SearchOutcome::is_finished)
        .def_prop_ro("edges",
                     [](const SearchOutcome& self) {
                         std::vector<std::tuple<VariableId, VariableId, std::vector<VariableId>,
                                                double, double, double>>
                             edges;
                         edges.reserve(self.edges.size());
                         for (const SelectedEdge& edge : self.edges)
                             edges.emplace_back(edge.a, edge.b, edge.separator, edge.g2,
                                                edge.degrees, edge.log_p);
                         return edges;
                     })
        .def_prop_ro("history", [](const SearchOutcome& self) {
            std::vector<std::tuple<double, std::uint64_t, double>> steps;
            steps.reserve(self.history.size());
            for (const SearchStep& step : self.history)
                steps.emplace_back(step.seconds, step.iteration, step.score);
            return steps;
        });
}

template <class Source>
void bind_dag_search_on(nb::module_& m) {
    m.def(
        "search_dags",
        [](const Source& source, DagSearch search, const ArcConstraints& constraints,
           const StructureLimits& limits, const SearchBudget& budget,
           std::optional<std::pair<ParentLists, std::vector<VariableId>>> start,
           std::optional<LikelyParents> likely_parents, PythonRunControl& control) {
            DagSearchOptions options{search, std::nullopt, {}};
            if (likely_parents) options.likely_parents = likely_parents->lists;
            if (start) options.start.emplace(std::move(start->first), std::move(start->second));
            return search_unlocked(control, [&] {
                return search_dags(source, constraints, limits, options, budget, control.core());
            });
        },
        "source"_a, nb::kw_only(), "search"_a, "constraints"_a, "limits"_a, "budget"_a,
        "start"_a.none(), "likely_parents"_a.none(), "control"_a);
}

void bind_dag_search(nb::module_& m) {
    nb::enum_<DagSearch>(m, "DagSearch")
        .value("chow_liu", DagSearch::chow_liu)
        .value("hill_climb", DagSearch::hill_climb)
        .value("hill_climb_once", DagSearch::hill_climb_once)
        .value("anneal", DagSearch::anneal);
    bind_dag_search_on<FamilyScores>(m);
    bind_dag_search_on<ParentSetCache>(m);
}

void bind_chordalysis(nb::module_& m) {
    nb::enum_<EdgeRule>(m, "EdgeRule")
        .value("smt", EdgeRule::smt)
        .value("budget_share", EdgeRule::budget_share)
        .value("layered", EdgeRule::layered)
        .value("bic", EdgeRule::bic)
        .value("kl", EdgeRule::kl)
        .value("mml", EdgeRule::mml);
    m.def(
        "select_edges",
        [](const FamilyScorer& scorer, EdgeRule rule, double alpha, double budget_share,
           bool phantom_state, bool rounds_p_values, const ArcConstraints& constraints,
           const StructureLimits& limits, const SearchBudget& budget, PythonRunControl& control) {
            const ChordalysisOptions options{rule, alpha, budget_share, phantom_state,
                                             rounds_p_values};
            return search_unlocked(control, [&] {
                return select_edges(scorer, constraints, limits, options, budget, control.core());
            });
        },
        "scorer"_a, nb::kw_only(), "rule"_a, "alpha"_a, "budget_share"_a, "phantom_state"_a,
        "rounds_p_values"_a, "constraints"_a, "limits"_a, "budget"_a, "control"_a);
}

void bind_exact_search(nb::module_& m) {
    const nb::exception<SearchStopped> stopped(m, "SearchStopped", PyExc_RuntimeError);
    m.attr("max_exact_search_variables") = max_exact_search_variables;
    m.def("can_search_exactly", &can_search_exactly, "n_variables"_a, "limits"_a);
    m.def(
        "exact_structure",
        [](const FamilyScores& scores, const ArcConstraints& constraints,
           const StructureLimits& limits, int n_threads, std::size_t max_bytes,
           PythonRunControl& control) {
            return search_unlocked(control, [&] {
                return exact_structure(scores, constraints, limits, n_threads, max_bytes,
                                       control.core());
            });
        },
        "scores"_a, nb::kw_only(), "constraints"_a, "limits"_a, "n_threads"_a, "max_bytes"_a,
        "control"_a);
}

}  // namespace

void bind_learning(nb::module_& m) {
    bind_search_arguments(m);
    bind_search_outcome(m);
    bind_k_trees(m);
    bind_dag_search(m);
    bind_chordalysis(m);
    bind_exact_search(m);
    bind_causes(m);
}

}  // namespace baytree
