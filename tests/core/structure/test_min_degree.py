"""Minimum degree, as `FillIn.rebuild` uses it."""

import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core, _core_testing
from core_calls import core_dag
from random_networks import random_parents
from treewidth_oracle import all_dags, elimination_bags, has_decomposition, moral_edges


def order_found(parents, max_treewidth, *, seed=0):
    """An elimination order of the width, or None."""
    fill_in = _core_testing.FillIn(
        len(parents), max_treewidth=max_treewidth, max_states=np.inf, arities=[]
    )
    if not fill_in.rebuild(core_dag(parents), seed=seed):
        return None
    return fill_in.elimination_order


@pytest.mark.parametrize("n_variables", [2, 3, 4])
def test_four_variables_have_an_order_exactly_where_their_treewidth_allows(n_variables):
    for parents in all_dags(n_variables):
        for width in range(1, n_variables):
            fits = has_decomposition(parents, lambda bag, size=width + 1: len(bag) <= size)
            assert (order_found(parents, width) is not None) == fits


@given(st.integers(2, 12), st.integers(1, 4), st.randoms(use_true_random=False))
def test_orders_prove_their_width(n_variables, max_parents, random):
    parents = random_parents(random, n_variables, max_parents)
    for width in range(1, n_variables):
        order = order_found(parents, width, seed=random.randrange(2**32))
        if order is None:
            continue
        assert sorted(order) == list(range(n_variables))
        assert max(map(len, elimination_bags(moral_edges(parents), order))) <= width + 1
        return
    raise AssertionError("no width is enough")


@given(st.integers(2, 30), st.randoms(use_true_random=False))
def test_the_next_to_go_has_the_fewest_neighbours_left(n_variables, random):
    parents = random_parents(random, n_variables, 3)
    order = order_found(parents, n_variables - 1, seed=random.randrange(2**32))
    check_min_degree(parents, order)


def check_min_degree(parents, order):
    assert sorted(order) == list(range(len(parents)))
    edges = moral_edges(parents)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(parents)))
    graph.add_edges_from(map(tuple, edges))
    for variable, bag in zip(order, elimination_bags(edges, order), strict=True):
        assert graph.degree(variable) == min(degree for _, degree in graph.degree)
        neighbours = set(graph[variable])
        assert neighbours == bag - {variable}
        graph.remove_node(variable)
        graph.add_edges_from((a, b) for a in neighbours for b in neighbours if a != b)


@given(st.integers(1, 30), st.randoms(use_true_random=False))
def test_an_order_without_a_bound_is_by_degree_and_always_the_same(n_variables, random):
    parents = random_parents(random, n_variables, 4)
    order = _core.min_degree_order(parents, max_degree=n_variables)
    check_min_degree(parents, order)
    assert _core.min_degree_order(parents, max_degree=n_variables) == order
    bags = [len(bag) - 1 for bag in elimination_bags(moral_edges(parents), order)]
    for max_degree in range(4):
        n_kept = next((i for i, degree in enumerate(bags) if degree > max_degree), n_variables)
        assert _core.min_degree_order(parents, max_degree=max_degree) == order[:n_kept]


@pytest.mark.parametrize(
    ("parents", "reason"), [([[1], [0]], "form a cycle"), ([[1]], "no variable")]
)
def test_what_is_no_network_has_no_order(parents, reason):
    with pytest.raises(ValueError, match=reason):
        _core.min_degree_order(parents, max_degree=2)


def test_ties_are_broken_by_the_seed():
    parents = [[], *([0] for _ in range(30))]
    orders = {tuple(order_found(parents, 2, seed=seed)) for seed in range(20)}
    assert len(orders) > 10
    assert order_found(parents, 2, seed=5) == order_found(parents, 2, seed=5)


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_bits_and_lists_of_neighbours_both_go_by_degree(seed):
    few = random_parents(random.Random(seed), 40, 4)
    many = [*few, *([] for _ in range(2100))]  # more than rows of bits are kept for
    for parents in (few, many):
        check_min_degree(parents, order_found(parents, 39, seed=seed))


@pytest.mark.parametrize("n_leaves", [3, 2000, 3000])
def test_hubs_of_any_degree_go_after_their_leaves(n_leaves):
    parents = [[], *([0] for _ in range(n_leaves))]
    order = order_found(parents, 1)
    assert 0 in order[-2:]


def test_a_dense_graph_has_more_edges_than_variables():
    parents = [list(range(child)) for child in range(60)]
    assert order_found(parents, 58) is None
    assert len(order_found(parents, 59)) == 60
