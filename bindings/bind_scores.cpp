#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "conversions.hpp"
#include "run_control.hpp"
#include "scores/cached_family_scores.hpp"
#include "scores/family_scorer.hpp"
#include "scores/jkl_format.hpp"
#include "scores/parent_set_cache.hpp"
#include "scores/parent_set_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

using ParentSetArrays = std::tuple<Vector<double>, Vector<VariableId>, Vector<std::uint32_t>>;

ScoredParentSets to_parent_sets(const ParentSetArrays& arrays) {
    const auto& [scores, members, starts] = arrays;
    const auto bounds = to_span(starts);
    if (bounds.size() != scores.size() + 1 || bounds.front() != 0 ||
        bounds.back() != members.size() || !std::ranges::is_sorted(bounds))
        throw std::invalid_argument("starts must lead from 0 to the number of members");
    ScoredParentSets sets;
    sets.reserve(scores.size(), members.size());
    for (std::size_t i = 0; i < scores.size(); ++i)
        sets.add(to_span(scores)[i],
                 to_span(members).subspan(bounds[i], bounds[i + 1] - bounds[i]));
    return sets;
}

void construct_family_scorer(FamilyScorer* self, const Dataset& dataset, std::string_view score,
                             double equivalent_sample_size,
                             std::optional<std::string_view> instruction_set,
                             std::size_t n_table_entries, int n_threads) {
    const ScoreOptions options{score_kind_named(score), equivalent_sample_size};
    const InstructionSet instructions =
        instruction_set ? instruction_set_named(*instruction_set) : best_instruction_set();
    const nb::gil_scoped_release unlocked;
    new (self) FamilyScorer(dataset, options, instructions, n_table_entries, n_threads);
}

double score_family(const FamilyScores& self, VariableId child,
                    const std::vector<VariableId>& parents) {
    check_family(self.n_variables(), child, parents);
    const nb::gil_scoped_release unlocked;
    return self.score(child, parents);
}

void construct_cached_scores(CachedFamilyScores* self, const ParentSetCache& cache) {
    const nb::gil_scoped_release unlocked;
    new (self) CachedFamilyScores(cache);
}

void bind_family_scores(nb::module_& m) {
    nb::class_<FamilyScores>(m, "FamilyScores")
        .def_prop_ro("n_variables", &FamilyScores::n_variables)
        .def("score", &score_family, "child"_a, "parents"_a);
    nb::class_<CachedFamilyScores, FamilyScores>(m, "CachedFamilyScores")
        .def("__init__", &construct_cached_scores, "cache"_a);
}

void bind_family_scorer(nb::module_& m) {
    nb::class_<FamilyScorer, FamilyScores>(m, "FamilyScorer")
        .def("__init__", &construct_family_scorer, "dataset"_a, nb::kw_only(), "score"_a,
             "equivalent_sample_size"_a, "instruction_set"_a = nb::none(),
             "n_table_entries"_a = FamilyScorer::default_table_entries, "n_threads"_a = 1,
             nb::keep_alive<1, 2>())
        .def(
            "__init__",
            [](FamilyScorer* self, const Dataset& dataset, const FamilyScorer& before,
               const std::vector<VariableId>& changed, int n_threads) {
                const nb::gil_scoped_release unlocked;
                new (self) FamilyScorer(dataset, before, changed, n_threads);
            },
            "dataset"_a, nb::kw_only(), "before"_a, "changed"_a, "n_threads"_a = 1,
            nb::keep_alive<1, 2>());
}

void construct_parent_set_cache(ParentSetCache* self, const std::vector<ParentSetArrays>& arrays) {
    std::vector<ScoredParentSets> sets;
    sets.reserve(arrays.size());
    for (const ParentSetArrays& of_variable : arrays) sets.push_back(to_parent_sets(of_variable));
    new (self) ParentSetCache(ParentSetCache::from_unchecked(std::move(sets)));
}

