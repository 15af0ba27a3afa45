import threading
from functools import cache
from itertools import combinations, count
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from baytree import _core, _core_testing
from core_calls import core_cache, core_scorer, kept_sets, search
from search_calls import (
    arc_constraints,
    budget,
    caches,
    check_found,
    check_outcome,
    exact_structure,
    limits,
    random_cache,
)
from treewidth_oracle import all_dags, all_k_trees, best_score, has_decomposition


def exact_in(cache_, limits_, **options):
    return exact_structure(_core.CachedFamilyScores(cache_), limits_, **options)


def score_in(cache_):
    sets = [kept_sets(cache_, child) for child in range(cache_.n_variables)]
    return lambda child, parents: sets[child].get(tuple(parents), -np.inf)


def full_scorer(n_variables, *, n_rows=60, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, (n_rows, n_variables))
    for child in range(2, n_variables):
        first, second = random.choice(child, 2, replace=False)
        is_noise = random.random(n_rows) < 0.15
        codes[:, child] = codes[:, first] ^ codes[:, second] ^ is_noise
    return core_scorer(codes, [2] * n_variables, score="log-likelihood")


def test_there_are_as_many_networks_as_robinson_counted():
    assert [len(all_dags(n)) for n in range(1, 5)] == [1, 3, 25, 543]


@given(caches(max_variables=4), st.integers(1, 4), st.integers(0, 4))
def test_no_network_of_the_treewidth_scores_more(cache_, k, max_parents):
    outcome = exact_in(cache_, limits(k, max_parents=max_parents))
    check_outcome(outcome, cache_, max_treewidth=k)
    best = best_score(
        cache_.n_variables,
        score_in(cache_),
        lambda parents: (
            max(map(len, parents)) <= min(max_parents, k)
            and has_decomposition(parents, lambda bag: len(bag) <= k + 1)
        ),
    )
    assert outcome.score == pytest.approx(best)


@given(
    caches(max_variables=4),
    st.integers(1, 4),
    st.integers(1, 30),
    st.lists(st.integers(1, 4), min_size=4, max_size=4),
)
def test_no_network_within_the_states_of_a_bag_scores_more(cache_, k, max_states, arities):
    bounds = {"max_clique_states": max_states, "arities": arities[: cache_.n_variables]}
    outcome = exact_in(cache_, limits(k, **bounds))
    check_outcome(outcome, cache_, max_treewidth=k, **bounds)

    def is_bag(bag):
        n_states = np.prod([arities[variable] for variable in bag])
        return len(bag) <= k + 1 and (len(bag) == 1 or n_states <= max_states)

    best = best_score(
        cache_.n_variables,
        score_in(cache_),
        lambda parents: has_decomposition(parents, is_bag),
    )
    assert outcome.score == pytest.approx(best)


@pytest.mark.parametrize(
    ("arities", "families"),
    [
        ([4, 2, 2, 2], {1: (0,), 2: (1, 3)}),
        ([4, 2, 2, 2, 2, 2, 2], {2: (1, 3), 4: (3,), 5: (4, 6)}),
    ],
)
def test_large_bags_hang_on_small_ones(arities, families):
    variables = range(len(arities))
    sets = [{(): -1.0, families[v]: 0.0} if v in families else {(): 0.0} for v in variables]
    cache_, bounds = core_cache(sets), {"max_clique_states": 8, "arities": arities}
    outcome = exact_in(cache_, limits(2, **bounds))
    check_outcome(outcome, cache_, max_treewidth=2, **bounds)
    assert outcome.score == 0.0


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_all_networks_of_four_variables_is_found_on_data(k, seed):
    scorer = full_scorer(4, seed=seed)
    best = best_score(
        4,
        lambda child, parents: scorer.score(child, list(parents)),
        lambda parents: has_decomposition(parents, lambda bag: len(bag) <= k + 1),
    )
    assert exact_structure(scorer, limits(k)).score == pytest.approx(best)


@pytest.mark.parametrize(("n", "k"), [(4, 1), (6, 1), (5, 2), (6, 3)])
def test_there_are_as_many_k_trees_as_beineke_and_pippert_counted(n, k):
    assert len(all_k_trees(n, k)) == comb(n, k) * (k * (n - k) + 1) ** (n - k - 2)


