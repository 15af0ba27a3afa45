"""Searches for structures: how each is run in the core, and what it found."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
import pandas as pd

from baytree import _core
from baytree.exceptions import InterruptedWarning
from baytree.learning.constraints import PositionalConstraints
from baytree.learning.search_problem import (
    K_TREE_SEARCHES,
    STARTED_SEARCHES,
    SearchProblem,
    SearchSettings,
)
from baytree.messages.user_warnings import warn_user
from baytree.runtime.limits import run_control, warn_if_too_short
from baytree.runtime.long_calls import long_call
from baytree.runtime.progress import search_line

CoreCall: TypeAlias = Callable[[_core.RunControl], _core.SearchOutcome]

_K_TREE_CALLS: dict[str, Callable[..., _core.SearchOutcome]] = {
    "k-max": partial(_core.grow_k_trees, rule=_core.GrowthRule.k_max),
    "k-greedy": partial(_core.grow_k_trees, rule=_core.GrowthRule.k_greedy),
    "s2": _core.sample_k_trees,
    "s2+": _core.best_k_tree,
}
_DAG_SEARCHES = {
    "anneal": _core.DagSearch.anneal,
    "hill-climb": _core.DagSearch.hill_climb,
    "chow-liu": _core.DagSearch.chow_liu,
}


class _NoNetworkError(Exception):
    """No network keeps to what is asked for; says why, as far as the core knows."""


@dataclass(frozen=True, eq=False)
class FoundStructure:
    """What a search found, by position, with the proof of its width."""

    score: float
    parents: Sequence[tuple[int, ...]]  # ascending
    elimination_order: Sequence[int]
    n_iterations: int
    n_accepted: int
    history: pd.DataFrame
    is_interrupted: bool
    is_proven: bool
    n_unscored_pairs: int = 0
    likely_parents: _core.LikelyParents | None = None  # for searches in nearly the same table

    @cached_property
    def decomposition(self) -> _core.TreeDecomposition:
        """The bags that eliminating variables in the order gives."""
        return _core.decompose(self.parents, self.elimination_order)


def search_in_cache(
    problem: SearchProblem, cache: _core.ParentSetCache, started: float
) -> FoundStructure:
    """Run any search on the sets of a cache."""
    try:
        return _run(problem, _call_in_cache(problem, cache), started)
    except _NoNetworkError:
        raise ValueError(_cause_in_cache(problem, cache)) from None


def _call_in_cache(problem: SearchProblem, cache: _core.ParentSetCache) -> CoreCall:
    name = problem.settings.search
    if name == "exact":
        return partial(_exact_structure, problem, _core.CachedFamilyScores(cache))
    if name not in K_TREE_SEARCHES:
        return partial(_search_dags, problem, cache)
    try:
        allowed = allowed_cache(cache, problem.constraints)
    except ValueError as error:  # a variable loses all its sets
        raise _NoNetworkError(*error.args) from None
    limits, budget = problem.limits(), problem.budget()

    def call(control: _core.RunControl) -> _core.SearchOutcome:
        return _K_TREE_CALLS[name](allowed, limits=limits, budget=budget, control=control)

    return call


def _cause_in_cache(problem: SearchProblem, cache: _core.ParentSetCache) -> str:
    """Say why no network was found among the sets of a cache."""
    lonely = _core.variable_without_sets(
        cache, constraints=problem.constraints.to_core(), limits=problem.limits()
    )
    if lonely is None:
        return (
            "No network was found: every variable has parent sets that it may have, but they do "
            "not go together without a cycle and within max_treewidth "
            f"({problem.settings.max_treewidth}). Raise it, allow more arcs, or use a cache that "
            "holds the empty sets."
        )
    return (
        f"No network was found: the cache has no parent set of {problem.variables[lonely]!r} that "
        "max_treewidth, max_parents, max_clique_states and the arcs allow. Allow more, or use a "
        "cache that holds the empty sets."
    )


def search_with_scores(
    problem: SearchProblem, scores: _core.FamilyScores, started: float
) -> FoundStructure:
    """Run a search that asks for the scores of families one by one."""
    search = _exact_structure if problem.settings.search == "exact" else _search_dags
    try:
        return _run(problem, partial(search, problem, scores), started)
    except _NoNetworkError as error:
        raise ValueError(
            f"No network was found: {error}. Take out some of the constraints, or "
            "raise max_treewidth, max_parents or max_clique_states."
        ) from None


def _search_dags(
    problem: SearchProblem,
    source: _core.FamilyScores | _core.ParentSetCache,
    control: _core.RunControl,
) -> _core.SearchOutcome:
    """Return the best network that changes of single arcs lead to."""
    try:
        return _core.search_dags(
            source,
            search=_dag_search(problem),
            constraints=problem.constraints.to_core(),
            limits=problem.limits(),
            budget=problem.budget(),
            start=problem.start,
            likely_parents=problem.likely_parents,
            control=control,
        )
    except ValueError as error:
        raise _NoNetworkError(*error.args) from None


def _dag_search(problem: SearchProblem) -> _core.DagSearch:
    search = problem.settings.search
    if search == "hill-climb" and not problem.tries_again:
        return _core.DagSearch.hill_climb_once
    return _DAG_SEARCHES[search]


def _exact_structure(
    problem: SearchProblem, scores: _core.FamilyScores, control: _core.RunControl
) -> _core.SearchOutcome:
    """Return the best network; the one search that has nothing to show before its end."""
    try:
        return _core.exact_structure(
            scores,
            constraints=problem.constraints.to_core(),
            limits=problem.limits(),
            n_threads=problem.settings.n_threads,
            control=control,
        )
    except _core.SearchStopped:
        if control.is_interrupted:
            raise KeyboardInterrupt from None
        raise TimeoutError(
            'search="exact" has a result only at its end, and time_limit came first. Give it more '
            'time, or use search="anneal".'
        ) from None
    except ValueError as error:
        raise _NoNetworkError(*error.args) from None


def allowed_cache(
    cache: _core.ParentSetCache, constraints: PositionalConstraints
) -> _core.ParentSetCache:
    """Return the cache without the sets that hold a forbidden parent or one of a later tier."""
    if not constraints.tiers and not any(constraints.forbidden):
        return cache
    tiers = np.array(constraints.tiers or [0] * cache.n_variables, dtype=np.int64)
    arrays = []
    for child in range(cache.n_variables):
        scores, members, starts = cache.arrays(child)
        is_wrong = np.isin(members, constraints.forbidden[child]) | (tiers[members] > tiers[child])
        n_wrong = np.concatenate([[0], np.cumsum(is_wrong)])
        is_kept = np.diff(n_wrong[starts]) == 0
        sizes = np.diff(starts)
        arrays.append(
            (
                scores[is_kept],
                members[np.repeat(is_kept, sizes)],
                np.concatenate([[0], np.cumsum(sizes[is_kept])]).astype(np.uint32),
            )
        )
    return _core.ParentSetCache(arrays)


def _run(problem: SearchProblem, call: CoreCall, started: float) -> FoundStructure:
    """Call the core, show its progress, and put names to what it found."""
    settings, called = problem.settings, time.monotonic()
    with search_line(settings.search, settings.deadline, shown=settings.is_verbose) as line:
        control = run_control(settings.deadline, line.listener)
        with long_call(control), line.watching(control):
            outcome = call(control)
    if not math.isfinite(outcome.score):
        raise _NoNetworkError("no parent sets go together")
    if control.is_interrupted:
        warn_of_interruption()
    return FoundStructure(
        score=outcome.score,
        parents=[tuple(sorted(parents)) for parents in outcome.parents],
        elimination_order=outcome.elimination_order,
        n_iterations=outcome.n_iterations,
        n_accepted=outcome.n_accepted,
        history=search_history(outcome.history, called - started),
        is_interrupted=control.is_interrupted,
        is_proven=outcome.is_proven,
        n_unscored_pairs=outcome.n_unscored_pairs,
        likely_parents=outcome.likely_parents,
    )


def search_history(
    steps: Sequence[tuple[float, int, float]], seconds_before: float = 0.0
) -> pd.DataFrame:
    """Return as a table when better structures were found, by seconds since the start."""
    seconds, iterations, scores = zip(*steps, strict=True) if steps else ((), (), ())
    return pd.DataFrame(
        {
            "seconds": np.array(seconds, dtype=float) + seconds_before,
            "iteration": np.array(iterations, dtype=np.int64),
            "score": np.array(scores, dtype=float),
        }
    )


def warn_of_interruption() -> None:
    """Say that Ctrl-C ended a search."""
    warn_user("Interrupted: the best network found so far is returned.", InterruptedWarning)


def warn_if_hardly_begun(
    found: FoundStructure, settings: SearchSettings, started: float, called: float
) -> None:
    """Warn if the deadline, and not Ctrl-C, ended a search before its first step."""
    if not found.is_interrupted:
        has_begun = found.n_iterations > 0 or settings.search not in STARTED_SEARCHES
        warn_if_too_short(started, called, settings.deadline, has_begun=has_begun)