auto cache_arrays(const ParentSetCache& self, VariableId variable) {
    const ScoredParentSets& sets = self.of(variable);
    return std::make_tuple(to_numpy(sets.scores()), to_numpy(sets.members()),
                           to_numpy(sets.starts()));
}

auto cached_scores(const ParentSetCache& self, VariableId variable) {
    return to_numpy(self.of(variable).scores());
}

VariableTuples cached_parent_sets(const ParentSetCache& self, VariableId variable) {
    VariableTuples sets;
    for (std::size_t i = 0; i < self.of(variable).size(); ++i)
        sets.append(to_tuple(self.of(variable).parents(i)));
    return sets;
}

void bind_parent_set_cache(nb::module_& m) {
    nb::class_<ParentSetCache>(m, "ParentSetCache")
        .def("__init__", &construct_parent_set_cache, "arrays"_a)
        .def("arrays", &cache_arrays, "variable"_a)
        .def_prop_ro("largest_parent_set", &ParentSetCache::largest_parent_set)
        .def_prop_ro("sum_of_best_scores", &ParentSetCache::sum_of_best_scores)
        .def_prop_ro("n_variables", &ParentSetCache::n_variables)
        .def_prop_ro("n_parent_sets", &ParentSetCache::n_parent_sets)
        .def_prop_ro("n_bytes", &ParentSetCache::n_bytes)
        .def("scores", &cached_scores, "variable"_a)
        .def("parent_sets", &cached_parent_sets, "variable"_a)
        .def("jkl_block", &jkl_block, "variable"_a);
}

void feed_jkl_reader(JklReader& self, const nb::bytes& text) {
    const std::string_view view(text.c_str(), text.size());
    const nb::gil_scoped_release unlocked;
    self.feed(view);
}

nb::typed<nb::list, nb::bytes> jkl_variable_comments(const JklReader& self) {
    nb::typed<nb::list, nb::bytes> comments;
    for (const std::string& comment : self.variable_comments())
        comments.append(nb::bytes(comment.data(), comment.size()));
    return comments;
}

void bind_jkl_reader(nb::module_& m) {
    nb::class_<JklReader>(m, "JklReader")
        .def(nb::init<>())
        .def("feed", &feed_jkl_reader, "text"_a)
        .def("finish", &JklReader::finish)
        .def_prop_ro("variable_comments", &jkl_variable_comments);
}

void bind_parent_set_search(nb::module_& m) {
    nb::class_<ParentSetSearchResult>(m, "ParentSetSearchResult")
        .def_ro("cache", &ParentSetSearchResult::cache)
        .def_ro("n_evaluated", &ParentSetSearchResult::n_evaluated)
        .def_ro("is_complete", &ParentSetSearchResult::is_complete);
    m.def(
        "search_parent_sets",
        [](const FamilyScorer& scorer, ParentLists required, ParentLists forbidden,
           std::vector<std::uint32_t> tiers, std::size_t max_parents, std::uint64_t max_evaluations,
           std::uint64_t seed, int n_threads, PythonRunControl& control) {
            std::optional<ParentSetSearchResult> result;
            {
                const nb::gil_scoped_release unlocked;
                result.emplace(search_parent_sets(
                    scorer, {std::move(required), std::move(forbidden), std::move(tiers)},
                    {max_parents, max_evaluations, seed, n_threads}, control.core()));
            }
            control.raise_pending();
            return std::move(*result);
        },
        "scorer"_a, nb::kw_only(), "required"_a, "forbidden"_a, "tiers"_a, "max_parents"_a,
        "max_evaluations"_a, "seed"_a, "n_threads"_a, "control"_a);
}

}  // namespace

void bind_scores(nb::module_& m) {
    bind_parent_set_cache(m);
    bind_jkl_reader(m);
    bind_family_scores(m);
    bind_family_scorer(m);
    bind_parent_set_search(m);
}

}  // namespace baytree
