from functools import cache
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree import _core
from core_calls import core_cache, core_scorer
from random_networks import random_parents
from score_oracle import family_score
from search_calls import arc_constraints, check_found, limits, search_dags
from small_tables import KINDS, small_table
from treewidth_oracle import has_decomposition


def climb(scorer, limits_, **options):
    return search_dags(scorer, "hill_climb", limits_, **options)


def neighbours_of(parents):
    """Parent sets after each addition, removal and reversal of one arc."""
    for a, b in permutations(range(len(parents)), 2):
        changed = [set(members) for members in parents]
        if a in changed[b]:
            changed[b].remove(a)
            yield changed
            changed = [set(members) for members in changed]
            changed[a].add(b)
            yield changed
        elif b not in changed[a]:
            changed[b].add(a)
            yield changed


def is_acyclic(parents):
    arcs = [(parent, child) for child, members in enumerate(parents) for parent in members]
    return nx.is_directed_acyclic_graph(nx.DiGraph(arcs))


def check_local_optimum(outcome, score, is_allowed):
    """No structure that differs by one arc and is allowed scores more."""
    for changed in neighbours_of(outcome.parents):
        total = sum(score(child, tuple(sorted(members))) for child, members in enumerate(changed))
        if total > outcome.score + 1e-6:
            assert not (is_acyclic(changed) and is_allowed(changed))


def oracle(codes, arities, score="bic"):
    return cache(lambda child, parents: family_score(codes, arities, child, parents, score=score))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", ["bic", "aic", "k2"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_change_of_one_arc_within_the_treewidth_scores_more(kind, score, k):
    codes, arities = small_table(kind, n_variables=6, n_rows=60, seed=k)
    scores = oracle(codes, arities, score)
    scorer = core_scorer(codes, arities, score=score)
    outcome = climb(scorer, limits(k))
    check_found(outcome, scores, max_treewidth=k)
    assert outcome.score >= search_dags(scorer, "chow_liu", limits(k)).score

    def fits(parents):
        is_narrow = has_decomposition(parents, lambda bag: len(bag) <= k + 1)
        return is_narrow and max(map(len, parents)) <= k

    check_local_optimum(outcome, scores, fits)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_no_change_that_constraints_allow_scores_more(seed, random):
    n, k = 5, 2
    codes, arities = small_table("mixed", n_variables=n, n_rows=50, seed=seed)
    required = random_parents(random, n, 1)
    forbidden = [
        sorted(p for p in range(n) if p not in {c, *required[c]} and random.random() < 0.3)
        for c in range(n)
    ]
    constraints = arc_constraints(n, required=required, forbidden=forbidden)
    outcome = climb(core_scorer(codes, arities), limits(k), constraints=constraints)

    def keeps(parents):
        return all(
            set(required[c]) <= members and not set(forbidden[c]) & set(members)
            for c, members in enumerate(map(set, parents))
        )

    def is_allowed(parents):
        return (
            max(map(len, parents)) <= k
            and keeps(parents)
            and has_decomposition(parents, lambda bag: len(bag) <= k + 1)
        )

    check_found(outcome, oracle(codes, arities), max_treewidth=k)
    assert keeps(outcome.parents)
    check_local_optimum(outcome, oracle(codes, arities), is_allowed)


