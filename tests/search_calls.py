"""Calls of the core's searches with the usual arguments, and what every result must keep to."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from baytree import _core
from core_calls import core_cache, kept_sets
from structure_checker import check_structure


def limits(max_treewidth, *, max_parents=None, max_clique_states=np.inf, arities=()):
    return _core.StructureLimits(
        max_treewidth=max_treewidth,
        max_parents=max_treewidth if max_parents is None else max_parents,
        max_clique_states=max_clique_states,
        arities=list(arities),
    )


def budget(max_iterations, *, seed=0, n_threads=1, keeps_scores=False):
    return _core.SearchBudget(
        max_iterations=max_iterations, seed=seed, n_threads=n_threads, keeps_scores=keeps_scores
    )


def stopping_after(n_iterations):
    """Control that stops a search once it has done so many iterations."""

    def stop_late(done, total):
        if done >= n_iterations:
            control.request_stop()

    control = _core.RunControl(on_progress=stop_late)
    return control


def random_cache(n_variables, *, max_parents=3, n_sets=20, seed=0, has_empty=True):
    """Cache with random sets and whole scores, so that many are equal."""
    random = np.random.default_rng(seed)

    def random_sets(child):
        others = [variable for variable in range(n_variables) if variable != child]
        sets = {(): -20.0} if has_empty else {}
        for _ in range(n_sets):
            size = random.integers(not has_empty, min(max_parents, len(others)) + 1)
            parents = tuple(sorted(random.choice(others, size, replace=False).tolist()))
            sets[parents] = float(random.integers(-20, 0))
        return sets

    return core_cache([random_sets(child) for child in range(n_variables)])


@st.composite
def caches(draw, *, max_variables=8, max_parents=4):
    """Small caches with the empty set of every variable and any scores, equal ones among them."""
    n_variables = draw(st.integers(1, max_variables))
    scores = st.integers(-9, 0) | st.floats(-9.0, 0.0)

    def sets_of(child):
        others = [variable for variable in range(n_variables) if variable != child]
        all_sets = [s for size in range(1, max_parents + 1) for s in combinations(others, size)]
        some_sets = st.dictionaries(st.sampled_from(all_sets), scores, max_size=12)
        return {(): draw(scores)} | (draw(some_sets) if all_sets else {})

    return core_cache([sets_of(child) for child in range(n_variables)])


def check_outcome(outcome, cache, **bounds):
    """Hold a search result to the limits it was given and to the scores of the cache."""
    check_found(outcome, lambda child, parents: kept_sets(cache, child)[parents], **bounds)


def arc_constraints(n_variables, *, required=None, forbidden=None, tiers=()):
    lists = [[] for _ in range(n_variables)]
    return _core.ArcConstraints(
        required=required or lists, forbidden=forbidden or lists, tiers=list(tiers)
    )


def search_dags(
    source,
    search,
    limits_,
    budget_=None,
    *,
    constraints=None,
    start=None,
    likely_parents=None,
    control=None,
):
    """Result of a search over DAGs; `search` is its name, `start` parents or a whole outcome."""
    if start is not None:
        order = getattr(start, "elimination_order", [])
        start = (getattr(start, "parents", start), order)
    return _core.search_dags(
        source,
        search=getattr(_core.DagSearch, search),
        constraints=constraints or arc_constraints(source.n_variables),
        limits=limits_,
        budget=budget_ or budget(20_000),
        start=start,
        likely_parents=likely_parents,
        control=control or _core.RunControl(),
    )


def exact_structure(
    scores, limits_, *, constraints=None, n_threads=1, max_bytes=10**10, control=None
):
    return _core.exact_structure(
        scores,
        constraints=constraints or arc_constraints(scores.n_variables),
        limits=limits_,
        n_threads=n_threads,
        max_bytes=max_bytes,
        control=control or _core.RunControl(),
    )


def check_found(outcome, score, *, max_treewidth, max_clique_states=np.inf, arities=()):
    """Hold a search result to its limits and to the sum of `score(child, parents)`."""
    decomposition = _core.decompose(outcome.parents, outcome.elimination_order)
    check_structure(outcome.parents, decomposition.bags, decomposition.edges, max_treewidth)
    if len(arities):
        for bag in decomposition.bags:
            assert len(bag) == 1 or np.prod(np.take(arities, bag)) <= max_clique_states
    scores = [score(child, parents) for child, parents in enumerate(outcome.parents)]
    np.testing.assert_allclose(outcome.score, sum(scores), rtol=1e-12)


def check_history(outcome):
    """Each step found more than the one before, and the last what is returned."""
    scores = [step[2] for step in outcome.history]
    assert scores == sorted(set(scores))
    assert scores[-1] == outcome.score
