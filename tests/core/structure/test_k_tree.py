from collections import Counter
from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core_testing

SMALL = [(2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (3, 2), (4, 2), (5, 2), (6, 2), (5, 3), (6, 3)]


def edges_of(tree):
    """Edges of the graph, once it is certain that every variable joined a clique."""
    edges = set()
    for position, (variable, clique) in enumerate(zip(tree.order, tree.cliques, strict=True)):
        assert list(clique) == sorted(clique)
        assert set(clique) <= set(tree.order[:position])
        assert {frozenset(pair) for pair in combinations(clique, 2)} <= edges
        edges |= {frozenset((variable, member)) for member in clique}
    return frozenset(edges)


def check_k_tree(tree, n_variables, k):
    edges_of(tree)
    assert sorted(tree.order) == list(range(n_variables))
    assert [len(clique) for clique in tree.cliques] == [min(i, k) for i in range(n_variables)]


def number_of_k_trees(n, k):
    return 1 if n == k + 1 else comb(n, k) * (k * (n - k) + 1) ** (n - k - 2)


@pytest.mark.parametrize(("n", "k"), SMALL)
def test_every_k_tree_has_exactly_one_code(n, k):
    graphs = Counter()
    for root in combinations(range(n), k):
        for word in product(range(k * (n - k) + 1), repeat=max(n - k - 2, 0)):
            tree = _core_testing.decode_k_tree(n, k, root=root, word=word)
            check_k_tree(tree, n, k)
            graphs[edges_of(tree)] += 1
    assert len(graphs) == number_of_k_trees(n, k)
    assert set(graphs.values()) == ({1} if n > k + 1 else {k + 1})


@given(st.integers(0, 60), st.integers(1, 12), st.integers(0, 2**64 - 1))
def test_random_k_trees_are_k_trees(n, k, seed):
    check_k_tree(_core_testing.random_k_tree(n, k, seed=seed), n, k)


@pytest.mark.parametrize(("n", "k"), [(4, 1), (5, 1), (5, 2), (6, 3)])
def test_random_k_trees_are_uniform(n, k):
    n_graphs, n_draws = number_of_k_trees(n, k), 40 * number_of_k_trees(n, k)
    drawn = Counter(
        edges_of(_core_testing.random_k_tree(n, k, seed=seed)) for seed in range(n_draws)
    )
    expected = n_draws / n_graphs
    chi_square = sum((count - expected) ** 2 / expected for count in drawn.values())
    chi_square += (n_graphs - len(drawn)) * expected
    freedom = n_graphs - 1
    assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5


@pytest.mark.parametrize(
    ("root", "word", "message"),
    [
        ((0,), (0,), "wrong length"),
        ((0, 1), (), "wrong length"),
        ((0, 1), (0, 0), "wrong length"),
        ((1, 0), (0,), "ascending"),
        ((0, 0), (0,), "ascending"),
        ((0, 5), (0,), "ascending"),
        ((0, 1), (7,), "too large"),
    ],
)
def test_what_is_no_code_is_refused(root, word, message):
    with pytest.raises(ValueError, match=message):
        _core_testing.decode_k_tree(5, 2, root=root, word=word)