def best_in_all_k_trees(cache_, k):
    """Highest score of a network whose families are cliques of one k-tree."""
    n = cache_.n_variables
    sets = [kept_sets(cache_, child) for child in range(n)]

    @cache
    def best_family(child, inside):
        return max(
            (score for s, score in sets[child].items() if inside.issuperset(s)), default=-np.inf
        )

    def best_in(bags):
        bags_with = [[bag for bag in bags if child in bag] for child in range(n)]
        best = {frozenset(): 0.0}  # by the variables that come first in a network
        for size in range(1, n + 1):
            for first in map(frozenset, combinations(range(n), size)):
                best[first] = max(
                    best[first - {last}]
                    + max(best_family(last, (bag & first) - {last}) for bag in bags_with[last])
                    for last in first
                )
        return best[frozenset(range(n))]

    return max(map(best_in, all_k_trees(n, k)))


@pytest.mark.parametrize(("n", "k"), [(5, 1), (6, 1), (5, 2), (6, 2), (6, 3), (6, 4)])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_network_of_all_k_trees_is_found(n, k, seed):
    random = random_cache(n, max_parents=k, n_sets=25, seed=seed)
    dense = search(full_scorer(n, seed=seed), n, max_parents=k).cache
    for cache_ in (random, dense):
        outcome = exact_in(cache_, limits(k))
        check_outcome(outcome, cache_, max_treewidth=k)
        assert outcome.score == pytest.approx(best_in_all_k_trees(cache_, k))


@settings(max_examples=40)
@given(caches(max_variables=8), st.integers(1, 7), st.integers(0, 9))
def test_no_other_search_beats_it(cache_, k, seed):
    best = exact_in(cache_, limits(k)).score
    spent = {"limits": limits(k), "budget": budget(5, seed=seed), "control": _core.RunControl()}
    for rule in (_core.GrowthRule.k_greedy, _core.GrowthRule.k_max):
        assert _core.grow_k_trees(cache_, rule=rule, **spent).score <= best + 1e-9
    assert _core.sample_k_trees(cache_, **spent).score <= best + 1e-9
    assert _core.best_k_tree(cache_, **spent).score <= best + 1e-9


@pytest.mark.parametrize("n_variables", [7, 8])
def test_wider_bags_never_score_less_and_the_widest_as_much_as_no_bound(n_variables):
    scorer = full_scorer(n_variables)
    scores = [
        exact_structure(scorer, limits(k, max_parents=3)).score for k in range(1, n_variables)
    ]
    assert scores == pytest.approx(sorted(scores))
    assert exact_structure(scorer, limits(50, max_parents=3)).score == pytest.approx(scores[-1])


@pytest.mark.parametrize(("n_variables", "k"), [(7, 2), (7, 4)])
@pytest.mark.parametrize("n_threads", [2, 4])
def test_any_number_of_threads_finds_the_same_network(n_variables, k, n_threads):
    cache_ = random_cache(n_variables, n_sets=40)
    alone = exact_in(cache_, limits(k))
    together = exact_in(cache_, limits(k), n_threads=n_threads)
    assert together.parents == alone.parents
    assert together.elimination_order == alone.elimination_order


@given(st.data())
def test_constraints_on_arcs_are_kept(data):
    cache_ = data.draw(caches(max_variables=4))
    n, k = cache_.n_variables, data.draw(st.integers(1, 3))
    tiers = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n) | st.just([]))
    arcs = [(a, b) for a in range(n) for b in range(n) if a != b]
    kinds = {arc: data.draw(st.sampled_from(["free"] * 4 + ["forbid", "require"])) for arc in arcs}

    def lists(kind):
        return [sorted(a for a in range(n) if kinds.get((a, b)) == kind) for b in range(n)]

    required, forbidden = lists("require"), lists("forbid")
    assume(not tiers or all(tiers[a] <= tiers[b] for b in range(n) for a in required[b]))
    constraints = arc_constraints(n, required=required, forbidden=forbidden, tiers=tiers)

    def is_network(parents):
        return has_decomposition(parents, lambda bag: len(bag) <= k + 1) and all(
            set(required[child]) <= set(members)
            and not set(forbidden[child]) & set(members)
            and not (tiers and any(tiers[parent] > tiers[child] for parent in members))
            for child, members in enumerate(parents)
        )

    best = best_score(n, score_in(cache_), is_network)
    if best == -np.inf:
        with pytest.raises(ValueError, match="no network meets"):
            exact_in(cache_, limits(k), constraints=constraints)
    else:
        assert exact_in(cache_, limits(k), constraints=constraints).score == pytest.approx(best)


