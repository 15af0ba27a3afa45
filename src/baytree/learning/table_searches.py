"""Searches for structures that score families on the rows of a table."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from baytree import _core
from baytree.exceptions import TimeLimitWarning
from baytree.learning.constraints import PositionalConstraints
from baytree.learning.scoring import MAX_EVALUATIONS
from baytree.learning.search_problem import (
    K_TREE_SEARCHES,
    SearchName,
    SearchProblem,
    SearchSettings,
)
from baytree.learning.searches import (
    FoundStructure,
    search_in_cache,
    search_with_scores,
    warn_if_hardly_begun,
    warn_of_interruption,
)
from baytree.messages.quoting import pluralize
from baytree.messages.user_warnings import warn_user
from baytree.runtime.limits import run_control
from baytree.runtime.long_calls import long_call
from baytree.runtime.progress import progress_bar
from baytree.tables.weighted_rows import WeightedRows

# The share of the time that goes to parent sets, where a search needs them first ([k-max]).
PARENT_SET_SHARE = 10 / 11
# Without a time limit: for each variable all single parents, and this many larger sets.
LARGER_PARENT_SETS = 10_000

# Where Ctrl-C ends the scoring of parent sets: what makes a network of them at once.
QUICK_SEARCHES: tuple[SearchName, ...] = ("k-greedy", "chow-liu")

# Scores that a search remembers, 16 bytes each. The table is cleared first, which would take
# longer than a short search if it were always the largest.
KNOWN_FAMILIES = 2**14  # a variable
FEWEST_KNOWN_IN_ALL = 2**18
BRIEF_SEARCHES: tuple[SearchName, ...] = ("chow-liu", "hill-climb")
# A variable: a hill climb scores its 80 candidates at first, and after each change of its parents.
KNOWN_FAMILIES_OF_BRIEF = 2**10
# Few rows have few candidates that gain, and are soon counted again: a table that stays in the
# processor's cache is worth more than one that forgets nothing.
FEW_ROWS = 8_192
KNOWN_FAMILIES_OF_FEW_ROWS = 2**7
KNOWN_FAMILIES_A_STEP = 4  # of annealing
FEWEST_KNOWN_FAMILIES = 2**14
MOST_KNOWN_FAMILIES = 2**23


def family_scorer(
    rows: WeightedRows, rule: Mapping[str, Any], settings: SearchSettings
) -> _core.FamilyScorer:
    """Return what scores the families of rows, with room to remember those of a search."""
    n_known = max(KNOWN_FAMILIES * len(rows.variables), FEWEST_KNOWN_IN_ALL)
    if settings.search in BRIEF_SEARCHES:
        has_few_rows = len(rows.codes) < FEW_ROWS
        n_known = KNOWN_FAMILIES_OF_FEW_ROWS if has_few_rows else KNOWN_FAMILIES_OF_BRIEF
        n_known *= len(rows.variables)
    elif settings.search == "anneal" and settings.max_iterations is not None:
        n_known = min(n_known, KNOWN_FAMILIES_A_STEP * settings.max_iterations)
    n_known = min(max(n_known, FEWEST_KNOWN_FAMILIES), MOST_KNOWN_FAMILIES)
    return _core.FamilyScorer(rows.dataset(), **rule, n_table_entries=n_known)


def search_table(
    problem: SearchProblem,
    scorer: _core.FamilyScorer,
    started: float,
    *,
    n_larger_sets: int | None = None,
    is_quiet: bool = False,
) -> FoundStructure:
    """Run any search; unless it is to be quiet, warn if time was too short to do much.

    Searches of k-trees score so many larger parent sets of each variable; None for what the time
    allows or, without a limit, many.
    """
    settings, called = problem.settings, time.monotonic()
    if settings.search in K_TREE_SEARCHES:
        return _search_scored_sets(problem, scorer, started, n_larger_sets, is_quiet)
    found = search_with_scores(problem, scorer, started)
    if not is_quiet and not found.is_interrupted:
        warn_if_hardly_begun(found, settings, started, called)
        _warn_of_unscored_arcs(found, settings.deadline - started)
    return found


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
        return _found_at_once(problem, scored.cache, started)
    if not is_quiet:
        _warn_of_unscored_pairs(problem.constraints, scored)
    return search_in_cache(problem, scored.cache, started)


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


def _found_at_once(
    problem: SearchProblem, cache: _core.ParentSetCache, started: float
) -> FoundStructure:
    """Return the better of the best forest and a network that is grown in one go, after Ctrl-C."""
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
    """Return the parent sets to choose from, and whether Ctrl-C ended the scoring."""
    settings, n_variables = problem.settings, len(problem.variables)
    now = time.monotonic()
    deadline = now + PARENT_SET_SHARE * (settings.deadline - now)
    if n_larger_sets is None and math.isinf(settings.deadline):
        n_larger_sets = LARGER_PARENT_SETS
    with progress_bar("Scoring parent sets", "variables", shown=settings.is_verbose) as on_progress:
        control = run_control(deadline, on_progress)
        with long_call(control):
            found = _core.search_parent_sets(
                scorer,
                required=problem.constraints.required,
                forbidden=problem.constraints.forbidden,
                tiers=problem.constraints.tiers,
                max_parents=min(settings.max_parents, max(n_variables - 1, 1)),
                max_evaluations=n_variables + (n_larger_sets or MAX_EVALUATIONS - n_variables),
                seed=settings.seed,
                n_threads=min(settings.n_threads, n_variables),
                control=control,
            )
    return found, control.is_interrupted
