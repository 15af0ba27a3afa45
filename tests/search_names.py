"""Names of the searches for tests that hold all of them to the same promises."""

from baytree.learning.search_problem import K_TREE_SEARCHES, LOCAL_SEARCHES
from baytree.vocabulary import CACHE_SEARCHES

ALL_SEARCHES = CACHE_SEARCHES  # all that also learn from incomplete rows and caches
K_TREES = K_TREE_SEARCHES
OTHERS = [name for name in CACHE_SEARCHES if name not in K_TREE_SEARCHES]
LOCAL = LOCAL_SEARCHES
RANDOM = ["anneal", "k-max", "k-greedy", "s2"]
