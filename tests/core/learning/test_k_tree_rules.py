"""k-MAX and k-greedy follow the text of the paper: against plain Python, by fixed seeds."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from scipy import stats

from baytree import _core, _core_testing
from core_calls import core_cache
from k_tree_oracle import grow_k_greedy, grow_k_max, start_probabilities
from search_calls import budget, limits
from treewidth_oracle import elimination_bags, moral_edges

K_GREEDY, K_MAX = _core.GrowthRule.k_greedy, _core.GrowthRule.k_max
ORACLES = {K_GREEDY: grow_k_greedy, K_MAX: grow_k_max}
both_rules = pytest.mark.parametrize("rule", [K_GREEDY, K_MAX])
N_ITERATIONS = 300


def random_sets(n_variables, *, max_parents, seed):
    """Sets of a cache, whose larger ones stretch the range of scores of some variables only."""
    random = Random(seed)

    def score(child, parents):
        gain = sum(random.random() for _ in parents)
        return gain * (12.0 if len(parents) > 2 and child % 2 else 1.0) * (1 + child % 5)

    def sets_of(child):
        others = [variable for variable in range(n_variables) if variable != child]
        sizes = [random.randint(1, max_parents) for _ in range(14)]
        chosen = {tuple(sorted(random.sample(others, size))) for size in sizes}
        return {(): 0.0} | {parents: score(child, parents) for parents in sorted(chosen)}

    return [sets_of(child) for child in range(n_variables)]


def grow(sets, rule, k, seed):
    return _core_testing.grow_one_k_tree(core_cache(sets), rule=rule, limits=limits(k), seed=seed)


@both_rules
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("max_parents", [2, 4])
def test_scores_of_single_iterations_are_distributed_as_in_the_paper(rule, k, max_parents):
    sets = random_sets(16, max_parents=max_parents, seed=1)
    outcome = _core.grow_k_trees(
        core_cache(sets),
        rule=rule,
        limits=limits(k),
        budget=budget(N_ITERATIONS, keeps_scores=True),
        control=_core.RunControl(),
    )
    random = Random(0)
    expected = [ORACLES[rule](sets, k, random) for _ in range(N_ITERATIONS)]
    assert stats.ks_2samp(outcome.iteration_scores, expected).pvalue > 0.01


def check_frequencies(observed, probabilities, n_draws):
    """Chi-square test of draws; whatever has no probability must not occur."""
    assert {*observed} <= {*probabilities}
    expected = [n_draws * probability for probability in probabilities.values()]
    counts = [observed.get(outcome, 0) for outcome in probabilities]
    assert stats.chisquare(counts, expected).pvalue > 0.01


def counted(items):
    counts = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return counts


def test_start_cliques_of_k_max_are_drawn_from_candidate_parents():
    # Variable 5 is in a set of three alone, which no network of treewidth 2 can use.
    sets = [{(): 0.0, (1,): 1.0}, {(): 0.0, (2, 3): 1.0}, {(): 0.0, (0,): 1.0}]
    sets += [{(): 0.0, (0, 1, 5): 1.0}, {(): 0.0, (3,): 1.0}, {(): 0.0, (4,): 1.0}, {(): 0.0}]
    starts = [frozenset(grow(sets, K_MAX, 2, seed)[3][0]) for seed in range(3000, 6000)]
    check_frequencies(counted(starts), start_probabilities(sets, 3), 3000)


def test_start_cliques_of_k_greedy_are_any_variables():
    sets = random_sets(6, max_parents=2, seed=0)
    starts = [frozenset(grow(sets, K_GREEDY, 2, seed)[3][0]) for seed in range(2000)]
    cliques = [frozenset(clique) for clique in combinations(range(6), 3)]
    check_frequencies(counted(starts), dict.fromkeys(cliques, 1 / len(cliques)), 2000)


def cliques_before(bags, k, parents):
    """For each k-clique that holds the parents, in how many of the bags it is."""
    found = [
        frozenset(clique)
        for bag in bags
        for clique in combinations(sorted(bag), k)
        if {*parents} <= {*clique}
    ]
    return counted(found)


@both_rules
@pytest.mark.parametrize("has_parents", [False, True])
def test_a_variable_joins_any_k_clique_that_holds_its_parents(rule, has_parents):
    """Those that several bags share are as probable as the others."""
    k, n_variables = 3, 9
    sets = [{(): 0.0} for _ in range(n_variables)]
    if has_parents:
        sets = [{(): 0.0}, *({(): 0.0, (0,): 1.0} for _ in range(1, n_variables))]
    drawn, expected, variance = 0, 0.0, 0.0
    for seed in range(400):
        _, parents, order, bags = grow(sets, rule, k, seed)
        for i, variable in enumerate(order[-k - 2 :: -1], start=1):
            cliques = cliques_before(bags[:i], k, parents[variable])
            share = np.mean([n_bags > 1 for n_bags in cliques.values()])
            drawn += cliques[frozenset(bags[i]) - {variable}] > 1
            expected += share
            variance += share * (1 - share)
    assert abs(drawn - expected) < 3 * np.sqrt(variance)


@both_rules
@pytest.mark.parametrize("k", [1, 2, 4, 16])
def test_the_reverse_topological_order_proves_the_treewidth(rule, k):
    sets = random_sets(24, max_parents=4, seed=2)
    for seed in range(20):
        _, parents, order, _ = grow(sets, rule, k, seed)
        for place, variable in enumerate(order):
            assert {*parents[variable]} <= {*order[place + 1 :]}
        bags = elimination_bags(moral_edges(parents), order)
        assert max(map(len, bags)) <= k + 1


@both_rules
@pytest.mark.parametrize("k", [16, 18, 20])
def test_large_start_cliques_have_all_their_variables(rule, k):
    sets = random_sets(40, max_parents=4, seed=3)
    for seed in range(5):
        _, _, order, bags = grow(sets, rule, k, seed)
        assert sorted(bags[0]) == sorted(order[-k - 1 :])
        assert {len(bag) for bag in bags} == {k + 1}


def test_a_start_without_candidate_parents_has_all_its_variables():
    for seed in range(50):
        assert len(grow([{(): 0.0}] * 4, K_MAX, 2, seed)[3][0]) == 3
