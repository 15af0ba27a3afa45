from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from baytree.classification.augmentations import FamilyGains, candidates, grown, naive
from baytree.classification.class_rows import ClassRows


def chain_rows(n_rows=500, n_features=7, seed=0):
    """Features that copy the one before, with noise that the class sets."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 2, n_rows)
    codes = np.empty((n_rows, n_features), dtype=np.int32)
    codes[:, 0] = random.integers(0, 3, n_rows)
    for feature in range(1, n_features):
        is_new = random.random(n_rows) < 0.2 + 0.3 * classes
        codes[:, feature] = np.where(is_new, random.integers(0, 3, n_rows), codes[:, feature - 1])
    return ClassRows.of(codes, classes.astype(np.int32), None, (3,) * n_features, 2)


def conditional_information(rows, one, other):
    """Return the mutual information of two features given the class, in nats times rows."""
    counts = np.zeros((rows.n_classes, rows.arities[one], rows.arities[other]))
    np.add.at(counts, (rows.classes, rows.codes[:, one], rows.codes[:, other]), rows.weights)
    expected = (
        counts.sum(2, keepdims=True)
        * counts.sum(1, keepdims=True)
        / counts.sum((1, 2))[:, None, None]
    )
    is_there = counts > 0
    return float((counts[is_there] * np.log(counts[is_there] / expected[is_there])).sum())


@pytest.mark.parametrize("seed", range(5))
def test_tree_is_the_spanning_tree_of_most_conditional_information(seed):
    rows = chain_rows(seed=seed)
    graph = nx.Graph()
    for one, other in combinations(range(rows.n_features), 2):
        graph.add_edge(one, other, weight=conditional_information(rows, one, other))
    expected = nx.maximum_spanning_tree(graph)
    found = grown(FamilyGains(rows, "log-likelihood", np.inf), 1)
    arcs = {frozenset((child, *own)) for child, own in enumerate(found.parents) if own}
    assert arcs == {frozenset(edge) for edge in expected.edges}


@pytest.mark.parametrize("n_parents", [1, 2, 3])
def test_parents_are_joined_and_come_before_their_child(n_parents):
    found = grown(FamilyGains(chain_rows(), "log-likelihood", np.inf), n_parents)
    assert max(map(len, found.parents)) == n_parents
    assert found.width == n_parents + 1
    for child, own in enumerate(found.parents):
        assert all(found.order.index(one) < found.order.index(child) for one in own)
        for one, other in combinations(own, 2):
            assert one in found.parents[other] or other in found.parents[one]
        if own:
            host = found.hosts[child]
            assert set(own) - {host} <= set(found.parents[host])


def test_a_penalty_leaves_independent_features_apart():
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, (300, 5)).astype(np.int32)
    rows = ClassRows.of(codes, (codes[:, 0]).astype(np.int32), None, (2,) * 5, 2)
    assert grown(FamilyGains(rows, "ebic", np.inf), 3).parents == naive(5).parents


def test_families_stay_within_the_limit_of_states():
    rows = chain_rows()
    found = grown(FamilyGains(rows, "log-likelihood", 3 * 3 * 2), 3)
    assert max(map(len, found.parents)) == 1


def test_candidates_differ_and_begin_with_no_arcs():
    found = [*candidates(chain_rows(), ("bic", "aic"), 3, np.inf)]
    assert found[0] == naive(7)
    assert len({each.parents for each in found}) == len(found) > 1
