import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core, _core_testing
from core_calls import core_cache
from search_calls import budget, caches, check_outcome, limits, random_cache, stopping_after

RULES = [_core.GrowthRule.k_greedy, _core.GrowthRule.k_max]
both_rules = pytest.mark.parametrize("rule", RULES)


def grow(cache, rule, limits_, budget_, control=None):
    return _core.grow_k_trees(
        cache, rule=rule, limits=limits_, budget=budget_, control=control or _core.RunControl()
    )


@given(caches(), st.sampled_from(RULES), st.integers(1, 9), st.integers(0, 4))
def test_networks_keep_to_the_treewidth_and_score_what_their_sets_do(cache, rule, k, seed):
    outcome = grow(cache, rule, limits(k), budget(3, seed=seed))
    check_outcome(outcome, cache, max_treewidth=k)
    assert outcome.n_iterations == 3
    assert outcome.score <= cache.sum_of_best_scores + 1e-9


@given(
    caches(), st.sampled_from(RULES), st.integers(1, 5), st.integers(1, 40), st.integers(0, 2**32)
)
def test_bags_keep_to_the_product_of_arities(cache, rule, k, max_states, seed):
    arities = np.random.default_rng(seed).integers(1, 5, cache.n_variables).tolist()
    bounds = {"max_clique_states": max_states, "arities": arities}
    outcome = grow(cache, rule, limits(k, **bounds), budget(3))
    check_outcome(outcome, cache, max_treewidth=k, **bounds)


@both_rules
@pytest.mark.parametrize("k", [1, 2, 5, 20, 70])
def test_large_networks_keep_to_the_treewidth(rule, k):
    cache = random_cache(60, max_parents=6, n_sets=80)
    outcome = grow(cache, rule, limits(k), budget(4))
    check_outcome(outcome, cache, max_treewidth=k)


@both_rules
@pytest.mark.parametrize("n_threads", [2, 4])
def test_any_number_of_threads_finds_the_same_network(rule, n_threads):
    cache = random_cache(40, n_sets=60)
    alone = grow(cache, rule, limits(3), budget(50, seed=3))
    together = grow(cache, rule, limits(3), budget(50, seed=3, n_threads=n_threads))
    assert together.parents == alone.parents
    assert together.elimination_order == alone.elimination_order
    assert (together.score, together.n_iterations) == (alone.score, 50)


@both_rules
def test_seeds_and_iterations_lead_to_different_networks(rule):
    cache = random_cache(40, n_sets=60)
    first = {grow(cache, rule, limits(3), budget(1, seed=seed)).score for seed in range(10)}
    assert len(first) > 4
    more = grow(cache, rule, limits(3), budget(30))
    assert more.score > grow(cache, rule, limits(3), budget(1)).score
    assert more.history[-1][2] == more.score
    assert [step[2] for step in more.history] == sorted({step[2] for step in more.history})


@both_rules
def test_all_variables_in_one_clique_are_solved_exactly(rule):
    cache = random_cache(7, max_parents=6, n_sets=60)
    best = _core_testing.best_small_dag(cache, limits=limits(6), variables=list(range(7)))
    assert grow(cache, rule, limits(6), budget(1)).score == best[0]


@both_rules
def test_a_chain_of_strong_parents_is_found(rule):
    cache = core_cache([{(): -9.0}, *({(): -9.0, (v - 1,): -1.0} for v in range(1, 6))])
    assert grow(cache, rule, limits(1), budget(2000)).score == -14.0


def test_k_max_takes_the_variable_nearest_to_its_best_first():
    # Whoever starts with 0 and 1 must leave 2 for the end: it has all to gain from 3 and 4.
    sets = [{(): -1.0, (1,): 0.0}, {(): -1.0, (0,): 0.0}, {(): -9.0, (3, 4): 0.0}]
    sets += [{(): -5.0, (0, 1): 0.0}, {(): -5.0, (0, 3): 0.0, (1, 3): 0.0}]
    cache = core_cache(sets)
    assert grow(cache, RULES[1], limits(2), budget(200)).score == -1.0
    # One network each: an order by lot gets there less often.
    n_best = {
        rule: sum(grow(cache, rule, limits(2), budget(1, seed=s)).score == -1.0 for s in range(300))
        for rule in RULES
    }
    assert n_best[RULES[1]] > 1.3 * n_best[RULES[0]] > 0


@both_rules
def test_equally_good_sets_are_drawn_by_lot(rule):
    cache = core_cache([{(): -9.0, (1,): 0.0, (2,): 0.0, (3,): 0.0}, *[{(): 0.0}] * 3])
    runs = [grow(cache, rule, limits(3), budget(1, seed=seed)) for seed in range(40)]
    assert {run.score for run in runs} == {0.0}
    cache = core_cache([{(): 0.0}] * 3 + [{(): -9.0, (0,): 0.0, (1,): 0.0, (2,): 0.0}])
    runs = [grow(cache, rule, limits(1), budget(1, seed=seed)) for seed in range(60)]
    assert {run.parents[3] for run in runs} >= {(0,), (1,), (2,)}


@both_rules
def test_variables_that_need_parents_wait_for_them(rule):
    cache = core_cache([{(1,): -1.0}, {(2,): -1.0}, {(3,): -1.0}, {(): -1.0}, {(3,): -1.0}])
    outcome = grow(cache, rule, limits(1), budget(1))
    check_outcome(outcome, cache, max_treewidth=1)
    assert outcome.score == -5.0


@both_rules
def test_parents_that_cannot_be_had_leave_minus_infinity(rule):
    cache = core_cache([{(1,): -1.0}, {(0,): -1.0}, {(): -1.0}])
    outcome = grow(cache, rule, limits(1), budget(2))
    assert outcome.score == -np.inf
    assert outcome.parents == [(), (), ()]
    assert sorted(outcome.elimination_order) == [0, 1, 2]


@both_rules
def test_no_variables_make_an_empty_network(rule):
    outcome = grow(core_cache([]), rule, limits(2), budget(1))
    assert (outcome.score, outcome.parents) == (0.0, [])


@both_rules
@pytest.mark.parametrize("n_threads", [1, 3])
def test_no_time_at_all_still_gives_a_network(rule, n_threads):
    cache = random_cache(30)
    control = _core.RunControl(time_limit=0.0)
    outcome = grow(cache, rule, limits(3), budget(None, n_threads=n_threads), control)
    check_outcome(outcome, cache, max_treewidth=3)
    assert outcome.n_iterations == 1


@both_rules
def test_a_stop_ends_what_would_go_on_for_ever(rule):
    cache = random_cache(30)
    outcome = grow(cache, rule, limits(3), budget(None, n_threads=2), stopping_after(3))
    assert outcome.n_iterations >= 3
    check_outcome(outcome, cache, max_treewidth=3)


def test_progress_counts_iterations():
    seen = []
    control = _core.RunControl(on_progress=lambda done, total: seen.append((done, total)))
    grow(random_cache(30), RULES[1], limits(3), budget(25), control)
    assert seen[-1] == (25, 25)
    assert control.best_width <= 3
