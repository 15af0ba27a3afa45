from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from baytree import _core, _core_testing


def separated_pairs(graph):
    """Return the pairs that are not adjacent and are separated by their common neighbours."""
    pairs = set()
    for a, b in combinations(graph.nodes, 2):
        rest = graph.subgraph(set(graph.nodes) - set(nx.common_neighbors(graph, a, b)))
        if not graph.has_edge(a, b) and not nx.has_path(rest, a, b):
            pairs.add((a, b))
    return pairs


def admissible_pairs(graph, n_variables):
    return {pair for pair in combinations(range(n_variables), 2) if graph.is_admissible(*pair)}


@pytest.mark.parametrize("seed", range(12))
def test_admissible_pairs_are_those_that_their_common_neighbours_separate(seed):
    random, n_variables = np.random.default_rng(seed), [2, 5, 9, 13, 70][seed % 5]
    graph, oracle = _core_testing.ChordalGraph(n_variables), nx.empty_graph(n_variables)
    for _ in range(40):
        before = separated_pairs(oracle)
        if not before:
            break
        separators = {pair: graph.common_neighbours(*pair) for pair in before}
        edge = sorted(before)[random.integers(len(before))]
        changed = graph.add_edge(*edge[:: random.choice([-1, 1])])
        oracle.add_edge(*edge)
        after = separated_pairs(oracle)
        assert nx.is_chordal(oracle)
        assert admissible_pairs(graph, n_variables) == after
        assert graph.n_admissible == len(after)
        now = {pair: graph.common_neighbours(*pair) for pair in after}
        assert {*changed} == {pair for pair in after if now[pair] != separators.get(pair)}
        assert now == {pair: sorted(nx.common_neighbors(oracle, *pair)) for pair in after}


@pytest.mark.parametrize("seed", range(8))
def test_the_dag_has_the_cliques_of_the_graph(seed):
    random, n_variables = np.random.default_rng(seed), 11
    graph, oracle = _core_testing.ChordalGraph(n_variables), nx.empty_graph(n_variables)
    for _ in range(4 + 3 * seed):
        if pairs := sorted(separated_pairs(oracle)):
            edge = pairs[random.integers(len(pairs))]
            graph.add_edge(*edge)
            oracle.add_edge(*edge)
    bags = _core.decompose(graph.parents, graph.elimination_order).bags
    assert {*map(tuple, bags)} == {tuple(sorted(clique)) for clique in nx.find_cliques(oracle)}
    arcs = {(min(p, c), max(p, c)) for c, parents in enumerate(graph.parents) for p in parents}
    assert arcs == {(min(edge), max(edge)) for edge in oracle.edges}


def test_an_excluded_pair_is_not_admissible():
    graph = _core_testing.ChordalGraph(3)
    graph.exclude(0, 2)
    assert admissible_pairs(graph, 3) == {(0, 1), (1, 2)}
    assert graph.n_admissible == 2


def test_a_graph_without_variables_has_no_pairs():
    graph = _core_testing.ChordalGraph(0)
    assert graph.n_admissible == 0
    assert graph.parents == graph.elimination_order == []
