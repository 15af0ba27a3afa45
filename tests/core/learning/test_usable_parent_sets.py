import numpy as np
import pytest

from baytree import _core_testing
from core_calls import core_cache
from search_calls import limits

CACHE = core_cache([{(1, 2): -1.0, (1,): -np.inf, (2,): -2.0, (): -3.0}, {(): 0.0}, {(): 0.0}])


def best_parents_of_first(limits_):
    _, order, parents = _core_testing.best_small_dag(CACHE, limits=limits_, variables=[0, 1, 2])
    return parents[order.index(0)]


@pytest.mark.parametrize(
    ("limits_", "parents"),
    [
        (limits(2), (1, 2)),
        (limits(1), (2,)),
        (limits(5, max_parents=1), (2,)),
        (limits(5, max_parents=0), ()),
        (limits(2, max_clique_states=12, arities=[3, 2, 2]), (1, 2)),
        (limits(2, max_clique_states=11, arities=[3, 2, 2]), (2,)),
        (limits(2, max_clique_states=5, arities=[3, 2, 2]), ()),
        (limits(2, max_clique_states=1, arities=[3, 2, 2]), ()),
        (limits(2, max_clique_states=1), (1, 2)),
    ],
)
def test_sets_beyond_the_limits_are_not_used(limits_, parents):
    assert best_parents_of_first(limits_) == parents


@pytest.mark.parametrize("arities", [[2], [2, 2], [2, 2, 2, 2]])
def test_arities_must_be_those_of_the_variables(arities):
    with pytest.raises(ValueError, match="one number a variable"):
        best_parents_of_first(limits(2, max_clique_states=9, arities=arities))
