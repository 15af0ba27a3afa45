"""Structural EM: learning from tables with missing cells.

In turn, the network at hand fills the missing cells, and a network is learned from the filled table
([k-max], [structural-em]). The searches are those of complete tables.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baytree import _core
from baytree.exceptions import InterruptedWarning, TimeLimitWarning
from baytree.learning.em_settings import (
    StructuralEM,
    initial_structure,
    n_larger_sets,
    n_search_iterations,
    search_seconds,
)
from baytree.learning.incomplete_rows import (
    EmResult,
    EmStoppedError,
    IncompleteRows,
    as_history,
)
from baytree.learning.parameters import MAX_EM_ITERATIONS
from baytree.learning.search_problem import (
    K_TREE_SEARCHES,
    LOCAL_SEARCHES,
    SearchProblem,
    SearchSettings,
)
from baytree.learning.searches import FoundStructure, family_scorer, search_table
from baytree.messages.quoting import pluralize
from baytree.messages.user_warnings import warn_user
from baytree.runtime.progress import part_of, search_line
from baytree.tables.weighted_rows import WeightedRows

TIME_FRACTION = 0.2  # of the time left, for a search that is not the last
SCORE_TOLERANCE = 1e-9  # relative; scores that differ by less differ by rounding alone

N_INITIAL_ITERATIONS = 10  # of EM for the probabilities of the initial structure
# Evaluations of its network for which the last search leaves time, if there is so much.
N_RESERVED_EVALUATIONS = 3


def structural_em(
    problem: SearchProblem,
    rows: IncompleteRows,
    rule: Mapping[str, Any],
    *,
    em: StructuralEM,
    started: float,
) -> EmResult:
    """Return the network of the highest penalised log-likelihood that EM passes through."""
    return _Iterations(problem, rows, rule, em, started).run()


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A network that EM passes through."""

    found: FoundStructure
    network: _core.EstimatedNetwork
    log_likelihood: float = -math.inf
    criterion: float = -math.inf  # the log-likelihood less a penalty
    is_start: bool = False


