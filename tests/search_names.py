"""Names of the searches for tests that hold all of them to the same promises."""

from baytree.learning.search_problem import K_TREE_SEARCHES, SEARCH_NAMES, STARTED_SEARCHES

ALL_SEARCHES = SEARCH_NAMES
K_TREES = K_TREE_SEARCHES
OTHERS = [name for name in SEARCH_NAMES if name not in K_TREE_SEARCHES]
STARTED = STARTED_SEARCHES
RANDOM = ["anneal", "k-max", "k-greedy", "s2"]
