from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from baytree import _core, _core_testing
from core_calls import core_cache
from k_tree_oracle import sample_s2
from search_calls import budget, caches, check_outcome, limits, random_cache, stopping_after
from treewidth_oracle import all_k_trees


def sample(cache, limits_, budget_, control=None):
    return _core.sample_k_trees(
        cache, limits=limits_, budget=budget_, control=control or _core.RunControl()
    )


@given(caches(), st.integers(1, 9), st.integers(0, 4))
def test_networks_keep_to_the_treewidth_and_score_what_their_sets_do(cache, k, seed):
    outcome = sample(cache, limits(k), budget(2, seed=seed))
    check_outcome(outcome, cache, max_treewidth=k)
    assert outcome.n_iterations == 2


@given(caches(), st.integers(1, 5), st.integers(1, 40), st.integers(0, 2**32))
def test_bags_keep_to_the_product_of_arities(cache, k, max_states, seed):
    arities = np.random.default_rng(seed).integers(1, 5, cache.n_variables).tolist()
    bounds = {"max_clique_states": max_states, "arities": arities}
    outcome = sample(cache, limits(k, **bounds), budget(2))
    check_outcome(outcome, cache, max_treewidth=k, **bounds)


@pytest.mark.parametrize("k", [1, 2, 5, 20, 70])
@pytest.mark.parametrize("max_states", [np.inf, 100])
def test_large_networks_keep_to_the_limits(k, max_states):
    cache = random_cache(60, max_parents=6, n_sets=80)
    bounds = {"max_clique_states": max_states, "arities": [3] * 60}
    check_outcome(sample(cache, limits(k, **bounds), budget(3)), cache, max_treewidth=k, **bounds)


@pytest.mark.parametrize("n_threads", [2, 4])
def test_any_number_of_threads_finds_the_same_network(n_threads):
    cache = random_cache(30)
    alone = sample(cache, limits(3), budget(20, seed=5))
    together = sample(cache, limits(3), budget(20, seed=5, n_threads=n_threads))
    assert together.parents == alone.parents
    assert together.elimination_order == alone.elimination_order
    assert (together.score, together.n_iterations) == (alone.score, 20)


def test_one_clique_of_all_variables_is_solved_exactly():
    cache = random_cache(7, max_parents=6, n_sets=60)
    best = _core_testing.best_small_dag(cache, limits=limits(6), variables=list(range(7)))
    assert sample(cache, limits(6), budget(1)).score == best[0]


def test_many_draws_find_the_best_tree_of_few_variables():
    cache = random_cache(5, max_parents=1, n_sets=30)
    best = _core_testing.best_small_dag(cache, limits=limits(1), variables=list(range(5)))
    assert sample(cache, limits(1), budget(50)).score == best[0]


def test_scores_of_single_iterations_are_distributed_as_in_the_paper():
    random = Random(0)
    sets = [{(): -10.0} for _ in range(5)]
    for child, parent in [(1, 0), (2, 0), (3, 4)]:
        sets[child][(parent,)] = -10.0 + 3 * random.random()
    sets[2][(0, 1)] = -1.0
    n_iterations = 400
    found = sample(core_cache(sets), limits(2), budget(n_iterations, keeps_scores=True))
    k_trees = sorted(all_k_trees(5, 2), key=lambda bags: sorted(map(sorted, bags)))
    expected = sample_s2(sets, k_trees, n_iterations, random)
    assert found.n_iterations == n_iterations
    assert stats.ks_2samp(found.iteration_scores, expected).pvalue > 0.01


@pytest.mark.parametrize("n_threads", [1, 3])
def test_no_time_at_all_still_gives_a_network(n_threads):
    cache, control = random_cache(30), _core.RunControl(time_limit=0.0)
    outcome = sample(cache, limits(3), budget(None, n_threads=n_threads), control)
    check_outcome(outcome, cache, max_treewidth=3)
    assert outcome.n_iterations == 1


def test_a_stop_ends_what_would_go_on_for_ever():
    cache = random_cache(30)
    outcome = sample(cache, limits(3), budget(None, n_threads=2), stopping_after(2))
    check_outcome(outcome, cache, max_treewidth=3)
    assert outcome.n_iterations >= 2
