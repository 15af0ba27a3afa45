import pickle

import numpy as np
import pytest

from baytree.networks.decomposition import (
    TreeDecomposition,
    check_decomposition,
    min_degree_decomposition,
    min_degree_order,
    order_along,
)
from structure_checker import check_structure
from treewidth_oracle import elimination_bags, moral_edges

CHAIN = {"a": (), "b": ("a",), "c": ("b",)}
CHAIN_BAGS = (("a", "b"), ("b", "c"))


def random_dag(random, n, max_parents):
    order = random.permutation(n)
    return [
        random.permutation(order[:i])[: random.integers(0, max_parents + 1)].tolist()
        for i in np.argsort(order)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_an_order_along_a_decomposition_keeps_to_its_bags(seed):
    random = np.random.default_rng(seed)
    parents = random_dag(random, 12, 3)
    wide = TreeDecomposition.from_order(range(12), parents, random.permutation(12))
    order = order_along(wide)
    assert sorted(order) == list(range(12))
    for bag in elimination_bags(moral_edges(parents), order):
        assert any(bag <= set(outer) for outer in wide.bags)


@pytest.mark.parametrize("seed", range(20))
def test_elimination_gives_a_decomposition_that_the_checker_accepts(seed):
    random = np.random.default_rng(seed)
    parents = random_dag(random, 12, 3)
    names = [f"v{i}" for i in range(12)]
    for order in (min_degree_order(parents), random.permutation(12)):
        found = TreeDecomposition.from_order(names, parents, order)
        named = {name: [names[p] for p in parents[i]] for i, name in enumerate(names)}
        check_structure(named, found.bags, found.edges, found.width)
        check_decomposition(found, named)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("widest", [0, 1, 2, 4])
def test_an_elimination_that_ends_early_puts_the_rest_into_one_bag(seed, widest, monkeypatch):
    monkeypatch.setattr("baytree.networks.decomposition.MAX_NEIGHBOURS", widest)
    parents = random_dag(np.random.default_rng(seed), 14, 3)
    found = min_degree_decomposition(range(14), parents)
    check_structure(parents, found.bags, found.edges, found.width)
    bags = [frozenset(bag) for bag in found.bags]
    assert not any(one < other for one in bags for other in bags)
    assert len({*bags}) == len(bags)
    full = TreeDecomposition.from_order(range(14), parents, min_degree_order(parents))
    assert found == full if full.width <= widest else found.width >= full.width


@pytest.mark.parametrize(
    ("parents", "width"),
    [
        ([[], [], []], 0),
        ([[], [0], [1], [2]], 1),
        ([[], [0], [1], [2], [3, 0]], 2),
        ([[], [0], [0, 1], [0, 1, 2]], 3),
        ([[i - 1] if i % 5 else [i - 5] if i else [] for i in range(25)], 1),
    ],
)
def test_min_degree_finds_the_width_of_simple_graphs(parents, width):
    order = min_degree_order(parents)
    assert sorted(order) == [*range(len(parents))]
    found = TreeDecomposition.from_order(range(len(parents)), parents, order)
    assert found.width == width


@pytest.mark.parametrize(
    ("bags", "edges", "reason"),
    [
        ([("a", "b"), ("b", "c", "c")], [(0, 1)], "Bag 1 .* holds a variable twice"),
        ([("a", "b"), ("b", "c", "d")], [(0, 1)], "Bag 1 .* holds 'd', which is no variable"),
        ([("a", "b")], [], "No bag .* holds variable 'c' and its parents"),
        ([("a", "b"), ("b",), ("c",)], [(0, 1)], "No bag .* holds variable 'c' and its parents"),
        (CHAIN_BAGS, [], "hold 'b' are not connected"),
        (CHAIN_BAGS, [(0, 1), (1, 0)], "form a cycle of bags"),
        (CHAIN_BAGS, [(0, 0)], "form a cycle of bags"),
        (CHAIN_BAGS, [(0, 2)], r"must join two of its 2 bags; got \(0, 2\)"),
        (CHAIN_BAGS, [(0, -1)], r"must join two of its 2 bags"),
        (CHAIN_BAGS, [(0, True)], r"must join two of its 2 bags"),
    ],
)
def test_what_is_no_decomposition_is_refused(bags, edges, reason):
    with pytest.raises(ValueError, match=reason):
        check_decomposition(TreeDecomposition(tuple(bags), tuple(edges)), CHAIN)


def test_repr_says_how_many_bags_of_which_size():
    assert repr(TreeDecomposition((("a",),), ())) == "TreeDecomposition(1 bag of up to 1 variable)"
    found = repr(TreeDecomposition(CHAIN_BAGS, ((0, 1),)))
    assert found == "TreeDecomposition(2 bags of up to 2 variables)"


def test_equal_decompositions_are_equal_after_a_pickle():
    found = TreeDecomposition(CHAIN_BAGS, ((0, 1),))
    assert found.width == 1
    assert pickle.loads(pickle.dumps(found)) == found
    assert len({found, TreeDecomposition(CHAIN_BAGS, ((0, 1),))}) == 1
