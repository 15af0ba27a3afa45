from collections import Counter
from itertools import combinations, product
from random import Random

import networkx as nx
import pytest
from scipy.stats import chisquare, ks_2samp

from baytree import _core


def graph_of(parents):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(parents)))
    graph.add_edges_from((p, c) for c, members in enumerate(parents) for p in members)
    return graph


def all_dags(n_variables, max_degree):
    """Every connected DAG of bounded degree, by trying all directions of all pairs."""
    pairs = list(combinations(range(n_variables), 2))
    for directions in product((None, False, True), repeat=len(pairs)):
        chosen = [(p, d) for p, d in zip(pairs, directions, strict=True) if d is not None]
        graph = nx.DiGraph([pair[::-1] if turned else pair for pair, turned in chosen])
        graph.add_nodes_from(range(n_variables))
        if (
            max(dict(graph.degree).values()) <= max_degree
            and nx.is_weakly_connected(graph)
            and nx.is_directed_acyclic_graph(graph)
        ):
            yield frozenset(graph.edges)


@pytest.mark.parametrize(("n_variables", "max_degree"), [(3, 2), (4, 3), (5, 3)])
def test_draws_are_uniform_over_all_connected_dags_of_that_degree(n_variables, max_degree):
    dags = list(all_dags(n_variables, max_degree))
    n_draws = 20 * len(dags)
    counts = Counter()
    chain = _core.RandomDag(n_variables, max_degree=max_degree, seed=1)
    for _ in range(n_draws):
        chain.run(300)
        counts[frozenset(graph_of(chain.parents).edges)] += 1
    assert counts.keys() <= set(dags)
    assert chisquare([counts[dag] for dag in dags]).pvalue > 0.001


@pytest.mark.parametrize(("n_variables", "max_degree"), [(1, 0), (2, 1), (2, 5), (7, 2), (60, 6)])
def test_conditions_hold_after_any_number_of_steps(n_variables, max_degree):
    chain = _core.RandomDag(n_variables, max_degree=max_degree, seed=2)
    for n_steps in (0, 1, 10, 1000, 20_000):
        chain.run(n_steps)
        graph = graph_of(chain.parents)
        assert nx.is_directed_acyclic_graph(graph)
        assert nx.is_weakly_connected(graph)
        assert max(dict(graph.degree).values()) <= max_degree
        assert all(members == sorted(members) for members in chain.parents)


def test_it_starts_from_a_path_in_random_order():
    paths = {
        tuple(nx.topological_sort(graph_of(_core.RandomDag(4, max_degree=3, seed=s).parents)))
        for s in range(200)
    }
    assert len(paths) == 24


def slow_chain(n_variables, max_degree, seed, n_steps):
    """The arcs after some steps of the chain, as its definition has them."""
    random = Random(seed)
    graph = nx.path_graph(n_variables, create_using=nx.DiGraph)
    for _ in range(n_steps):
        arc = random.sample(range(n_variables), 2)
        if graph.has_edge(*arc):
            graph.remove_edge(*arc)
            if not nx.is_weakly_connected(graph):
                graph.add_edge(*arc)
        elif all(graph.degree(end) < max_degree for end in arc) and not nx.has_path(
            graph, arc[1], arc[0]
        ):
            graph.add_edge(*arc)
    return graph.number_of_edges()


def fast_chain(n_variables, max_degree, seed, n_steps):
    chain = _core.RandomDag(n_variables, max_degree=max_degree, seed=seed)
    chain.run(n_steps)
    return sum(map(len, chain.parents))


@pytest.mark.parametrize("n_steps", [100, 400, 3000])
def test_steps_that_are_skipped_count(n_steps):
    """Nearly all are, at degree 3; then arcs come and go as slowly as without skipping."""
    slow, fast = (
        [chain(20, 3, seed, n_steps) for seed in range(300)] for chain in (slow_chain, fast_chain)
    )
    assert ks_2samp(slow, fast).pvalue > 0.01


@pytest.mark.parametrize(("n_variables", "max_degree"), [(0, 3), (2, 0), (3, 1)])
def test_degrees_that_no_connected_dag_has_are_refused(n_variables, max_degree):
    with pytest.raises(ValueError, match=r"random DAG|connected DAG"):
        _core.RandomDag(n_variables, max_degree=max_degree, seed=0)