class _Iterations:
    def __init__(
        self,
        problem: SearchProblem,
        rows: IncompleteRows,
        rule: Mapping[str, Any],
        em: StructuralEM,
        started: float,
    ) -> None:
        self._problem = problem
        self._rows = rows
        self._rule = rule
        self._em = em
        self._started = started
        self._history: list[tuple[float, ...]] = []
        self._completed: WeightedRows | None = None
        self._scored: tuple[_core.FamilyScorer, WeightedRows] | None = None
        self._evaluation_seconds = 0.0
        self._start_score = math.nan
        self._likely_parents: _core.LikelyParents | None = None
        self._is_interrupted = False
        self._has_warned = False  # of the interruption
        self._best = self._start()  # Ctrl-C before there is one is KeyboardInterrupt
        self._current = self._best

    def run(self) -> EmResult:
        """Repeat the two steps while the network improves, then finish its parameters."""
        try:
            self._evaluate_start()
            self._repeat()
            self._finish_parameters()
        except EmStoppedError:
            pass  # the result is the best network so far
        except KeyboardInterrupt:  # between two calls of the core, or from a search without result
            self._is_interrupted = True
        self._warn()
        return self._result()

    def _start(self) -> _Candidate:
        found = initial_structure(
            self._problem,
            self._rows.observed,
            self._rule,
            self._em.em_init,
            self._started,
        )
        self._likely_parents = found.likely_parents
        network = self._rows.count_parameters(found, self._rows.observed.codes, min_prior=1.0)
        if self._rows.is_interrupted:
            raise KeyboardInterrupt
        return _Candidate(found, network, is_start=True)

    def _evaluate_start(self) -> None:
        found = self._best.found
        self._stop_if_interrupted(found)
        n_iterations = max(self._em.max_em_iterations, N_INITIAL_ITERATIONS)
        with self._progress("probabilities of the start"):
            network = self._rows.run_em(
                found, self._best.network, n_iterations, evaluates_last=True
            )
            self._best = self._current = replace(self._evaluated(found, network), is_start=True)
        self._record(self._best, n_cells=0, n_arcs=sum(map(len, found.parents)), score=math.nan)

    def _repeat(self) -> None:
        """Iterate while the network improves; the last search takes the time left, if limited."""
        n_updates = self._em.max_structure_updates
        for _ in range(n_updates - 1 if self._uses_up_time else n_updates):
            if not self._iterate():
                break
        if self._uses_up_time:
            self._current = self._best
            self._iterate(is_last=True)

    @property
    def _uses_up_time(self) -> bool:
        given = self._problem.settings
        has_time_alone = math.isfinite(given.deadline) and given.max_iterations is None
        is_endless = given.search in ("anneal", *K_TREE_SEARCHES)
        return has_time_alone and is_endless and self._em.effort is None

    def _iterate(self, *, is_last: bool = False) -> bool:
        """Fill the missing cells and learn again; return whether the structure got better."""
        before, iteration = self._current, f"EM iteration {len(self._history)}"
        with self._progress(f"{iteration}, filling missing cells"):
            completed = self._rows.completed_rows(before.network, before.found)
        n_cells = self._n_changed_cells(completed)
        if n_cells == 0 and not is_last:
            return False
        self._completed = completed
        with part_of(f"{iteration}, {pluralize(n_cells, 'cell')} changed", self._deadline):
            found = self._search(completed, before.found, is_last)
            with self._progress("probabilities"):
                n_iterations = self._em.max_em_iterations
                network = self._rows.learn_parameters(
                    found, completed.codes, n_iterations, evaluates_last=True
                )
                self._current = self._evaluated(found, network)
        n_arcs = _n_changed_arcs(before.found, found)
        self._record(self._current, n_cells=n_cells, n_arcs=n_arcs, score=found.score)
        is_better = self._current.criterion > self._best.criterion
        if is_better:
            self._best = self._current
        return is_better and n_arcs > 0

    def _progress(self, description: str) -> contextlib.AbstractContextManager[object]:
        """Return a line of progress."""
        return search_line(description, self._deadline, shown=self._problem.settings.is_verbose)

    @property
    def _deadline(self) -> float:
        return self._problem.settings.deadline

    def _n_changed_cells(self, completed: WeightedRows) -> int:
        if self._completed is None:
            return self._rows.n_missing
        return int(np.count_nonzero(completed.codes != self._completed.codes))

    def _search(
        self, completed: WeightedRows, before: FoundStructure, is_last: bool
    ) -> FoundStructure:
        """Return the best structure of a filled table; the one before if the search found none."""
        problem = self._next_problem(before, is_last)
        scorer = self._scorer_of(completed, problem.settings, is_last)
        score_before = _total_score(scorer, before)
        if math.isnan(self._start_score):
            self._start_score = score_before
        found = search_table(
            problem,
            scorer,
            self._started,
            n_larger_sets=None if is_last else n_larger_sets(self._em),
            is_quiet=True,
        )
        self._stop_if_interrupted(found)
        if found.likely_parents is not None:
            self._likely_parents = found.likely_parents
        is_better = found.score > score_before + SCORE_TOLERANCE * abs(score_before)
        is_kept = is_better or list(found.parents) == list(before.parents)
        return found if is_kept else replace(before, score=score_before)

    def _scorer_of(
        self, completed: WeightedRows, settings: SearchSettings, is_last: bool
    ) -> _core.FamilyScorer:
        """Return a scorer of a filled table; families without a changed cell keep their scores."""
        if self._scored is None or is_last:  # the last search is longer, and keeps more scores
            scorer = family_scorer(completed, self._rule, settings)
        else:
            before, rows = self._scored
            changed = np.flatnonzero((completed.codes != rows.codes).any(axis=0))
            scorer = _core.FamilyScorer(
                completed.dataset(), before=before, changed=changed.tolist()
            )
        self._scored = (scorer, completed)
        return scorer

    def _stop_if_interrupted(self, found: FoundStructure) -> None:
        if found.is_interrupted:
            self._is_interrupted = self._has_warned = True
            raise EmStoppedError

    def _next_problem(self, before: FoundStructure, is_last: bool) -> SearchProblem:
        given = self._problem.settings
        settings = replace(
            given,
            seed=(given.seed + len(self._history)) % 2**31,
            deadline=self._search_deadline(is_last),
            max_iterations=(
                given.max_iterations if is_last else n_search_iterations(self._em, self._problem)
            ),
        )
        parents = [sorted(members) for members in before.parents]
        has_start = given.search in LOCAL_SEARCHES
        return replace(
            self._problem,
            settings=settings,
            start=(parents, list(before.elimination_order)) if has_start else None,
            likely_parents=None if is_last else self._likely_parents,
        )

    def _search_deadline(self, is_last: bool) -> float:
        now, deadline = time.monotonic(), self._deadline
        seconds = search_seconds(self._em, self._problem)
        if seconds is not None:
            return min(deadline, now + seconds)
        left = deadline - now
        if not is_last:
            return now + TIME_FRACTION * left
        reserve = N_RESERVED_EVALUATIONS * self._evaluation_seconds
        return deadline - min(reserve, left / 2)

    def _evaluated(self, found: FoundStructure, network: _core.EstimatedNetwork) -> _Candidate:
        began = time.monotonic()
        log_likelihood = self._rows.log_likelihood(network, found)
        n_passes = max(self._em.max_em_iterations, 1) + 1
        self._evaluation_seconds = n_passes * (time.monotonic() - began)
        criterion = log_likelihood - self._penalty(found)
        return _Candidate(found, network, log_likelihood, criterion)

    def _penalty(self, found: FoundStructure) -> float:
        """Return the penalty of the criterion for a structure; that of BIC if it has a prior."""
        weight = {"aic": 1.0, "log-likelihood": 0.0}.get(
            self._rule["score"], 0.5 * math.log(self._rows.total_weight)
        )
        arities = self._rows.observed.arities.tolist()
        n_free = sum(
            (arities[child] - 1) * math.prod(arities[parent] for parent in parents)
            for child, parents in enumerate(found.parents)
        )
        n_arcs = sum(map(len, found.parents))
        penalty_per_arc = math.log(len(arities)) if self._rule["score"] == "ebic" else 0.0
        return float(weight * n_free + penalty_per_arc * n_arcs)

    def _record(self, candidate: _Candidate, *, n_cells: int, n_arcs: int, score: float) -> None:
        seconds = time.monotonic() - self._started
        measures = (score, candidate.log_likelihood, candidate.criterion, seconds)
        self._history.append((len(self._history), n_cells, n_arcs, *measures))

    def _finish_parameters(self) -> None:
        if self._em.max_em_iterations > 0:
            best = self._best
            with self._progress("probabilities of the best network"):
                network = self._rows.run_em(best.found, best.network, MAX_EM_ITERATIONS)
            self._best = replace(best, network=network)

    def _warn(self) -> None:
        self._is_interrupted |= self._rows.is_interrupted
        if self._is_interrupted and not self._has_warned:
            warn_user("Interrupted: the best network found so far is returned.", InterruptedWarning)
        if not self._is_interrupted and len(self._history) < 2 and self._is_late():
            seconds = self._deadline - self._started
            warn_user(
                "time_limit ended structural EM before its first search: the network is no more "
                f"than what EM starts from. Allow more than {seconds:.2g} seconds.",
                TimeLimitWarning,
            )

    def _is_late(self) -> bool:
        return time.monotonic() >= self._deadline

    def _result(self) -> EmResult:
        best = self._best
        found = replace(
            best.found,
            is_interrupted=best.found.is_interrupted or self._is_interrupted,
            likely_parents=self._likely_parents,
        )
        if best.is_start:
            found = replace(found, score=self._known_start_score(found))
        return EmResult(found, self._rows.cpts(best.network), as_history(self._history))

    def _known_start_score(self, found: FoundStructure) -> float:
        """Return the score on the filled table, else on the observed cells alone."""
        if not math.isnan(self._start_score):
            return self._start_score
        scorer = family_scorer(self._rows.observed, self._rule, self._problem.settings)
        return _total_score(scorer, found)


def _total_score(scorer: _core.FamilyScorer, found: FoundStructure) -> float:
    return sum(scorer.score(child, sorted(parents)) for child, parents in enumerate(found.parents))


def _n_changed_arcs(before: FoundStructure, after: FoundStructure) -> int:
    pairs = zip(before.parents, after.parents, strict=True)
    return sum(len(set(first) ^ set(second)) for first, second in pairs)