def test_no_variables_make_an_empty_network():
    assert exact_in(core_cache([]), limits(2)).parents == []


def old_best(scores, limits_):
    """Highest score by dynamic programming without bounds."""
    constraints = arc_constraints(scores.n_variables)
    return _core_testing.best_decomposed_score(
        scores, constraints=constraints, limits=limits_, control=_core.RunControl()
    )


@pytest.mark.parametrize(
    ("n", "k"), [(6, 1), (6, 2), (6, 4), (7, 2), (7, 3), (7, 4), (8, 1), (8, 2), (8, 3), (9, 2)]
)
@pytest.mark.parametrize("has_empty", [True, False])
def test_bounds_lose_nothing(n, k, has_empty):
    for seed in range(3):
        cache_ = random_cache(n, max_parents=k, n_sets=30, seed=seed, has_empty=has_empty)
        scores = _core.CachedFamilyScores(cache_)
        best = old_best(scores, limits(k))
        if best == -np.inf:
            with pytest.raises(ValueError, match="no network meets"):
                exact_structure(scores, limits(k))
            continue
        outcome = exact_structure(scores, limits(k))
        assert outcome.score == outcome.score_bound == pytest.approx(best)
        assert outcome.is_proven


def above(scores, limits_, threshold, n_threads=1):
    return _core_testing.best_separated_structure(
        scores,
        constraints=arc_constraints(scores.n_variables),
        limits=limits_,
        threshold=threshold,
        n_threads=n_threads,
        control=_core.RunControl(),
    )


@pytest.mark.parametrize(("n", "k"), [(5, 1), (6, 2), (8, 2), (7, 3), (7, 4)])
@pytest.mark.parametrize("seed", range(4))
def test_a_network_of_the_best_score_is_put_together_without_another_search(n, k, seed):
    scores = _core.CachedFamilyScores(random_cache(n, max_parents=k, n_sets=30, seed=seed))
    best = old_best(scores, limits(k))
    for threshold in (best - 30, best - 1e-6):
        score, parents, order = above(scores, limits(k), threshold)
        assert score == pytest.approx(best)
        assert _core.decompose(parents, order).width <= k
        assert sum(map(scores.score, range(n), parents)) == pytest.approx(best)
        assert above(scores, limits(k), threshold, n_threads=3) == (score, parents, order)
    assert above(scores, limits(k), best + 1e-6) is None


@pytest.mark.parametrize(
    ("n_variables", "k", "is_possible"),
    [
        (8, 3, True),
        (10, 4, True),
        (12, 3, True),
        (12, 5, True),
        (12, 6, False),
        (12, 10, True),
        (12, 11, True),
        (13, 6, False),
        (28, 5, True),
        (29, 1, False),
        (1000, 2, False),
        (0, 2, True),
        (1, 1, True),
    ],
)
def test_what_costs_too_much_is_refused(n_variables, k, is_possible):
    assert _core.can_search_exactly(n_variables, limits(k)) == is_possible
    if not is_possible:
        with pytest.raises(ValueError, match="costs too much"):
            exact_in(random_cache(n_variables, n_sets=1), limits(k))


def check_cut_short(outcome, scores, k):
    assert not outcome.is_proven
    assert outcome.score_bound > outcome.score
    check_found(outcome, lambda child, parents: scores.score(child, parents), max_treewidth=k)


@pytest.mark.parametrize(("n_variables", "k"), [(20, 4), (16, 5)])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_stop_is_obeyed_and_leaves_the_best_so_far(n_variables, k, n_threads):
    scorer, control = full_scorer(n_variables), _core.RunControl()
    threading.Timer(0.5, control.request_stop).start()
    outcome = exact_structure(scorer, limits(k), control=control, n_threads=n_threads)
    check_cut_short(outcome, scorer, k)


