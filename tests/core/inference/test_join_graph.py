import random

import networkx as nx
import pytest

from baytree import _core_testing
from random_networks import random_parents


def families(seed, n_variables=30, max_parents=3):
    parents = random_parents(random.Random(seed), n_variables, max_parents)
    return [sorted([child, *members]) for child, members in enumerate(parents)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("i_bound", [1, 3, 5, 30])
def test_clusters_hold_their_factors_and_keep_to_the_bound(seed, i_bound):
    scopes = families(seed)
    graph = _core_testing.build_join_graph(30, scopes, i_bound=i_bound)
    for scope, cluster in zip(scopes, graph.cluster_of_factor, strict=True):
        assert set(scope) <= set(graph.clusters[cluster])
    largest_factor = max(map(len, scopes))
    assert max(map(len, graph.clusters)) <= max(i_bound + 1, largest_factor)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("i_bound", [1, 3, 5, 30])
def test_clusters_and_labels_of_a_variable_form_a_tree(seed, i_bound):
    graph = _core_testing.build_join_graph(30, families(seed), i_bound=i_bound)
    for variable in range(30):
        holders = nx.Graph()
        holders.add_nodes_from(i for i, c in enumerate(graph.clusters) if variable in c)
        edges = [(e.lower, e.upper) for e in graph.edges if variable in e.label]
        assert all(i in holders for edge in edges for i in edge)
        holders.add_edges_from(edges)
        assert holders.number_of_edges() == len(edges)
        assert nx.is_tree(holders)


@pytest.mark.parametrize("seed", range(5))
def test_edges_are_those_of_a_simple_graph_in_ascending_direction(seed):
    graph = _core_testing.build_join_graph(30, families(seed), i_bound=2)
    ends = [(e.lower, e.upper) for e in graph.edges]
    assert len(set(ends)) == len(ends)
    assert all(lower < upper for lower, upper in ends)
    joined = nx.Graph(ends)
    assert graph.is_forest == nx.is_forest(joined)
    assert not graph.is_forest


@pytest.mark.parametrize("seed", range(5))
def test_a_bound_above_the_width_gives_a_forest_of_maximal_clusters(seed):
    graph = _core_testing.build_join_graph(30, families(seed), i_bound=30)
    assert graph.is_forest
    clusters = [set(cluster) for cluster in graph.clusters]
    assert not any(a < b for a in clusters for b in clusters)


def test_a_chain_needs_no_more_than_pairs():
    graph = _core_testing.build_join_graph(5, [[0], [0, 1], [1, 2], [2, 3], [3, 4]], i_bound=1)
    assert graph.is_forest
    assert sorted(graph.clusters) == [[0, 1], [1, 2], [2, 3], [3, 4]]


def test_a_factor_above_the_bound_stays_whole():
    graph = _core_testing.build_join_graph(4, [[0, 1, 2, 3], [0], [3]], i_bound=1)
    assert graph.clusters == [[0, 1, 2, 3]]
