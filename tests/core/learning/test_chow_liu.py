"""Forests, through `search_dags`; their oracle tries all of them with scores of its own."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from baytree import _core
from core_calls import core_cache, core_scorer
from score_oracle import SCORES, family_score
from search_calls import (
    arc_constraints,
    budget,
    check_found,
    check_outcome,
    limits,
    search_dags,
    stopping_after,
)
from small_tables import KINDS, small_table
from treewidth_oracle import all_dags


@cache
def all_forests(n_variables):
    """Parents of every variable, at most one each."""
    if n_variables <= 4:
        return [parents for parents in all_dags(n_variables) if max(map(len, parents)) <= 1]
    choices = [[(), *((p,) for p in range(n_variables) if p != c)] for c in range(n_variables)]
    return [parents for parents in product(*choices) if not has_cycle(parents)]


def has_cycle(parents):
    def ends(variable, n_left):
        return not parents[variable] or (n_left > 0 and ends(parents[variable][0], n_left - 1))

    return not all(ends(variable, len(parents)) for variable in range(len(parents)))


def oracle(codes, arities, score="bic"):
    return cache(lambda child, parents: family_score(codes, arities, child, parents, score=score))


def best_forest_score(n_variables, score, is_allowed=lambda parent, child: True, required=None):
    required = required or [()] * n_variables
    return max(
        sum(score(child, members) for child, members in enumerate(parents))
        for parents in all_forests(n_variables)
        if all(set(required[c]) <= set(members) for c, members in enumerate(parents))
        and all(is_allowed(p, c) for c, members in enumerate(parents) for p in members)
    )


def forest(codes, arities, *, score="bic", constraints=None, bounds=None):
    scorer = core_scorer(codes, arities, score=score)
    return search_dags(scorer, "chow_liu", limits(1, **bounds or {}), constraints=constraints)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("n_variables", [1, 2, 5])
def test_no_forest_scores_more(kind, score, n_variables):
    codes, arities = small_table(kind, n_variables=n_variables, n_rows=50)
    scores = oracle(codes, arities, score)
    outcome = forest(codes, arities, score=score)
    check_found(outcome, scores, max_treewidth=1)
    assert outcome.score == pytest.approx(best_forest_score(n_variables, scores))


@settings(max_examples=40)
@given(st.data())
def test_no_forest_that_keeps_the_constraints_scores_more(data):
    n = data.draw(st.integers(2, 4))
    score = data.draw(st.sampled_from(["bic", "k2"]))
    codes, arities = small_table(
        "mixed", n_variables=n, n_rows=40, seed=data.draw(st.integers(0, 9))
    )
    tiers = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n) | st.just([]))
    kind = st.sampled_from(["free"] * 4 + ["forbid", "require"])
    kinds = {(a, b): data.draw(kind) for a in range(n) for b in range(n) if a != b}

    def lists(kind):
        return [[a for a in range(n) if kinds.get((a, b)) == kind] for b in range(n)]

    required, forbidden = lists("require"), lists("forbid")
    assume(not tiers or all(tiers[a] <= tiers[b] for b in range(n) for a in required[b]))
    assume(max(map(len, required)) <= 1)
    assume(not has_cycle(required))

    def is_allowed(parent, child):
        return parent not in forbidden[child] and not (tiers and tiers[parent] > tiers[child])

    constraints = arc_constraints(n, required=required, forbidden=forbidden, tiers=tiers)
    outcome = forest(codes, arities, score=score, constraints=constraints)
    scores = oracle(codes, arities, score)
    check_found(outcome, scores, max_treewidth=1)
    assert all(is_allowed(p, c) for c, members in enumerate(outcome.parents) for p in members)
    assert all(set(r) <= set(p) for r, p in zip(required, outcome.parents, strict=True))
    assert outcome.score == pytest.approx(best_forest_score(n, scores, is_allowed, required))


@pytest.mark.parametrize("max_clique_states", [3, 4, 6, 9, 12])
@pytest.mark.parametrize("score", ["bic", "k2"])
def test_no_forest_within_the_states_of_a_bag_scores_more(max_clique_states, score):
    codes, arities = small_table("mixed", n_variables=5, n_rows=60, seed=3)
    bounds = {"max_clique_states": max_clique_states, "arities": arities}
    outcome = forest(codes, arities, score=score, bounds=bounds)
    scores = oracle(codes, arities, score)
    check_found(outcome, scores, max_treewidth=1, **bounds)
    best = best_forest_score(5, scores, lambda a, b: arities[a] * arities[b] <= max_clique_states)
    assert outcome.score == pytest.approx(best)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("search", ["chow_liu", "hill_climb", "anneal"])
def test_constant_variables_have_no_arcs(score, search):
    codes, arities = small_table("mixed", n_rows=60)
    codes[:, [1, 4]], arities[1], arities[4] = 0, 1, 1
    scorer = core_scorer(codes, arities, score=score)
    outcome = search_dags(scorer, search, limits(3, arities=arities))
    assert any(outcome.parents)
    assert outcome.parents[1] == outcome.parents[4] == ()
    assert not {1, 4} & {parent for parents in outcome.parents for parent in parents}


@pytest.mark.parametrize("score", ["bic", "k2"])
def test_a_table_of_constants_has_no_arcs(score):
    outcome = forest(np.zeros((9, 4), dtype=np.int32), [1] * 4, score=score)
    assert outcome.parents == [()] * 4


def test_two_required_parents_are_refused():
    codes, arities = small_table("binary", n_variables=4)
    constraints = arc_constraints(4, required=[[1, 2], [], [], []])
    with pytest.raises(ValueError, match="more required parents"):
        forest(codes, arities, constraints=constraints)
    scorer = core_scorer(codes, arities)
    with pytest.raises(ValueError, match="cannot have two parents"):
        search_dags(scorer, "chow_liu", limits(2), constraints=constraints)


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_the_forest_of_a_table_with_missing_cells_is_the_best(score):
    codes, arities = small_table("mixed", n_variables=4, n_rows=60)
    codes[np.random.default_rng(0).random(codes.shape) < 0.2] = -1
    outcome = forest(codes, arities, score=score)
    best = best_forest_score(4, oracle(codes, arities, score=score))
    assert outcome.score == pytest.approx(best)


def test_a_forest_of_so_many_rows_that_pairs_are_remembered_is_the_best_twice():
    random = np.random.default_rng(0)
    codes = np.array(list(product(range(10), repeat=4)))[random.permutation(10_000)[:9_000]]
    codes[:, 1] = np.where(random.random(9_000) < 0.3, codes[:, 0], codes[:, 1])
    scorer = core_scorer(codes, [10] * 4)
    best = best_forest_score(4, oracle(codes, [10] * 4))
    for _ in range(2):
        outcome = search_dags(scorer, "chow_liu", limits(1))
        assert outcome.score == pytest.approx(best)


def test_a_forest_over_a_cache_uses_its_sets_only():
    sets = [{(): -9.0, (1,): -3.0}, {(): -9.0, (0,): -4.0, (0, 2): -1.0}, {(): -9.0, (0,): -10.0}]
    outcome = search_dags(core_cache(sets), "chow_liu", limits(2))
    assert (outcome.parents, outcome.score) == ([(1,), (), ()], -21.0)


def test_a_variable_without_the_empty_set_gets_a_parent_in_a_forest():
    cache_ = core_cache([{(1,): -1.0}, {(): -1.0, (0,): 7.0}, {(0,): -3.0, (1,): -2.0}])
    outcome = search_dags(cache_, "chow_liu", limits(1))
    check_outcome(outcome, cache_, max_treewidth=1)
    assert outcome.parents == [(1,), (), (1,)]


@pytest.mark.parametrize("search", ["chow_liu", "hill_climb", "anneal"])
def test_parents_never_seen_with_their_child_cannot_be_required(search):
    codes = np.array([[0, -1], [1, -1], [-1, 0], [-1, 1]] * 5)
    constraints = arc_constraints(2, required=[[1], []])
    with pytest.raises(ValueError, match="no score"):
        search_dags(core_scorer(codes, [2, 2]), search, limits(1), constraints=constraints)
    assert search_dags(core_scorer(codes, [2, 2]), search, limits(1)).parents == [(), ()]


def test_a_stop_before_the_call_gives_a_structure_without_arcs():
    codes, arities = small_table("binary")
    control = _core.RunControl()
    control.request_stop()
    scorer = core_scorer(codes, arities)
    outcome = search_dags(scorer, "chow_liu", limits(1), control=control)
    check_found(outcome, oracle(codes, arities), max_treewidth=1)


@pytest.mark.parametrize("score", ["bic", "k2"])  # the same both ways, and not
def test_pairs_that_a_stop_leaves_without_a_score_are_counted(score):
    n_variables = 1500
    codes = np.random.default_rng(0).integers(0, 3, (3000, n_variables))
    scorer = core_scorer(codes, [3] * n_variables, score=score)
    control = stopping_after(0)  # at its first sign of life
    outcome = search_dags(scorer, "chow_liu", limits(1), budget(None), control=control)
    n_pairs = n_variables * (n_variables - 1) // (2 if score == "bic" else 1)
    assert 0 < outcome.n_unscored_pairs <= n_pairs  # on a busy machine, all of them
    check_found(outcome, lambda child, parents: scorer.score(child, list(parents)), max_treewidth=1)


@pytest.mark.parametrize("score", ["bic", "k2"])
def test_no_pair_is_left_without_a_score(score):
    codes, arities = small_table("binary", n_variables=9, n_rows=50)
    assert forest(codes, arities, score=score).n_unscored_pairs == 0
