from random import Random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree import _core_testing


def arcs_of(dag, n_variables):
    return {(parent, child) for child in range(n_variables) for parent in dag.parents(child)}


def check_same(dag, graph):
    for variable in graph:
        assert dag.parents(variable) == sorted(graph.predecessors(variable))
        assert sorted(dag.children(variable)) == sorted(graph.successors(variable))
        for other in graph:
            assert dag.has_arc(variable, other) == graph.has_edge(variable, other)


def change(dag, graph, parent, child):
    """Remove the arc if it is there, else try to add it; hold the answer to networkx."""
    if graph.has_edge(parent, child):
        dag.remove(parent, child)
        graph.remove_edge(parent, child)
        return
    closes_cycle = nx.has_path(graph, child, parent)
    assert dag.add(parent, child) == (not closes_cycle)
    if not closes_cycle:
        graph.add_edge(parent, child)


@settings(max_examples=40)
@given(st.integers(2, 8), st.randoms(use_true_random=False))
def test_arcs_and_cycles_are_those_of_networkx(n_variables, random):
    dag, graph = _core_testing.OrderedDag(n_variables, max_parents=n_variables - 1), nx.DiGraph()
    graph.add_nodes_from(range(n_variables))
    for _ in range(40):
        change(dag, graph, *random.sample(range(n_variables), 2))
        check_same(dag, graph)


@pytest.mark.parametrize("seed", range(3))
def test_cycles_of_a_large_network_are_those_of_networkx(seed):
    random = Random(seed)
    dag, graph = _core_testing.OrderedDag(60, max_parents=59), nx.DiGraph()
    graph.add_nodes_from(range(60))
    for _ in range(1500):
        change(dag, graph, *random.sample(range(60), 2))
    check_same(dag, graph)
    assert nx.is_directed_acyclic_graph(graph)


def test_a_full_family_lies_beside_its_neighbours_untouched():
    dag = _core_testing.OrderedDag(4, max_parents=2)
    arcs = [(3, 1), (0, 1), (0, 2), (1, 2)]
    assert all(dag.add(*arc) for arc in arcs)
    assert [dag.parents(child) for child in range(4)] == [[], [0, 3], [0, 1], []]


def test_a_long_chain_is_closed_by_none_and_reversed_by_all():
    dag = _core_testing.OrderedDag(1000, max_parents=1)
    for child in range(999, 0, -1):
        assert dag.add(child, child - 1)
    assert not dag.add(0, 999)
    for child in range(999, 0, -1):
        dag.remove(child, child - 1)
        assert dag.add(child - 1, child)
    assert arcs_of(dag, 1000) == {(child - 1, child) for child in range(1, 1000)}


@pytest.mark.parametrize("method", ["has_arc", "add", "remove"])
def test_arcs_of_variables_that_are_not_there_are_refused(method):
    dag = _core_testing.OrderedDag(2, max_parents=1)
    for arc in [(0, 2), (2, 0)]:
        with pytest.raises(IndexError, match="no such variable"):
            getattr(dag, method)(*arc)
    with pytest.raises(IndexError):
        dag.parents(2)
    with pytest.raises(IndexError):
        dag.children(2)


def test_arcs_that_cannot_come_or_go_are_refused():
    dag = _core_testing.OrderedDag(3, max_parents=1)
    with pytest.raises(ValueError, match="no pair"):
        dag.add(1, 1)
    with pytest.raises(ValueError, match="no such arc"):
        dag.remove(0, 1)
    assert dag.add(0, 1)
    with pytest.raises(ValueError, match="the arc is there"):
        dag.add(0, 1)
    with pytest.raises(ValueError, match="no room"):
        dag.add(2, 1)
