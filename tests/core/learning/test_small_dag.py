from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core_testing
from core_calls import core_cache, kept_sets
from search_calls import caches, limits, random_cache


def best_over_all_orders(cache, variables):
    """Score of the best network over the variables, found by trying every order."""

    def score(order):
        return sum(
            max(
                (
                    score
                    for parents, score in kept_sets(cache, child).items()
                    if set(parents) <= set(order[:position])
                ),
                default=-np.inf,
            )
            for position, child in enumerate(order)
        )

    return max(score(order) for order in permutations(variables))


def check_dag(cache, found):
    score, order, parents = found
    for position, (child, of_child) in enumerate(zip(order, parents, strict=True)):
        assert set(of_child) <= set(order[:position])
        score -= kept_sets(cache, child)[of_child]
    assert score == pytest.approx(0.0, abs=1e-9)


@given(caches(max_variables=6), st.randoms(use_true_random=False))
def test_no_order_of_the_variables_gives_a_better_network(cache, random):
    variables = random.sample(range(cache.n_variables), random.randint(1, cache.n_variables))
    found = _core_testing.best_small_dag(cache, limits=limits(9), variables=variables)
    check_dag(cache, found)
    assert sorted(found[1]) == sorted(variables)
    assert found[0] == pytest.approx(best_over_all_orders(cache, variables))


def test_fifteen_variables_are_solved_and_sixteen_refused():
    cache = random_cache(16, n_sets=40)
    found = _core_testing.best_small_dag(cache, limits=limits(9), variables=list(range(15)))
    check_dag(cache, found)
    assert len(found[1]) == 15
    with pytest.raises(ValueError, match="at most 15"):
        _core_testing.best_small_dag(cache, limits=limits(9), variables=list(range(16)))


def test_variables_that_cannot_all_have_parents_are_left_out():
    cache = core_cache([{(1,): -1.0}, {(0,): -2.0}, {(): -3.0, (0,): -1.0}, {(2,): -4.0}])
    found = _core_testing.best_small_dag(cache, limits=limits(2), variables=[0, 1, 2, 3])
    assert found == (-7.0, [2, 3], [(), (2,)])
    assert _core_testing.best_small_dag(cache, limits=limits(2), variables=[0, 1]) == (0.0, [], [])


def test_no_variables_make_an_empty_network():
    cache = random_cache(3)
    assert _core_testing.best_small_dag(cache, limits=limits(2), variables=[]) == (0.0, [], [])
