"""Networks of rows that another network has filled: one search, then EM for probabilities."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from baytree._em_results import EmResult, empty_history
from baytree._em_settings import EmSettings
from baytree._estimation import MAX_EM_ITERATIONS
from baytree._incomplete_rows import IncompleteRows
from baytree._progress import search_line
from baytree._search_problems import SearchProblem
from baytree._table_searches import family_scorer, search_table
from baytree._weighted_rows import WeightedRows

SHARE_OF_TIME = 0.8  # for the search, of what is left


def network_of_filled(
    problem: SearchProblem,
    rows: IncompleteRows,
    filled: WeightedRows,
    rule: Mapping[str, Any],
    *,
    settings: EmSettings,
    started: float,
) -> EmResult:
    """Return the network of one search on filled rows, with probabilities by what is observed.

    The search starts anew: from the network that filled the rows it would hardly move.
    """
    search = _one_search(problem, settings)
    found = search_table(
        search,
        family_scorer(filled, rule, search.settings),
        started,
        n_larger_sets=settings.n_larger_sets,
        is_quiet=True,
    )
    has_steps = settings.inner_em_iterations > 0 and not found.interrupted
    given = problem.settings
    with search_line("probabilities", given.deadline, shown=given.is_verbose):
        network = rows.learned(found, filled.codes, MAX_EM_ITERATIONS if has_steps else 0)
    if rows.is_interrupted:  # not even counts may be whole
        raise KeyboardInterrupt
    return EmResult(found, rows.cpts(network), empty_history())


def _one_search(problem: SearchProblem, settings: EmSettings) -> SearchProblem:
    given, now = problem.settings, time.monotonic()
    seconds = settings.search_seconds(problem)
    end = math.inf if seconds is None else now + seconds
    searched = replace(
        given,
        deadline=min(now + SHARE_OF_TIME * (given.deadline - now), end),
        max_iterations=settings.n_search_iterations(problem),
    )
    return replace(problem, settings=searched)
