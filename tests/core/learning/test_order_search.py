import numpy as np
import pytest

from baytree import _core, _core_testing
from core_calls import core_cache, kept_sets
from search_calls import limits, random_cache


def order_search(cache, variables, *, n_orders=10, seed=0, time_limit=None):
    return _core_testing.dag_by_order_search(
        cache,
        limits=limits(9),
        variables=variables,
        n_orders=n_orders,
        seed=seed,
        control=_core.RunControl(time_limit=time_limit),
    )


def check_dag(cache, found):
    score, order, parents = found
    for place, (child, of_child) in enumerate(zip(order, parents, strict=True)):
        assert set(of_child) <= set(order[:place])
        score -= kept_sets(cache, child)[of_child]
    assert score == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_networks_of_twelve_variables_are_nearly_the_best(seed):
    cache, variables = random_cache(12, n_sets=40, seed=seed), list(range(12))
    best, _, _ = _core_testing.best_small_dag(cache, limits=limits(9), variables=variables)
    alone = sum(kept_sets(cache, child)[()] for child in variables)
    found = order_search(cache, variables)
    check_dag(cache, found)
    assert best >= found[0] >= best - 0.02 * (best - alone)


@pytest.mark.parametrize("n_variables", [16, 40, 70])
def test_any_number_of_variables_has_a_network(n_variables):
    cache = random_cache(80, n_sets=100)
    variables = list(range(80))[-n_variables:]
    found = order_search(cache, variables)
    check_dag(cache, found)
    assert sorted(found[1]) == variables
    assert found == order_search(cache, variables)


def test_more_orders_find_better_networks():
    cache = random_cache(30, n_sets=60)
    scores = [order_search(cache, list(range(30)), n_orders=n)[0] for n in [1, 10, 100]]
    assert scores == sorted(scores)
    assert scores[0] < scores[-1]


def test_variables_that_cannot_all_have_parents_are_left_out():
    cache = core_cache([{(1,): -1.0}, {(0,): -2.0}, {(): -3.0, (0,): -1.0}, {(2,): -4.0}])
    assert order_search(cache, [0, 1, 2, 3]) == (-7.0, [2, 3], [(), (2,)])
    assert order_search(cache, [0, 1]) == (0.0, [], [])


def test_variables_that_need_parents_get_them():
    cache = random_cache(20, n_sets=30, has_empty=False)
    sets = [kept_sets(cache, child) for child in range(20)]
    sets[7] = {(): -1.0}
    score, order, _ = order_search(core_cache(sets), list(range(20)))
    assert np.isfinite(score)
    assert len(order) == 20


def test_no_time_at_all_still_gives_a_network():
    cache = random_cache(40)
    check_dag(cache, order_search(cache, list(range(40)), time_limit=0.0))
