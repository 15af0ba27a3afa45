import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core, _core_testing

arc_weights = st.integers(-3, 6) | st.floats(-4.0, 8.0)


@st.composite
def weight_matrices(draw, *, max_variables=8):
    n = draw(st.integers(1, max_variables))
    return np.array(draw(st.lists(arc_weights, min_size=n * n, max_size=n * n))).reshape(n, n)


@st.composite
def weighted_arcs(draw, *, max_variables=8):
    n = draw(st.integers(1, max_variables))
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    chosen = draw(st.lists(st.sampled_from(pairs))) if pairs else []
    return n, [(a, b, float(draw(arc_weights))) for a, b in chosen]


def check_forest(parents):
    arcs = [(p, child) for child, p in enumerate(parents) if p is not None]
    assert nx.is_directed_acyclic_graph(nx.DiGraph(arcs))


def weight_of_forest(parents, matrix):
    return sum(matrix[p, child] for child, p in enumerate(parents) if p is not None)


def heaviest_branching(n_variables, arcs):
    """Weight of the heaviest one that networkx finds."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n_variables))
    for parent, child, weight in arcs:
        if weight > graph.get_edge_data(parent, child, {"weight": 0.0})["weight"]:
            graph.add_edge(parent, child, weight=weight)
    if not graph.edges:
        return 0.0  # networkx refuses a graph without edges
    return nx.maximum_branching(graph).size("weight")


def check_branching(parents, arcs):
    """Only arcs of a positive weight, each to its child, and no cycle; returns their weight."""
    check_forest(parents)
    best = {}
    for parent, child, weight in arcs:
        best[parent, child] = max(weight, best.get((parent, child), weight))
    taken = [best[p, child] for child, p in enumerate(parents) if p is not None]
    assert all(weight > 0.0 for weight in taken)
    return sum(taken)


def spanning_forest(matrix):
    return _core_testing.maximum_spanning_forest(matrix, control=_core.RunControl())


@given(weight_matrices())
def test_forests_weigh_as_much_as_spanning_trees_of_positive_edges(matrix):
    matrix = np.maximum(matrix, matrix.T)
    parents = spanning_forest(matrix)
    check_forest(parents)
    graph = nx.from_numpy_array(np.where(matrix > 0.0, matrix, 0.0))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    best = nx.maximum_spanning_tree(graph).size("weight")
    assert weight_of_forest(parents, matrix) == pytest.approx(best)
    assert all(matrix[p, child] > 0.0 for child, p in enumerate(parents) if p is not None)


@given(weighted_arcs())
def test_branchings_weigh_as_much_as_those_of_networkx(graph):
    n_variables, arcs = graph
    parents = _core_testing.maximum_branching(n_variables, arcs)
    assert check_branching(parents, arcs) == pytest.approx(heaviest_branching(n_variables, arcs))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("highest", [2, 1000])
def test_branchings_of_dense_graphs_weigh_as_much_as_those_of_networkx(seed, highest):
    random = np.random.default_rng(seed)
    n = 15
    arcs = [
        (a, b, float(random.integers(1, highest))) for a in range(n) for b in range(n) if a != b
    ]
    parents = _core_testing.maximum_branching(n, arcs)
    assert check_branching(parents, arcs) == pytest.approx(heaviest_branching(n, arcs))


def test_nested_cycles_are_expanded_from_the_outside_in():
    # Two cycles of two, joined to a cycle of cycles, that the light arc from 4 has to break.
    arcs = [(0, 1, 10.0), (1, 0, 10.0), (2, 3, 9.0), (3, 2, 9.0)]
    arcs += [(1, 2, 8.0), (3, 0, 8.0), (4, 1, 1.0)]
    parents = _core_testing.maximum_branching(5, arcs)
    assert check_branching(parents, arcs) == heaviest_branching(5, arcs) == 28.0


def test_a_stop_request_ends_the_search_for_a_forest():
    control = _core.RunControl()
    control.request_stop()
    assert _core_testing.maximum_spanning_forest(np.ones((5, 5)), control=control) == [None] * 5


@pytest.mark.parametrize("n_variables", [0, 1, 5])
def test_without_arcs_nobody_has_a_parent(n_variables):
    assert _core_testing.maximum_branching(n_variables, []) == [None] * n_variables
    matrix = np.zeros((n_variables, n_variables))
    assert spanning_forest(matrix) == [None] * n_variables


def test_ten_thousand_variables_are_spanned():
    random, n = np.random.default_rng(0), 10_000
    pairs = random.integers(0, n, (40_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    weights = random.random(len(pairs)).tolist()
    arcs = [(a, b, w) for (a, b), w in zip(pairs.tolist(), weights, strict=True)]
    both_ways = arcs + [(b, a, w) for a, b, w in arcs]
    parents = _core_testing.maximum_branching(n, both_ways)
    graph = nx.Graph()
    for a, b, w in arcs:
        graph.add_edge(a, b, weight=max(w, graph.get_edge_data(a, b, {"weight": w})["weight"]))
    best = nx.maximum_spanning_tree(graph).size("weight")
    assert check_branching(parents, both_ways) == pytest.approx(best)


@pytest.mark.parametrize("weight", [lambda i: 1.0 + i, lambda i: 1.0])
def test_a_cycle_of_all_variables_loses_its_lightest_arc(weight):
    n = 20_000
    arcs = [(i, (i + 1) % n, weight(i)) for i in range(n)]
    parents = _core_testing.maximum_branching(n, arcs)
    total = sum(w for _, _, w in arcs)
    assert check_branching(parents, arcs) == pytest.approx(total - 1.0, abs=1e-6)


def test_pairs_contracted_one_by_one_into_a_deep_nest_are_expanded():
    # Each variable prefers the one before it, which prefers it back: set after set grows by one.
    n = 5000
    arcs = [(i + 1, i, 2.0 * n - i) for i in range(n - 1)]
    arcs += [(i, i + 1, 2.0 * n - i) for i in range(n - 1)]
    parents = _core_testing.maximum_branching(n, arcs)
    assert check_branching(parents, arcs) == sum(2.0 * n - i for i in range(n - 1))


def test_arcs_of_variables_that_are_not_there_are_refused():
    for arc in [(0, 2, 1.0), (2, 0, 1.0)]:
        with pytest.raises(IndexError, match="no such variable"):
            _core_testing.maximum_branching(2, [arc])
    with pytest.raises(ValueError, match="square"):
        spanning_forest(np.zeros((2, 3)))
