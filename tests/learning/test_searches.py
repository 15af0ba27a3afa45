import time

import numpy as np

from baytree.learning.constraints import PositionalConstraints
from baytree.learning.searches import allowed_cache, search_in_cache
from core_calls import kept_sets
from search_calls import random_cache
from search_problems import search_problem


def none(n):
    return [[] for _ in range(n)]


def test_sets_with_forbidden_parents_or_parents_of_later_tiers_are_left_out():
    cache = random_cache(6, seed=1)
    forbidden = [[1, 2], [], [5], [], [], [0]]
    tiers = [0, 0, 1, 1, 2, 2]
    allowed = allowed_cache(cache, PositionalConstraints(none(6), forbidden, tiers))
    for child in range(6):
        expected = {
            parents: score
            for parents, score in kept_sets(cache, child).items()
            if not {*parents} & {*forbidden[child]}
            and all(tiers[parent] <= tiers[child] for parent in parents)
        }
        assert kept_sets(allowed, child) == expected
        assert len(expected) < len(kept_sets(cache, child)) or child > 2


def test_a_cache_without_constraints_is_not_copied():
    cache = random_cache(4)
    assert allowed_cache(cache, PositionalConstraints(none(4), none(4))) is cache


def test_history_counts_from_the_start_of_the_call():
    found = search_in_cache(search_problem(8), random_cache(8), time.monotonic() - 100)
    assert (found.history["seconds"] > 100).all()
    assert found.history.dtypes.tolist() == [np.float64, np.int64, np.float64]
