import numpy as np
import pytest

from baytree import _core


def arrays_of(scored_sets):
    """Flat arrays of (score, parents) pairs."""
    members = [parent for _, parents in scored_sets for parent in parents]
    return (
        np.array([score for score, _ in scored_sets], dtype=np.float64),
        np.array(members, dtype=np.uint32),
        np.cumsum([0, *(len(parents) for _, parents in scored_sets)], dtype=np.uint32),
    )


def test_sets_come_best_first_and_ties_as_given():
    sets = [(-3.0, ()), (-1.0, (2,)), (-2.0, (1, 2)), (-2.0, (2,)), (-2.0, (1,)), (0.5, (1, 2))]
    cache = _core.ParentSetCache([arrays_of(sets), arrays_of([(0, ())]), arrays_of([(0, ())])])
    assert cache.scores(0).tolist() == [0.5, -1.0, -2.0, -2.0, -2.0, -3.0]
    assert cache.parent_sets(0) == [(1, 2), (2,), (1, 2), (2,), (1,), ()]


def test_sizes_and_sums_are_those_of_the_sets():
    cache = _core.ParentSetCache([arrays_of([(-3.0, ()), (-1.0, (1,))]), arrays_of([(-2.0, ())])])
    assert (cache.n_variables, cache.n_parent_sets, cache.largest_parent_set) == (2, 3, 1)
    assert cache.sum_of_best_scores == -3.0


def test_arrays_rebuild_the_cache():
    cache = _core.ParentSetCache([arrays_of([(-3.0, ()), (-1.0, (1,))]), arrays_of([(-2.0, ())])])
    again = _core.ParentSetCache([cache.arrays(variable) for variable in range(2)])
    assert again.parent_sets(0) == cache.parent_sets(0) == [(1,), ()]
    assert again.scores(0).tolist() == cache.scores(0).tolist()


def test_a_million_sets_of_eight_parents_take_less_than_60_bytes_each():
    n_sets, n_variables = 1_000_000, 200
    steps = np.random.default_rng(0).integers(1, 24, (n_sets, 8), dtype=np.uint32)
    members = steps.cumsum(axis=1, dtype=np.uint32).ravel()
    starts = np.arange(0, 8 * n_sets + 1, 8, dtype=np.uint32)
    large = (-np.arange(n_sets, dtype=np.float64), members, starts)
    cache = _core.ParentSetCache([large, *[arrays_of([(0.0, ())])] * (n_variables - 1)])
    assert cache.n_parent_sets == n_sets + n_variables - 1
    assert 40 * n_sets < cache.n_bytes < 60 * n_sets


@pytest.mark.parametrize("parents", [(0,), (2, 1), (1, 1), (3,), (4_294_967_295,)])
def test_what_is_no_set_of_other_variables_is_refused(parents):
    empty = arrays_of([(0.0, ())])
    with pytest.raises(ValueError, match="not ascending or not of other variables"):
        _core.ParentSetCache([arrays_of([(0.0, parents)]), empty, empty])


def test_a_variable_without_a_set_is_refused():
    with pytest.raises(ValueError, match="no parent set"):
        _core.ParentSetCache([arrays_of([])])


@pytest.mark.parametrize("starts", [[], [0], [1, 1], [0, 2], [0, 1, 0], [0, 2, 1]])
def test_arrays_that_do_not_fit_together_are_refused(starts):
    scores, members = np.zeros(len(starts[:2]) and 1), np.array([1], dtype=np.uint32)
    with pytest.raises(ValueError, match="starts must lead from 0"):
        _core.ParentSetCache([(scores, members, np.array(starts, dtype=np.uint32))] * 2)


@pytest.mark.parametrize("variable", [2, 4_294_967_295])
def test_a_variable_that_is_not_there_is_refused(variable):
    cache = _core.ParentSetCache([arrays_of([(0.0, ())])] * 2)
    for ask in (cache.scores, cache.parent_sets, cache.arrays, cache.jkl_block):
        with pytest.raises(IndexError):
            ask(variable)
