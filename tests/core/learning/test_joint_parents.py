"""Candidates that tell something of a child only beside other parents."""

from itertools import combinations

import numpy as np
import pytest

from baytree import _core, _core_testing
from core_calls import core_scorer
from score_oracle import family_score
from search_calls import arc_constraints, budget, limits, search_dags
from small_tables import KINDS, small_table


def surplus_pairs(
    scorer, constraints, *, samples=False, n_threads=1, most_seconds=1e9, max_parents=5
):
    return _core_testing.surplus_pairs(
        scorer,
        constraints,
        samples=samples,
        limits=limits(5, max_parents=max_parents),
        n_threads=n_threads,
        most_seconds=most_seconds,
        control=_core.RunControl(),
    )


def forward_selected(scorer, constraints, singles, pairs=(), *, n_threads=1, max_parents=5):
    return _core_testing.forward_selected(
        scorer,
        constraints,
        limits=limits(5, max_parents=max_parents),
        singles=singles,
        pairs=list(pairs),
        n_threads=n_threads,
        control=_core.RunControl(),
    )


def table_of_pairs(n_variables, *, n_rows=1000, n_states=2, seed=0):
    """Rows in which each third variable is the sum of the two before it, but for a tenth."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, n_states, (n_rows, n_variables))
    for c in range(2, n_variables, 3):
        sums = (codes[:, c - 2] + codes[:, c - 1]) % n_states
        codes[:, c] = np.where(random.random(n_rows) < 0.1, codes[:, c], sums)
    return codes, [n_states] * n_variables


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("samples", [False, True])  # few rows are all in the sample
def test_pairs_are_those_of_the_highest_surplus(kind, n_threads, samples):
    codes, arities = small_table(kind, n_variables=9)
    forbidden = [[1, 2, 3, 4], *([] for _ in range(8))]
    constraints = arc_constraints(9, forbidden=forbidden)
    scorer = core_scorer(codes, arities)
    pairs = surplus_pairs(scorer, constraints, samples=samples, n_threads=n_threads)

    def score(child, *parents):
        return family_score(codes, arities, child, sorted(parents))

    for child in range(9):
        surplus = {
            (a, b): score(child, a, b) + score(child) - score(child, a) - score(child, b)
            for a, b in combinations(
                [v for v in range(9) if v not in {child, *forbidden[child]}], 2
            )
        }
        expected = sorted((value for value in surplus.values() if value > 0), reverse=True)
        found = [surplus[a, b] for a, b in pairs[child]]
        np.testing.assert_allclose(found, expected[:8], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("options", [{"max_parents": 1}, {"most_seconds": 1e-9}])
@pytest.mark.parametrize("samples", [False, True])
def test_no_pairs_where_they_are_of_no_use_or_take_too_long(options, samples):
    scorer = core_scorer(*table_of_pairs(6))
    assert not surplus_pairs(scorer, arc_constraints(6), samples=samples, **options)


@pytest.mark.parametrize("n_states", [2, 3, 5])
def test_a_sample_of_rows_finds_strong_pairs(n_states):
    codes, arities = table_of_pairs(30, n_rows=3000, n_states=n_states)
    pairs = surplus_pairs(core_scorer(codes, arities), arc_constraints(30), samples=True)
    for c in range(2, 30, 3):
        assert [tuple(sorted(pairs[v][0])) for v in (c - 2, c - 1, c)] == [
            (c - 1, c),
            (c - 2, c),
            (c - 2, c - 1),
        ]


def test_a_sample_follows_the_weights_of_rows():
    codes, arities = table_of_pairs(9, n_rows=4000)
    noise = np.random.default_rng(1).integers(0, 2, codes.shape)
    weights = np.repeat([1.0, 1e-3], 4000)
    scorer = core_scorer(np.concatenate([codes, noise]), arities, weights=weights)
    pairs = surplus_pairs(scorer, arc_constraints(9), samples=True)
    assert pairs == surplus_pairs(core_scorer(codes, arities), arc_constraints(9), samples=True)


@pytest.mark.parametrize("weight", [1e-6, 1e-3])
def test_rows_of_hardly_any_weight_give_no_sample(weight):
    codes, arities = table_of_pairs(6)
    scorer = core_scorer(codes, arities, weights=np.full(len(codes), weight))
    assert not surplus_pairs(scorer, arc_constraints(6), samples=True)


def test_a_sample_leaves_out_incomplete_variables():
    codes, arities = table_of_pairs(6)
    codes[5, 0] = -1
    pairs = surplus_pairs(core_scorer(codes, arities), arc_constraints(6), samples=True)
    assert [bool(own) for own in pairs] == [False] * 3 + [True] * 3


def test_a_short_search_finds_parents_that_tell_nothing_alone():
    codes, arities = table_of_pairs(120, n_rows=2000, n_states=3)
    scorer = core_scorer(codes, arities)
    found = search_dags(scorer, "anneal", limits(3), budget(20_000))
    families = [{child, *parents} for child, parents in enumerate(found.parents)]
    assert all(any({c - 2, c - 1, c} <= own for own in families) for c in range(2, 120, 3))
    again = search_dags(scorer, "anneal", limits(3), budget(20_000, n_threads=3))
    assert again.parents == found.parents


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"copies"}))  # copies gain the same
@pytest.mark.parametrize("max_parents", [1, 2, 4])
def test_forward_selection_takes_what_gains_most_beside_the_parents_at_hand(kind, max_parents):
    codes, arities = small_table(kind, n_variables=9)
    singles = [[(child + 1) % 9] for child in range(9)]
    selected = forward_selected(
        core_scorer(codes, arities), arc_constraints(9), singles, max_parents=max_parents
    )
    for child in range(9):
        parents, expected = list(singles[child]), list(singles[child])
        while len(parents) < max_parents:
            score = family_score(codes, arities, child, sorted(parents))
            gains = {
                other: family_score(codes, arities, child, sorted([*parents, other])) - score
                for other in range(9)
                if other != child and other not in parents
            }
            ranked = sorted((v for v in gains if gains[v] > 0), key=gains.get, reverse=True)
            expected += [v for v in ranked[:4] if v not in expected]
            if not ranked:
                break
            parents.append(ranked[0])
        assert selected[child] == expected


def test_forward_selection_goes_on_from_a_pair():
    codes, arities = table_of_pairs(6)
    scorer = core_scorer(codes, arities)
    pairs = surplus_pairs(scorer, arc_constraints(6))
    singles = [[] for _ in range(6)]
    assert not any(forward_selected(scorer, arc_constraints(6), singles))
    selected = forward_selected(scorer, arc_constraints(6), singles, pairs)
    assert selected[2][:2] == [0, 1]


def test_forward_selection_goes_on_from_required_parents():
    scorer = core_scorer(*table_of_pairs(6))
    required = [[], [], [0], [], [], []]
    singles = [[], [], [4], [], [], []]
    selected = forward_selected(scorer, arc_constraints(6, required=required), singles)
    assert selected[2][:3] == [0, 4, 1]


@pytest.mark.parametrize("n_states", [2, 3])
def test_the_search_finds_parents_that_tell_nothing_alone(n_states):
    codes, arities = table_of_pairs(45, n_states=n_states, seed=1)
    scorer = core_scorer(codes, arities)
    found = search_dags(scorer, "anneal", limits(3), budget(500_000))
    families = [{child, *parents} for child, parents in enumerate(found.parents)]
    assert all(any({c - 2, c - 1, c} <= own for own in families) for c in range(2, 45, 3))
    again = search_dags(scorer, "anneal", limits(3), budget(500_000, n_threads=3))
    assert again.parents == found.parents


FUNCTIONS = {
    "sum": lambda a, b, c, n_states: (a + b) % n_states,
    "largest": lambda a, b, c, n_states: np.maximum(a, b),
    "choice": lambda a, b, c, n_states: np.where(a == 0, b, c),
    "median": lambda a, b, c, n_states: np.median([a, b, c], axis=0),
    "sum or product": lambda a, b, c, n_states: np.where(a == 0, (b + c), b * c) % n_states,
}


@pytest.mark.parametrize("n_states", [2, 3])
def test_a_short_search_finds_functions_of_other_variables(n_states):
    codes = np.random.default_rng(n_states).integers(0, n_states, (2000, 120))
    planted = [[] for _ in range(120)]
    for child, function in zip(range(3, 120, 4), [*FUNCTIONS.values()] * 6, strict=True):
        codes[:, child] = function(*codes[:, child - 3 : child].T, n_states)
        planted[child] = [child - 3, child - 2, child - 1]
        if function in (FUNCTIONS["sum"], FUNCTIONS["largest"]):
            planted[child].pop()
    arities = [n_states] * 120
    found = search_dags(core_scorer(codes, arities), "anneal", limits(4), budget(200_000))
    expected = sum(family_score(codes, arities, v, parents) for v, parents in enumerate(planted))
    assert found.score >= expected - 1e-3 * abs(expected)
    alone = sum(family_score(codes, arities, v, []) for v in range(120))
    assert expected > alone + 1e-2 * abs(expected)  # the functions matter
