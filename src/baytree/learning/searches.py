"""Searches for structures: of a table, or among the parent sets of a cache."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree import _core
from baytree.exceptions import InterruptedWarning, MemoryLimitWarning, TimeLimitWarning
from baytree.learning.chordalysis import core_options, edge_table
from baytree.learning.constraints import PositionalConstraints
from baytree.learning.scoring import MAX_EVALUATIONS, ScoringLimits, search_parent_sets
from baytree.learning.search_problem import (
    K_TREE_SEARCHES,
    LOCAL_SEARCHES,
    SearchName,
    SearchProblem,
    SearchSettings,
)
from baytree.messages.quoting import pluralize
from baytree.messages.user_warnings import warn_user
from baytree.runtime.limits import run_control, warn_if_too_short
from baytree.runtime.long_calls import long_call
from baytree.runtime.memory import available_memory
from baytree.runtime.progress import search_line
from baytree.tables.weighted_rows import WeightedRows

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

# Fraction of the time for parent sets, where a search needs them first ([k-max]).
PARENT_SET_FRACTION = 10 / 11
# Without a time limit: sets per variable beyond the single parents, which are all scored.
N_LARGER_SETS = 10_000

# Searches that make a network of parent sets at once, after Ctrl-C ended the scoring.
QUICK_SEARCHES: tuple[SearchName, ...] = ("k-greedy", "chow-liu")

# Scores that a search keeps, 16 bytes each. The table is cleared first, which would take longer
# than a short search if it were always the largest.
KNOWN_FAMILIES_PER_VARIABLE = 2**14
MIN_KNOWN_FAMILIES_OF_LONG = 2**18
BRIEF_SEARCHES: tuple[SearchName, ...] = ("chow-liu", "hill-climb", "chordalysis")
# Per variable: a hill climb scores its 80 candidates first, and after each change of its parents.
KNOWN_FAMILIES_OF_BRIEF = 2**10
# With few rows, few candidates gain, and counting again is fast: a table that stays in the
# processor's cache is worth more than a complete one.
FEW_ROWS = 8_192
KNOWN_FAMILIES_OF_FEW_ROWS = 2**7
KNOWN_FAMILIES_PER_STEP = 4  # of annealing
MIN_KNOWN_FAMILIES = 2**14
MAX_KNOWN_FAMILIES = 2**23

MAX_MEMORY_FRACTION = 0.5  # for the tables of an exact search


class _NoNetworkError(Exception):
    """No network meets the limits and constraints; the message says why, if the core knows."""


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
    score_bound: float = math.inf  # no structure scores more
    is_out_of_memory: bool = False  # whether that ended the proof
    n_unscored_pairs: int = 0
    likely_parents: _core.LikelyParents | None = None  # for searches in nearly the same table
    edges: pd.DataFrame | None = None  # tests of a search that selects edges
    is_finished: bool = True  # whether that search ended by itself
    iteration_scores: npt.NDArray[np.float64] | None = None  # if they are to be kept

    @cached_property
    def decomposition(self) -> _core.TreeDecomposition:
        """Bags of the elimination order."""
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
    """Return the reason why there is no network among the sets of a cache."""
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
    """Run a search that scores families on demand."""
    search = _exact_structure if problem.settings.search == "exact" else _search_dags
    try:
        return _run(problem, partial(search, problem, scores), started)
    except _NoNetworkError as error:
        raise ValueError(
            f"No network was found: {error}. Take out some of the constraints, or "
            "raise max_treewidth, max_parents or max_clique_states."
        ) from None


def _select_edges(
    problem: SearchProblem, scorer: _core.FamilyScorer, started: float
) -> FoundStructure:
    """Return the decomposable model whose edges pass their tests, and the tests."""
    assert problem.settings.chordalysis is not None
    options = core_options(problem.settings.chordalysis)

    def call(control: _core.RunControl) -> _core.SearchOutcome:
        return _core.select_edges(
            scorer,
            **options,
            constraints=problem.constraints.to_core(),
            limits=problem.limits(),
            budget=problem.budget(),
            control=control,
        )

    return _run(problem, call, started)


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
    """Return the best network, or the best so far with a bound on the score of all."""
    try:
        return _core.exact_structure(
            scores,
            constraints=problem.constraints.to_core(),
            limits=problem.limits(),
            n_threads=problem.settings.n_threads,
            max_bytes=int(MAX_MEMORY_FRACTION * available_memory()),
            control=control,
        )
    except _core.SearchStopped:
        if control.is_interrupted:
            raise KeyboardInterrupt from None
        raise TimeoutError(
            'time_limit ended search="exact" before it had any network that meets the constraints. '
            'Give it more time, or use search="anneal".'
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
    """Call the core and show its progress."""
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
        score_bound=outcome.score_bound,
        is_out_of_memory=outcome.is_out_of_memory,
        n_unscored_pairs=outcome.n_unscored_pairs,
        likely_parents=outcome.likely_parents,
        edges=edge_table(problem.variables, outcome.edges) if settings.chordalysis else None,
        is_finished=outcome.is_finished,
        iteration_scores=outcome.iteration_scores if settings.keeps_scores else None,
    )


def search_history(
    steps: Sequence[tuple[float, int, float]], seconds_before: float = 0.0
) -> pd.DataFrame:
    """Return the times, iterations and scores of better structures as a table."""
    seconds, iterations, scores = zip(*steps, strict=True) if steps else ((), (), ())
    return pd.DataFrame(
        {
            "seconds": np.array(seconds, dtype=float) + seconds_before,
            "iteration": np.array(iterations, dtype=np.int64),
            "score": np.array(scores, dtype=float),
        }
    )


def warn_of_interruption() -> None:
    """Warn that Ctrl-C ended a search."""
    warn_user("Interrupted: the best network found so far is returned.", InterruptedWarning)


def warn_if_hardly_begun(
    found: FoundStructure, settings: SearchSettings, started: float, called: float
) -> None:
    """Warn if the deadline, and not Ctrl-C, ended a search before its first step."""
    if not found.is_interrupted:
        is_lasting = settings.search in LOCAL_SEARCHES or not found.is_finished
        has_begun = found.n_iterations > 0 or not is_lasting
        warn_if_too_short(started, called, settings.deadline, has_begun=has_begun)


def warn_of_open_proof(found: FoundStructure, settings: SearchSettings, called: float) -> None:
    """Warn if memory, or a deadline after the call, ended an exact search before its proof."""
    if settings.search != "exact" or found.is_proven or called >= settings.deadline:
        return
    bound = "there is no bound on the score of the best network yet"
    if math.isfinite(found.score_bound):
        bound = f"no network scores above {found.score_bound:,.3f}"
    result = f"the result scores {found.score:,.3f}"
    if found.is_out_of_memory:
        gigabytes = MAX_MEMORY_FRACTION * available_memory() / 1e9
        warn_user(
            f"The proof took more than half of the memory ({gigabytes:,.1f} GB) and did not end: "
            f"{bound}; {result}. Lower max_treewidth, or search fewer variables.",
            MemoryLimitWarning,
        )
    elif not found.is_interrupted:
        warn_user(
            f"time_limit came before the end of the proof: {bound}; {result}.", TimeLimitWarning
        )


def family_scorer(
    rows: WeightedRows, rule: Mapping[str, Any], settings: SearchSettings
) -> _core.FamilyScorer:
    """Return a scorer of families of the rows, with room for the scores of a search."""
    n_known = max(KNOWN_FAMILIES_PER_VARIABLE * len(rows.variables), MIN_KNOWN_FAMILIES_OF_LONG)
    if settings.search in BRIEF_SEARCHES:
        has_few_rows = len(rows.codes) < FEW_ROWS
        n_known = KNOWN_FAMILIES_OF_FEW_ROWS if has_few_rows else KNOWN_FAMILIES_OF_BRIEF
        n_known *= len(rows.variables)
    elif settings.search == "anneal" and settings.max_iterations is not None:
        n_known = min(n_known, KNOWN_FAMILIES_PER_STEP * settings.max_iterations)
    n_known = min(max(n_known, MIN_KNOWN_FAMILIES), MAX_KNOWN_FAMILIES)
    n_threads = settings.n_threads
    return _core.FamilyScorer(
        rows.dataset(n_threads), **rule, n_table_entries=n_known, n_threads=n_threads
    )


def search_table(
    problem: SearchProblem,
    scorer: _core.FamilyScorer,
    started: float,
    *,
    n_larger_sets: int | None = None,
    is_quiet: bool = False,
) -> FoundStructure:
    """Run any search; unless `is_quiet`, warn if the time was too short.

    K-tree searches score `n_larger_sets` sets per variable beyond the single parents; None for as
    many as time allows or, without a time limit, the default.
    """
    settings, called = problem.settings, time.monotonic()
    if settings.search in K_TREE_SEARCHES:
        return _search_scored_sets(problem, scorer, started, n_larger_sets, is_quiet)
    search = search_with_scores if settings.chordalysis is None else _select_edges
    found = search(problem, scorer, started)
    if not is_quiet and not found.is_interrupted:
        warn_if_hardly_begun(found, settings, started, called)
        warn_of_open_proof(found, settings, called)
        _warn_of_unscored_arcs(found, settings.deadline - started)
        _warn_of_unfinished_selection(found, settings, started)
    return found


def _warn_of_unfinished_selection(
    found: FoundStructure, settings: SearchSettings, started: float
) -> None:
    """Warn if the time limit, and no other budget, ended a selection of edges."""
    is_cut_short = not found.is_finished and found.n_iterations != settings.max_iterations
    if is_cut_short and found.n_iterations > 0:
        warn_user(
            f"time_limit ended the selection after {pluralize(found.n_iterations, 'edge')}, before "
            f"its last test. Allow more than {settings.deadline - started:.2g} seconds.",
            TimeLimitWarning,
        )


def _warn_of_unscored_arcs(found: FoundStructure, n_seconds: float) -> None:
    """Warn if a search of arcs had to start before all pairs of variables were scored."""
    if found.n_unscored_pairs:
        warn_user(
            f"time_limit left {pluralize(found.n_unscored_pairs, 'pair')} of variables without a "
            "score: the search made do with the others. Allow more than "
            f"{n_seconds:.2g} seconds.",
            TimeLimitWarning,
        )


def _search_scored_sets(
    problem: SearchProblem,
    scorer: _core.FamilyScorer,
    started: float,
    n_larger_sets: int | None,
    is_quiet: bool,
) -> FoundStructure:
    """Score parent sets, then choose among them."""
    scored, is_interrupted = _score_parent_sets(problem, scorer, n_larger_sets)
    if is_interrupted:
        return _search_at_once(problem, scored.cache, started)
    if not is_quiet:
        _warn_of_unscored_pairs(problem.constraints, scored)
    return search_in_cache(_within_search_seconds(problem), scored.cache, started)


def _within_search_seconds(problem: SearchProblem) -> SearchProblem:
    """Return a problem whose search, which begins now, ends within its own time."""
    if problem.search_seconds is None:
        return problem
    end = min(problem.settings.deadline, time.monotonic() + problem.search_seconds)
    return replace(problem, settings=replace(problem.settings, deadline=end))


def _warn_of_unscored_pairs(
    constraints: PositionalConstraints, scored: _core.ParentSetSearchResult
) -> None:
    """Warn if some variables lack sets of a single parent, which are scored first of all."""
    n_scored = [n - 1 for n in scored.n_evaluated]  # the first is the empty set
    n_lacking = [
        0 if is_complete else max(constraints.n_possible_parents(child) - n_scored[child], 0)
        for child, is_complete in enumerate(scored.is_complete)
    ]
    lonely = [child for child, n in enumerate(n_lacking) if n > 0 and n_scored[child] <= 0]
    if lonely:
        what = (
            f"{len(lonely):,} of {len(n_scored):,} variables had any to choose from: they have no "
            "parents"
        )
    else:
        what = f"every pair of variables had its score: {sum(n_lacking):,} arcs were never tried"
    if any(n_lacking):
        warn_user(
            f"time_limit ended the scoring of parent sets before {what}. Allow more time.",
            TimeLimitWarning,
        )


def _search_at_once(
    problem: SearchProblem, cache: _core.ParentSetCache, started: float
) -> FoundStructure:
    """Return the best network of quick searches among the parent sets scored before Ctrl-C."""
    found = []
    for search in QUICK_SEARCHES:
        settings = replace(problem.settings, search=search, max_iterations=1, deadline=math.inf)
        found.append(search_in_cache(replace(problem, settings=settings), cache, started))
        if found[-1].is_interrupted:  # a second Ctrl-C
            raise KeyboardInterrupt
    warn_of_interruption()
    return replace(max(found, key=lambda each: each.score), is_interrupted=True)


def _score_parent_sets(
    problem: SearchProblem, scorer: _core.FamilyScorer, n_larger_sets: int | None
) -> tuple[_core.ParentSetSearchResult, bool]:
    """Return the scored parent sets, and whether Ctrl-C ended the scoring."""
    settings, n_variables = problem.settings, len(problem.variables)
    now = time.monotonic()
    if n_larger_sets is None and math.isinf(settings.deadline):
        n_larger_sets = N_LARGER_SETS
    limits = ScoringLimits(
        max_parents=settings.max_parents,
        max_evaluations=n_variables + (n_larger_sets or MAX_EVALUATIONS - n_variables),
        deadline=now + PARENT_SET_FRACTION * (settings.deadline - now),
        n_threads=settings.n_threads,
        seed=settings.seed,
        is_verbose=settings.is_verbose,
    )
    return search_parent_sets(scorer, problem.constraints, limits)
