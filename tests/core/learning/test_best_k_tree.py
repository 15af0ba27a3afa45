import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree import _core, _core_testing
from core_calls import core_cache, kept_sets
from search_calls import budget, caches, check_outcome, limits, random_cache
from treewidth_oracle import all_k_trees


def most_informative(cache, k, **control):
    return _core_testing.most_informative_k_tree(
        cache, limits=limits(k), control=_core.RunControl(**control)
    )


def search(cache, limits_, budget_, control=None):
    return _core.best_k_tree(
        cache, limits=limits_, budget=budget_, control=control or _core.RunControl()
    )


def information(cache, a, b):
    """What one of two variables gains most by the other as its only parent."""

    def gain(child, parent):
        sets = kept_sets(cache, child)
        return sets[parent,] - sets[()] if (parent,) in sets else 0.0

    return max(gain(a, b), gain(b, a), 0.0)


def informative_score(bags, cache):
    pairs = {frozenset(pair) for bag in bags for pair in combinations(bag, 2)}
    return sum(information(cache, *pair) for pair in pairs)


def bags_of(tree):
    return [{variable, *clique} for variable, clique in zip(tree.order, tree.cliques, strict=True)]


@settings(max_examples=60)
@given(caches(max_variables=6, max_parents=1), st.integers(1, 3))
def test_no_k_tree_is_more_informative(cache, k):
    n = cache.n_variables
    tree, score, is_proven = most_informative(cache, k)
    assert sorted(tree.order) == list(range(n))
    assert [len(clique) for clique in tree.cliques] == [min(i, k) for i in range(n)]
    assert score == pytest.approx(informative_score(bags_of(tree), cache))
    assert is_proven
    if n > k + 1:
        best = max(informative_score(bags, cache) for bags in all_k_trees(n, k))
        assert score == pytest.approx(best)


@given(caches(), st.integers(1, 5))
def test_networks_keep_to_the_treewidth_and_score_what_their_sets_do(cache, k):
    check_outcome(search(cache, limits(k), budget(2)), cache, max_treewidth=k)


@given(caches(), st.integers(1, 5), st.integers(1, 40))
def test_bags_keep_to_the_product_of_arities(cache, k, max_states):
    bounds = {"max_clique_states": max_states, "arities": [3] * cache.n_variables}
    outcome = search(cache, limits(k, **bounds), budget(2))
    check_outcome(outcome, cache, max_treewidth=k, **bounds)


@pytest.mark.parametrize("n_variables", [16, 32, 64])
@pytest.mark.parametrize("k", [1, 3, 31])
def test_more_variables_than_can_be_proven_still_get_a_network(n_variables, k):
    cache = random_cache(n_variables)
    outcome = search(cache, limits(k), budget(3, n_threads=2), _core.RunControl(time_limit=0.5))
    check_outcome(outcome, cache, max_treewidth=k)


def test_no_time_at_all_still_gives_a_network():
    cache, control = random_cache(20), _core.RunControl(time_limit=0.0)
    check_outcome(search(cache, limits(3), budget(None), control), cache, max_treewidth=3)
    assert not most_informative(cache, 3, time_limit=0.0)[2]


def test_the_network_is_proven_if_its_k_tree_is():
    cache, no_time = random_cache(20), _core.RunControl(time_limit=0.0)
    assert not search(cache, limits(3), budget(1), no_time).is_proven
    assert search(random_cache(6), limits(2), budget(1)).is_proven


def test_the_k_tree_of_a_chain_of_strong_pairs_is_that_chain():
    cache = core_cache([{(): -9.0}, *({(): -9.0, (v - 1,): -1.0} for v in range(1, 12))])
    tree, score, is_proven = most_informative(cache, 1)
    assert (score, is_proven) == (88.0, True)
    assert search(cache, limits(1), budget(1)).score == -20.0
    assert len(tree.order) == 12


def planted_cache(n_variables, k, seed):
    """Pairs of a random k-tree tell much about each other, all others a little."""
    random = np.random.default_rng(seed)
    cliques, gains = [tuple(range(k))], 0.3 * random.random((n_variables, n_variables))
    for variable in range(k, n_variables):
        clique = cliques[random.integers(len(cliques))]
        gains[variable, [*clique]] += 3.0
        cliques += [tuple({*clique, variable} - {member}) for member in clique]
    return core_cache(
        [
            {(): 0.0} | {(b,): gains[max(a, b), min(a, b)] for b in range(n_variables) if b != a}
            for a in range(n_variables)
        ]
    )


@pytest.mark.parametrize(("n_variables", "k"), [(40, 1), (30, 2), (24, 3)])
def test_k_trees_of_many_variables_are_proven_where_pairs_differ_enough(n_variables, k):
    cache = planted_cache(n_variables, k, seed=1)
    tree, score, is_proven = most_informative(cache, k)
    assert score == pytest.approx(informative_score(bags_of(tree), cache))
    assert is_proven


def test_a_stop_ends_the_search_for_a_k_tree_at_once():
    cache, started = random_cache(64, n_sets=200), time.monotonic()
    control = _core.RunControl(time_limit=0.3)
    check_outcome(search(cache, limits(3), budget(None), control), cache, max_treewidth=3)
    assert time.monotonic() - started < 1.0


def test_too_many_variables_are_refused():
    assert _core.max_best_k_tree_variables == 64
    with pytest.raises(ValueError, match="64 variables at most"):
        search(random_cache(65), limits(2), budget(1))
