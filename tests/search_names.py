"""Names of the searches for tests that hold all of them to the same promises."""

import pytest

from baytree import _core
from baytree._search_problems import K_TREE_SEARCHES, SEARCH_NAMES

CORE_FUNCTIONS = {
    "anneal": "search_dags",
    "hill-climb": "search_dags",
    "chow-liu": "search_dags",
    "k-max": "grow_k_trees",
    "k-greedy": "grow_k_trees",
    "s2": "sample_k_trees",
    "s2+": "best_k_tree",
    "exact": "exact_structure",
}


def params(names):
    return [
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                not hasattr(_core, CORE_FUNCTIONS[name]), reason="not in the core yet"
            ),
        )
        for name in names
    ]


ALL_SEARCHES = params(SEARCH_NAMES)
K_TREES = params(K_TREE_SEARCHES)
OTHERS = params([name for name in SEARCH_NAMES if name not in K_TREE_SEARCHES])
STARTED = params(["anneal", "hill-climb"])
RANDOM = params(["anneal", "k-max", "k-greedy", "s2"])
