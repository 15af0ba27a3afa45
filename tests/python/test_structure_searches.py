import math
import time

import numpy as np
import pytest

from baytree._arc_constraints import ArcConstraints
from baytree._search_problems import check_problem, check_settings
from baytree._structure_searches import allowed_cache, search_in_cache
from baytree.exceptions import InterruptedWarning
from core_calls import kept_sets
from search_calls import random_cache


def none(n):
    return [[] for _ in range(n)]


def test_sets_with_forbidden_parents_or_parents_of_later_tiers_are_left_out():
    cache = random_cache(6, seed=1)
    forbidden = [[1, 2], [], [5], [], [], [0]]
    tiers = [0, 0, 1, 1, 2, 2]
    allowed = allowed_cache(cache, ArcConstraints(none(6), forbidden, tiers))
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
    assert allowed_cache(cache, ArcConstraints(none(4), none(4))) is cache


def problem(n_variables, **changes):
    settings = check_settings(
        **{
            "search": "k-max",
            "max_treewidth": 2,
            "max_parents": None,
            "time_limit": None,
            "max_iterations": None,
            "n_jobs": 1,
            "random_state": 0,
            "verbose": 0,
            "started": time.monotonic(),
        }
        | changes
    )
    return check_problem(
        settings,
        range(n_variables),
        required_arcs=(),
        forbidden_arcs=(),
        tiers=None,
        start=None,
    )


@pytest.mark.parametrize("search", ["k-max", "s2+"])
def test_after_ctrl_c_one_network_is_grown_at_once(search):
    with pytest.warns(InterruptedWarning, match="best network found so far"):
        found = search_in_cache(
            problem(8, search=search), random_cache(8), time.monotonic(), was_interrupted=True
        )
    assert (found.interrupted, found.n_iterations) == (True, 1)
    assert math.isfinite(found.score)


def test_history_counts_from_the_start_of_the_call():
    found = search_in_cache(problem(8), random_cache(8), time.monotonic() - 100)
    assert (found.history["seconds"] > 100).all()
    assert found.history.dtypes.tolist() == [np.float64, np.int64, np.float64]
