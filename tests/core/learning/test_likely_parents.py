"""Pairs that one search of a wide table found best, and others choose from."""

import numpy as np
import pytest

from baytree import _core
from core_calls import core_scorer
from search_calls import arc_constraints, budget, limits, search_dags, stopping_after

N_VARIABLES = 330  # beyond 320, the best 80 of each variable are few of all
N_ROWS = 200


def wide_scorer(seed=0, *, n_variables=N_VARIABLES, score="bic", weights=None):
    """Scorer of groups of three variables, the last two of which are mostly the first."""
    random = np.random.default_rng(seed)
    first = random.integers(2, size=(N_ROWS, n_variables // 3))
    is_other = random.random((3, *first.shape)) < 0.15
    codes = np.concatenate([first ^ is_other[i] for i in range(3)], axis=1)
    return core_scorer(codes, [2] * codes.shape[1], score=score, weights=weights)


def climbed(scorer, **options):
    return search_dags(scorer, "hill_climb", limits(3), budget(None), **options)


def test_in_the_same_table_they_hold_the_best_forest():
    scorer = wide_scorer()
    forest = search_dags(scorer, "chow_liu", limits(3))
    again = search_dags(scorer, "chow_liu", limits(3), likely_parents=forest.likely_parents)
    assert again.score == pytest.approx(forest.score, rel=1e-12)


@pytest.mark.parametrize("score", ["bic", "aic", "k2"])
@pytest.mark.parametrize("search", ["hill_climb", "anneal"])
def test_in_a_table_that_is_nearly_the_same_hardly_anything_is_lost(score, search):
    lists = search_dags(wide_scorer(score=score), search, limits(3), budget(3000)).likely_parents
    drawn = np.random.default_rng(1).integers(N_ROWS, size=N_ROWS)
    scorer = wide_scorer(score=score, weights=np.bincount(drawn, minlength=N_ROWS))
    anew, listed = (
        search_dags(scorer, search, limits(3), budget(3000), likely_parents=given)
        for given in (None, lists)
    )
    without_arcs = sum(scorer.score(variable, []) for variable in range(N_VARIABLES))
    assert listed.score - without_arcs > 0.98 * (anew.score - without_arcs)


def test_the_pairs_of_another_table_bind_the_search():
    scorer, other = wide_scorer(0), wide_scorer(1)
    groups = N_VARIABLES // 3
    codes = np.random.default_rng(2).integers(2, size=(N_ROWS, N_VARIABLES))
    noise = core_scorer(codes, [2] * N_VARIABLES)
    of_noise = climbed(scorer, likely_parents=climbed(noise).likely_parents)
    of_like = climbed(scorer, likely_parents=climbed(other).likely_parents)
    assert of_noise.score < of_like.score
    found = sum(p % groups == c % groups for c, ps in enumerate(of_like.parents) for p in ps)
    assert found >= 2 * groups


@pytest.mark.parametrize("search", ["chow_liu", "hill_climb", "anneal"])
def test_constraints_bind_them(search):
    scorer = wide_scorer()
    lists = search_dags(scorer, search, limits(3), budget(3000)).likely_parents
    first, second = range(N_VARIABLES // 3), range(N_VARIABLES // 3, 2 * N_VARIABLES // 3)
    forbidden = [list(second) if child in first else [] for child in range(N_VARIABLES)]
    required = [[1], *([] for _ in range(N_VARIABLES - 1))]
    constraints = arc_constraints(N_VARIABLES, required=required, forbidden=forbidden)
    outcome = search_dags(
        scorer, search, limits(3), budget(3000), constraints=constraints, likely_parents=lists
    )
    assert 1 in outcome.parents[0]
    assert not any({*second} & {*outcome.parents[child]} for child in first)


def test_a_search_that_is_stopped_hands_them_on():
    scorer = wide_scorer()
    for given in (None, climbed(scorer).likely_parents):
        outcome = search_dags(
            scorer,
            "anneal",
            limits(3),
            budget(10**9),
            likely_parents=given,
            control=stopping_after(1),
        )
        assert outcome.n_iterations < 10**9
        assert outcome.likely_parents is not None


@pytest.mark.parametrize("search", ["chow_liu", "hill_climb", "anneal"])
def test_a_search_that_is_stopped_before_it_begins_has_none(search):
    control = _core.RunControl()
    control.request_stop()
    outcome = search_dags(wide_scorer(), search, limits(3), control=control)
    assert outcome.likely_parents is None
    assert outcome.parents == [()] * N_VARIABLES


def test_threads_do_not_matter():
    scorer = wide_scorer()
    lists = climbed(scorer).likely_parents
    other = wide_scorer(1)
    one, two = (
        search_dags(other, "hill_climb", limits(3), budget(None, n_threads=n), likely_parents=lists)
        for n in (1, 2)
    )
    assert one.parents == two.parents


def test_there_are_none_where_they_would_spare_little():
    assert climbed(wide_scorer(n_variables=318)).likely_parents is None


def test_lists_of_other_variables_are_refused():
    lists = climbed(wide_scorer()).likely_parents
    with pytest.raises(ValueError, match="a list of likely parents for each variable"):
        climbed(wide_scorer(n_variables=333), likely_parents=lists)