@pytest.mark.parametrize("n_seconds", [0.0, 0.01, 0.5, 2.0])
def test_a_deadline_is_kept_and_leaves_the_best_so_far(n_seconds):
    scorer = full_scorer(20)
    control = _core.RunControl(time_limit=n_seconds)
    check_cut_short(exact_structure(scorer, limits(4), control=control), scorer, 4)


@pytest.mark.parametrize("n_bytes", [0, 2**11, 2**12, 2**14, 2**17])
def test_want_of_memory_ends_the_proof_and_leaves_a_bound(n_bytes):
    scorer = full_scorer(9)
    best = exact_structure(scorer, limits(3))
    outcome = exact_structure(scorer, limits(3), max_bytes=n_bytes, n_threads=2)
    assert not best.is_out_of_memory
    assert outcome.is_out_of_memory
    check_cut_short(outcome, scorer, 3)
    assert outcome.score_bound >= best.score


def test_large_bags_without_memory_leave_a_bound():
    scorer = full_scorer(8)
    bounds = limits(6, max_clique_states=128, arities=[4, 2, 2, 2, 2, 2, 2, 2])
    outcome = exact_structure(scorer, bounds, max_bytes=2**15)
    assert outcome.is_out_of_memory
    check_cut_short(outcome, scorer, 6)
    assert exact_structure(scorer, bounds).score <= outcome.score_bound


def test_memory_that_suffices_changes_nothing():
    scorer = full_scorer(9)
    best, outcome = (exact_structure(scorer, limits(3), max_bytes=n) for n in (10**10, 10**8))
    assert (outcome.score, outcome.parents) == (best.score, best.parents)
    assert outcome.is_proven
    assert not outcome.is_out_of_memory


def stopping_at_beat(number):
    """Control that stops a search at a heartbeat, counted from 0."""
    beats = count()

    def stop_late(done, total):
        if next(beats) >= number:
            control.request_stop()

    control = _core.RunControl(on_progress=stop_late)
    return control


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("n_done", range(6))
def test_a_stop_at_any_moment_leaves_a_bound_on_the_best(k, n_done):
    scorer = full_scorer(9)
    best = exact_structure(scorer, limits(k)).score
    outcome = exact_structure(scorer, limits(k), control=stopping_at_beat(n_done))
    assert outcome.score <= best + 1e-9
    assert outcome.score_bound >= best - 1e-9


def stopping_at_total(number):
    """Control that stops a search when it sets a new total of steps, counted from 0."""
    totals = []

    def stop_late(done, total):
        totals.append(total)
        if len({*totals}) > number:
            control.request_stop()

    control = _core.RunControl(on_progress=stop_late)
    return control


@pytest.mark.parametrize("k", [2, 3])
def test_the_bound_after_a_threshold_is_held_to_the_optimum(k):
    scorer = full_scorer(9)
    best = exact_structure(scorer, limits(k)).score
    highest = exact_structure(scorer, limits(8, max_parents=k)).score
    bounds = [
        exact_structure(scorer, limits(k), control=stopping_at_total(n)).score_bound
        for n in range(1, 6)
    ]
    assert min(bounds) >= best - 1e-9
    assert [bound for bound in bounds if best + 0.01 < bound < highest - 0.01]


@pytest.mark.parametrize("n_done", range(8))
def test_a_stop_at_any_moment_leaves_a_network_with_the_required_arcs(n_done):
    required = [[] for _ in range(18)]
    required[9], required[12], required[17] = [3], [0], [16]
    outcome = exact_structure(
        full_scorer(18),
        limits(4),
        constraints=arc_constraints(18, required=required),
        control=stopping_at_beat(n_done),
    )
    assert not outcome.is_proven
    assert all(
        {*wanted} <= {*found} for wanted, found in zip(required, outcome.parents, strict=True)
    )


def test_an_error_of_the_progress_function_is_raised_as_it_is():
    def fail(done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        exact_structure(full_scorer(16), limits(3), control=_core.RunControl(on_progress=fail))
