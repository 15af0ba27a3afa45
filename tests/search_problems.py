"""Checked problems for the searches, with the usual settings."""

import time

from baytree.learning.search_problem import check_problem, check_settings


def search_problem(n_variables, **changes):
    """Problem over the variables 0, 1, ... without constraints."""
    settings = {
        "search": "k-max",
        "max_treewidth": 2,
        "constraints": None,
        "time_limit": None,
        "max_iterations": None,
        "n_jobs": 1,
        "random_state": 0,
        "verbose": 0,
        "started": time.monotonic(),
    }
    return check_problem(
        check_settings(**settings | changes),
        range(n_variables),
        constraints=None,
        initial_network=None,
    )
