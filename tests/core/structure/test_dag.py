import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core


@given(st.integers(0, 7), st.randoms(use_true_random=False))
def test_parents_come_before_children_unless_there_is_a_cycle(n_variables, random):
    parents = [
        [parent for parent in range(n_variables) if parent != child and random.random() < 0.25]
        for child in range(n_variables)
    ]
    graph = nx.DiGraph([(p, child) for child, members in enumerate(parents) for p in members])
    order = _core.topological_order(parents)
    assert (order is not None) == nx.is_directed_acyclic_graph(graph)
    if order is not None:
        assert sorted(order) == list(range(n_variables))
        assert all(order.index(a) < order.index(b) for a, b in graph.edges)


def test_a_parent_that_is_no_variable_is_refused():
    with pytest.raises(ValueError, match="no variable"):
        _core.topological_order([[], [7]])
