"""Names of the searches for tests that hold all of them to the same promises."""

from baytree.learning.search_problem import K_TREE_SEARCHES, LOCAL_SEARCHES
from baytree.vocabulary import SEARCHES

ALL_SEARCHES = SEARCHES
K_TREES = K_TREE_SEARCHES
OTHERS = [name for name in SEARCHES if name not in K_TREE_SEARCHES]
LOCAL = LOCAL_SEARCHES
RANDOM = ["anneal", "k-max", "k-greedy", "s2"]
