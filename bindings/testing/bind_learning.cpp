#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "conversions.hpp"
#include "learning/best_families.hpp"
#include "learning/best_k_tree.hpp"
#include "learning/decomposition_search.hpp"
#include "learning/family_lists.hpp"
#include "learning/forward_selection.hpp"
#include "learning/informative_score.hpp"
#include "learning/k_tree_growth.hpp"
#include "learning/order_search.hpp"
#include "learning/parent_pairs.hpp"
#include "learning/search_problem.hpp"
#include "learning/separator_search.hpp"
#include "learning/single_gains.hpp"
#include "learning/small_dag.hpp"
#include "learning/structure_search.hpp"
#include "learning/subset_scores.hpp"
#include "learning/usable_parent_sets.hpp"
#include "run_control.hpp"
#include "scores/family_scorer.hpp"
#include "testing/binders.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

/// Score, order and parents in that order.
auto to_tuple_of(const SmallDag& dag, const ParentSetLists& sets) {
    ParentLists parents;
    for (std::size_t i = 0; i < dag.order.size(); ++i) {
        const VariableSpan of_next = sets[dag.order[i]].parents(dag.choice[i]);
        parents.emplace_back(of_next.begin(), of_next.end());
    }
    return std::make_tuple(dag.score, dag.order, to_tuples(parents));
}

}  // namespace

void bind_learning_testing(nb::module_& m) {
    m.def(
        "most_informative_k_tree",
        [](const ParentSetCache& cache, const StructureLimits& limits, PythonRunControl& control) {
            BestKTree best = run_unlocked(control, [&](RunControl& core) {
                const PairInformation information(usable_parent_sets(cache, limits));
                return find_best_k_tree(information, limits.max_treewidth, core);
            });
            return std::make_tuple(std::move(best.tree), best.informative_score, best.is_proven);
        },
        "cache"_a, nb::kw_only(), "limits"_a, "control"_a);
    m.def(
        "surplus_pairs",
        [](const FamilyScorer& scorer, const ArcConstraints& constraints, bool samples,
           const StructureLimits& limits, int n_threads, double most_seconds,
           PythonRunControl& control) {
            return run_unlocked(control, [&](RunControl& core) {
                const SearchProblem problem{scorer, constraints, limits};
                const SingleGains gains(scorer, n_threads, core, Clock::time_point::max());
                const auto find = samples ? sampled_pairs : surplus_pairs;
                return find(problem, gains, n_threads, core, most_seconds,
                            Clock::time_point::max());
            });
        },
        "scorer"_a, "constraints"_a, nb::kw_only(), "samples"_a, "limits"_a, "n_threads"_a,
        "most_seconds"_a, "control"_a);
    m.def(
        "forward_selected",
        [](const FamilyScorer& scorer, const ArcConstraints& constraints,
           const StructureLimits& limits, const ParentLists& singles, const ParentPairs& pairs,
           int n_threads, PythonRunControl& control) {
            return run_unlocked(control, [&](RunControl& core) {
                const SearchProblem problem{scorer, constraints, limits};
                return forward_selected(problem, singles, pairs, n_threads, core,
                                        Clock::time_point::max());
            });
        },
        "scorer"_a, "constraints"_a, nb::kw_only(), "limits"_a, "singles"_a, "pairs"_a,
        "n_threads"_a, "control"_a);
    m.def(
        "best_small_dag",
        [](const ParentSetCache& cache, const StructureLimits& limits,
           const std::vector<VariableId>& variables) {
            for (const VariableId variable : variables)
                check_variable(variable, cache.n_variables());
            const ParentSetLists sets = usable_parent_sets(cache, limits);
            return to_tuple_of(best_small_dag(sets, variables), sets);
        },
        "cache"_a, nb::kw_only(), "limits"_a, "variables"_a);
    m.def(
        "dag_by_order_search",
        [](const ParentSetCache& cache, const StructureLimits& limits,
           const std::vector<VariableId>& variables, std::size_t n_orders, std::uint64_t seed,
           PythonRunControl& control) {
            for (const VariableId variable : variables)
                check_variable(variable, cache.n_variables());
            const ParentSetLists sets = usable_parent_sets(cache, limits);
            RandomStream random(seed, 0);
            return to_tuple_of(
                dag_by_order_search(sets, variables, n_orders, random, control.core()), sets);
        },
        "cache"_a, nb::kw_only(), "limits"_a, "variables"_a, "n_orders"_a, "seed"_a, "control"_a);
    m.def(
        "grow_one_k_tree",
        [](const ParentSetCache& cache, GrowthRule rule, const StructureLimits& limits,
           std::uint64_t seed) {
            GrownKTree grown = grow_one_k_tree(cache, limits, rule, seed);
            return std::make_tuple(grown.structure.score, to_tuples(grown.structure.parents),
                                   grown.structure.elimination_order, grown.bags);
        },
        "cache"_a, nb::kw_only(), "rule"_a, "limits"_a, "seed"_a);
    m.def(
        "best_decomposed_score",
        [](const FamilyScores& scores, const ArcConstraints& constraints,
           const StructureLimits& limits, PythonRunControl& control) {
            const auto best = run_unlocked(control, [&](RunControl& core) {
                const BestFamilies families(scores, constraints, limits, 1, core);
                const auto is_bag = [&](VariableMask mask) {
                    return fits_in_bag(members_of(mask), limits);
                };
                return best_decomposed_structure(families, limits.max_treewidth + 1, true, is_bag,
                                                 1, core);
            });
            return best.value().score;
        },
        "scores"_a, nb::kw_only(), "constraints"_a, "limits"_a, "control"_a);
    m.def(
        "best_separated_structure",
        [](const FamilyScores& scores, const ArcConstraints& constraints,
           const StructureLimits& limits, double threshold, int n_threads,
           PythonRunControl& control) {
            const auto best = run_unlocked(control, [&](RunControl& core) {
                const FamilyLists families(scores, constraints, limits, n_threads, core);
                const SubsetScores bounds(families, n_threads, core);
                const auto is_bag = [&](VariableMask mask) {
                    return fits_in_bag(members_of(mask), limits);
                };
                const Bags bags{limits.max_treewidth + 1, limits.arities.empty(), is_bag};
                const std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
                return SeparatorSearch(families, bounds, bags, n_threads, max_bytes, core)
                    .best_above(threshold);
            });
            using Found = std::tuple<double, ParentLists, std::vector<VariableId>>;
            if (!best) return std::optional<Found>();
            return std::optional<Found>({best->score, best->parents, best->elimination_order});
        },
        "scores"_a, nb::kw_only(), "constraints"_a, "limits"_a, "threshold"_a, "n_threads"_a,
        "control"_a);
}

}  // namespace baytree
