"""Networks of rows that another network has filled: one search, then EM for probabilities."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from baytree.exceptions import InterruptedWarning
from baytree.learning.em_results import EmResult, empty_history
from baytree.learning.em_settings import (
    StructuralEM,
    n_larger_sets,
    n_search_iterations,
    search_seconds,
)
from baytree.learning.incomplete_rows import IncompleteRows
from baytree.learning.search_problem import ENDING_SEARCHES, SearchProblem
from baytree.learning.searches import FoundStructure
from baytree.learning.table_searches import family_scorer, search_table
from baytree.runtime.progress import search_line
from baytree.tables.weighted_rows import WeightedRows

# Of the time that is left, for a search that would use up all of it; probabilities have the rest.
SHARE_FOR_SEARCH = 0.8
# Of EM. Rows that draws have filled are a good start: without steps, up to 0.2 % fewer cells were
# restored than with two, and with five as many.
MAX_STEPS = 2


def learn_from_completed_rows(
    problem: SearchProblem,
    rows: IncompleteRows,
    filled: WeightedRows,
    rule: Mapping[str, Any],
    *,
    em: StructuralEM,
    started: float,
) -> EmResult:
    """Return the network of one search on filled rows, with probabilities by what is observed.

    The search starts anew: from the network that filled the rows it would hardly move. It is all
    or nothing, as averages are of whole networks: Ctrl-C raises KeyboardInterrupt.
    """
    filled = rows.those_with_observed_cells(filled)
    found = _searched(problem, filled, rule, em, started)
    n_steps = min(em.max_em_iterations, MAX_STEPS)
    given = problem.settings
    with search_line("probabilities", given.deadline, shown=given.is_verbose):
        network = rows.estimated_from_filled(found, filled.codes, n_steps)
    if rows.is_interrupted:
        raise KeyboardInterrupt
    return EmResult(found, rows.cpts(network), empty_history())


def _searched(
    problem: SearchProblem,
    filled: WeightedRows,
    rule: Mapping[str, Any],
    em: StructuralEM,
    started: float,
) -> FoundStructure:
    search = _one_search(problem, em)
    with warnings.catch_warnings():  # whoever learns several networks says how many there are
        warnings.simplefilter("ignore", InterruptedWarning)
        found = search_table(
            search,
            family_scorer(filled, rule, search.settings),
            started,
            n_larger_sets=None if _has_time_alone(problem) else n_larger_sets(em),
            is_quiet=True,
        )
    if found.is_interrupted:
        raise KeyboardInterrupt
    return found


def _one_search(problem: SearchProblem, em: StructuralEM) -> SearchProblem:
    given, now = problem.settings, time.monotonic()
    share = 1.0 if given.search in ENDING_SEARCHES else SHARE_FOR_SEARCH
    seconds = search_seconds(em, problem)
    end = math.inf if seconds is None else now + seconds
    searched = replace(
        given,
        deadline=min(now + share * (given.deadline - now), end),
        max_iterations=(None if _has_time_alone(problem) else n_search_iterations(em, problem)),
    )
    # It is one of several whose average does not miss what another try would gain.
    return replace(problem, settings=searched, tries_again=False)


def _has_time_alone(problem: SearchProblem) -> bool:
    """Return whether a time limit is the only budget, so that it is to be used."""
    given = problem.settings
    return math.isfinite(given.deadline) and given.max_iterations is None