@settings(max_examples=25)
@given(st.sampled_from(KINDS), st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_start_is_never_left_for_less(kind, k, random):
    codes, arities = small_table(kind, n_variables=6, n_rows=60)
    scorer, scores = core_scorer(codes, arities, score="aic"), oracle(codes, arities, "aic")
    start = [list(parents[:k]) for parents in random_parents(random, 6, 1)]
    outcome = climb(scorer, limits(k), start=start)
    check_found(outcome, scores, max_treewidth=k)
    worth = sum(scores(child, tuple(members)) for child, members in enumerate(start))
    assert outcome.score >= worth - 1e-9
    again = climb(scorer, limits(k), start=outcome)
    assert again.parents == outcome.parents
    assert again.n_iterations == 0


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ([[2], [0], [1]], "cycle"),
        ([[], [0], [0, 1]], "more parents"),
        ([[], [2], []], "forbidden"),
        ([[], [], [0]], "lacks a required"),
        ([[], [0]], "one list of parents"),
        ([[], [7], [1]], "variable"),
        ([[], [1], [1]], "variable"),
        ([[], [], [1, 1]], "parents"),
    ],
)
def test_a_start_that_breaks_a_rule_is_refused(start, reason):
    codes, arities = small_table("binary", n_variables=3)
    constraints = arc_constraints(3, required=[[], [], [1]], forbidden=[[], [2], []])
    with pytest.raises(ValueError, match=reason):
        climb(core_scorer(codes, arities), limits(1), constraints=constraints, start=start)


def test_a_start_of_a_larger_treewidth_is_refused():
    codes, arities = small_table("binary", n_variables=5)
    start = [[], [], [0, 1], [0, 2], [1, 3]]
    assert not has_decomposition(start, lambda bag: len(bag) <= 3)
    with pytest.raises(ValueError, match="no order of elimination"):
        climb(core_scorer(codes, arities), limits(2), start=start)
    climb(core_scorer(codes, arities), limits(3, max_parents=2), start=start)


@pytest.mark.parametrize("max_clique_states", [2, 4, 8, 12, 30])
def test_bags_keep_to_the_product_of_arities(max_clique_states):
    codes, arities = small_table("mixed", n_rows=200, seed=1)
    bounds = {"max_clique_states": max_clique_states, "arities": arities}
    outcome = climb(core_scorer(codes, arities, score="aic"), limits(3, **bounds))
    check_found(outcome, oracle(codes, arities, "aic"), max_treewidth=3, **bounds)


@pytest.mark.parametrize("max_parents", [1, 2])
def test_families_keep_to_max_parents_below_the_treewidth(max_parents):
    codes, arities = small_table("binary", n_rows=200)
    outcome = climb(core_scorer(codes, arities, score="aic"), limits(3, max_parents=max_parents))
    assert max(map(len, outcome.parents)) == max_parents


def test_the_thread_that_called_gives_heartbeats():
    beats = []
    control = _core.RunControl(on_progress=lambda done, total: beats.append(done))
    cache_ = core_cache([{(): -1.0, (1,): 0.0}, {(): -1.0}])
    climb(cache_, limits(1), control=control)
    assert beats


@pytest.mark.parametrize("search", ["chow_liu", "hill_climb", "anneal"])
@pytest.mark.parametrize("n_variables", [0, 1])
def test_few_variables_have_no_arcs(search, n_variables):
    codes = np.zeros((5, n_variables), dtype=np.int32)
    codes[:2] = 1
    if n_variables:
        source = core_scorer(codes, [2] * n_variables)
        assert search_dags(source, search, limits(2)).parents == [()]
    source = core_cache([{(): -2.0}] * n_variables)
    outcome = search_dags(source, search, limits(2))
    assert (outcome.parents, outcome.score) == ([()] * n_variables, -2.0 * n_variables)


def grouped_table(seed):
    """Return rows of hidden groups, so that every variable depends on every other."""
    rng = np.random.default_rng(seed)
    centres = rng.random((4, 60)) < 0.5
    is_noise = rng.random((300, 60)) < 0.2
    return np.asfortranarray(centres[rng.integers(0, 4, 300)] ^ is_noise, dtype=np.int32)


def test_trying_once_is_a_valid_climb_that_leaves_out_what_comes_later():
    gains = []
    for seed in range(5):
        codes, arities = grouped_table(seed), [2] * 60
        scores, scorer = oracle(codes, arities, "aic"), core_scorer(codes, arities, score="aic")
        once = search_dags(scorer, "hill_climb_once", limits(2))
        check_found(once, scores, max_treewidth=2)
        assert once.score >= search_dags(scorer, "chow_liu", limits(2)).score
        gains.append(climb(scorer, limits(2)).score - once.score)
    assert np.mean(gains) > 0
