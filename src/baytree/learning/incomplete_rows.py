"""Incomplete rows in EM: parameters, completions, likelihoods, networks of completed rows."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from baytree import _core
from baytree.exceptions import InterruptedWarning
from baytree.learning.em_settings import (
    StructuralEM,
    n_larger_sets,
    n_search_iterations,
    search_seconds,
    update_seconds,
)
from baytree.learning.isolation import linked_variables
from baytree.learning.parameters import TOLERANCE, cpts_of
from baytree.learning.search_problem import ENDING_SEARCHES, SearchProblem
from baytree.learning.searches import FoundStructure, family_scorer, search_table
from baytree.networks.cpts import Cpt
from baytree.networks.row_answers import CORE_COMPLETIONS, CompletionName
from baytree.networks.row_calls import call_rows
from baytree.runtime.limits import run_control
from baytree.runtime.progress import search_line
from baytree.tables.columns import Mask, StateCodes
from baytree.tables.weighted_rows import WeightedRows

Answer = TypeVar("Answer")

# Fraction of the time left for a search that would use up all of it; the rest is for parameters.
SEARCH_TIME_FRACTION = 0.8
# Of EM. Rows completed by draws are a good start: without iterations, up to 0.2 % fewer cells
# were restored than with two, and with five as many.
MAX_ITERATIONS_AFTER_DRAWS = 2

HISTORY_DTYPES = {
    "iteration": np.int64,
    "changed_cells": np.int64,
    "changed_arcs": np.int64,
    "score": float,
    "log_likelihood": float,
    "penalised_log_likelihood": float,
    "seconds": float,
}


@dataclass(frozen=True, eq=False)
class EmResult:
    """The best network, with its score on the completed table that it was learned from."""

    found: FoundStructure
    cpts: Sequence[Cpt]
    history: pd.DataFrame


def as_history(records: Sequence[tuple[float, ...]]) -> pd.DataFrame:
    """Return a table with a row per iteration."""
    columns = zip(*records, strict=True) if records else [()] * len(HISTORY_DTYPES)
    return pd.DataFrame(
        {
            name: np.array(column, dtype=kind)
            for (name, kind), column in zip(HISTORY_DTYPES.items(), columns, strict=True)
        }
    )


def empty_history() -> pd.DataFrame:
    """Return the history without iterations."""
    return as_history([])


class EmStoppedError(Exception):
    """Ctrl-C or the time limit ended an iteration of EM, which has no result."""


class IncompleteRows:
    """Rows with missing cells, with the settings of EM on them.

    Rows without an observed cell carry no information and are left out.
    """

    def __init__(
        self,
        rows: WeightedRows,
        *,
        prior: float,
        completion: CompletionName,
        n_jobs: int | None,
        deadline: float,
    ) -> None:
        self._has_observed: Mask = np.asarray((rows.codes >= 0).any(axis=1))
        self._rows = _restricted(rows, self._has_observed)
        self._prior = prior
        self._completion = CORE_COMPLETIONS[completion]
        self._n_jobs = n_jobs
        self._deadline = deadline
        self.is_interrupted = False

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        return sum(self._rows.n_missing)

    @property
    def observed(self) -> WeightedRows:
        """The rows with their missing cells."""
        return self._rows

    @property
    def total_weight(self) -> float:
        """Sum of the weights of the rows."""
        weights = self._rows.weights
        return float(len(self._rows.codes) if weights is None else weights.sum())

    def completed_rows(
        self, network: _core.EstimatedNetwork, found: FoundStructure
    ) -> WeightedRows:
        """Return the rows with their missing cells filled by a network."""
        codes = self._call(
            _core.complete_rows,
            self._row_network(network, found),
            self._rows.codes,
            completion=self._completion,
        )
        self.check()
        return self._complete(codes)

    def _complete(self, codes: StateCodes) -> WeightedRows:
        return replace(self._rows, codes=codes, n_missing=[0] * len(self._rows.variables))

    def drawn_rows(
        self, network: _core.EstimatedNetwork, found: FoundStructure, seed: int
    ) -> WeightedRows:
        """Return the rows with their missing cells drawn from their joint posterior."""
        (codes,) = self._call(
            _core.draw_completions,
            self._row_network(network, found),
            self._rows.codes,
            seeds=[seed],
        )
        self.check()
        return self._complete(codes)

    def log_likelihood(self, network: _core.EstimatedNetwork, found: FoundStructure) -> float:
        """Return the exact log-likelihood of the observed cells."""
        if network.log_likelihood is not None:
            return network.log_likelihood
        likelihoods = self._call(
            _core.log_likelihoods, self._row_network(network, found), self._rows.codes
        )
        self.check()
        weights = self._rows.weights
        return float(likelihoods.sum() if weights is None else np.dot(weights, likelihoods))

    def count_parameters(
        self, found: FoundStructure, codes: StateCodes, *, min_prior: float = 0.0
    ) -> _core.EstimatedNetwork:
        """Return parameters by counts of the rows whose family is observed.

        The time limit does not apply: without counts there is no network at all.
        """
        prior = max(self._prior, min_prior)
        return self._estimate(
            found, codes, prior, deadline=math.inf, max_iterations=0, initial=None
        )

    def run_em(
        self,
        found: FoundStructure,
        initial: _core.EstimatedNetwork,
        n_iterations: int,
        *,
        evaluates_last: bool = False,
    ) -> _core.EstimatedNetwork:
        """Return the parameters after iterations of EM, or fewer if it is stopped.

        With `evaluates_last`, the log-likelihood of the last parameters is computed on the way.
        """
        return self._estimate(
            found,
            self._rows.codes,
            self._prior,
            deadline=self._deadline,
            max_iterations=n_iterations,
            initial=initial.network,
            evaluates_last=evaluates_last,
        )

    def learn_parameters(
        self,
        found: FoundStructure,
        completed: StateCodes,
        n_iterations: int,
        *,
        evaluates_last: bool = False,
    ) -> _core.EstimatedNetwork:
        """Return parameters by counts of completed rows, or after iterations of EM from there.

        EM keeps a probability of zero for ever, so the counts that it starts from have a prior.
        """
        if n_iterations == 0:
            return self.count_parameters(found, completed)
        first = self.count_parameters(found, self._without_guesses(found, completed), min_prior=1.0)
        if self.is_interrupted:
            return first
        return self.run_em(found, first, n_iterations, evaluates_last=evaluates_last)

    def _without_guesses(self, found: FoundStructure, completed: StateCodes) -> StateCodes:
        """Return completed rows in which variables without arcs have their missing cells again.

        Their frequencies are known at once; from those of completed cells, EM gets there slowly.
        """
        alone = sorted({*range(completed.shape[1])} - linked_variables(found))
        codes = completed.copy(order="F")
        codes[:, alone] = self._rows.codes[:, alone]
        return codes

    def select_from(self, completed: WeightedRows) -> WeightedRows:
        """Return the rows of a completed table that are not left out here."""
        if self._has_observed.all():
            return completed
        codes = np.asfortranarray(completed.codes[self._has_observed])
        return replace(completed, codes=codes, weights=self._rows.weights)

    def cpts(self, network: _core.EstimatedNetwork) -> list[Cpt]:
        """Return the CPTs of a network."""
        return cpts_of(network, self._rows.arities.tolist())

    def check(self) -> None:
        """Raise EmStoppedError if the last answer may be incomplete."""
        if self.is_interrupted or time.monotonic() >= self._deadline:
            raise EmStoppedError

    def _estimate(
        self,
        found: FoundStructure,
        codes: StateCodes,
        prior: float,
        **options: Any,
    ) -> _core.EstimatedNetwork:
        return self._call(
            _core.estimate_network,
            codes,
            arities=self._rows.arities.tolist(),
            parents=found.parents,
            elimination_order=found.elimination_order,
            weights=self._rows.weights,
            equivalent_sample_size=prior,
            tolerance=TOLERANCE,
            **options,
        )

    def _call(
        self,
        call: Callable[..., Answer],
        *args: Any,
        deadline: float | None = None,
        **options: Any,
    ) -> Answer:
        control = run_control(self._deadline if deadline is None else deadline, None)
        answer = call_rows(call, *args, n_jobs=self._n_jobs, control=control, **options)
        self.is_interrupted |= control.is_interrupted
        return answer

    def _row_network(
        self, network: _core.EstimatedNetwork, found: FoundStructure
    ) -> _core.RowNetwork:
        return _core.RowNetwork(network.network, elimination_order=list(found.elimination_order))


def _restricted(rows: WeightedRows, is_kept: Mask) -> WeightedRows:
    """Return the rows to keep; the others have no observed cell."""
    if is_kept.all():
        return rows
    codes = np.asfortranarray(rows.codes[is_kept])
    weights = None if rows.weights is None else rows.weights[is_kept]
    n_missing = [n - int((~is_kept).sum()) for n in rows.n_missing]
    return replace(rows, codes=codes, weights=weights, n_missing=n_missing)


def learn_from_completed_rows(
    problem: SearchProblem,
    rows: IncompleteRows,
    completed: WeightedRows,
    rule: Mapping[str, Any],
    *,
    em: StructuralEM,
    started: float,
) -> EmResult:
    """Return the network of one search on completed rows, with parameters of the observed cells.

    The search starts anew, since from the network that completed the rows it would hardly move.
    Ctrl-C raises KeyboardInterrupt: averages need whole networks.
    """
    completed = rows.select_from(completed)
    found = _search_once(problem, completed, rule, em, started)
    n_iterations = min(em.max_em_iterations, MAX_ITERATIONS_AFTER_DRAWS)
    given = problem.settings
    with search_line("probabilities", given.deadline, shown=given.is_verbose):
        network = rows.learn_parameters(found, completed.codes, n_iterations)
    if rows.is_interrupted:
        raise KeyboardInterrupt
    return EmResult(found, rows.cpts(network), empty_history())


def _search_once(
    problem: SearchProblem,
    completed: WeightedRows,
    rule: Mapping[str, Any],
    em: StructuralEM,
    started: float,
) -> FoundStructure:
    search = _one_search(problem, em)
    with warnings.catch_warnings():  # the caller warns of the networks that are missing
        warnings.simplefilter("ignore", InterruptedWarning)
        found = search_table(
            search,
            family_scorer(completed, rule, search.settings),
            started,
            n_larger_sets=None if _has_time_alone(problem) else n_larger_sets(em),
            is_quiet=True,
        )
    if found.is_interrupted:
        raise KeyboardInterrupt
    return found


def _one_search(problem: SearchProblem, em: StructuralEM) -> SearchProblem:
    given, now = problem.settings, time.monotonic()
    fraction = 1.0 if given.search in ENDING_SEARCHES else SEARCH_TIME_FRACTION
    seconds = update_seconds(em, problem)
    end = math.inf if seconds is None else now + seconds
    searched = replace(
        given,
        deadline=min(now + fraction * (given.deadline - now), end),
        max_iterations=(None if _has_time_alone(problem) else n_search_iterations(em, problem)),
    )
    # An average of several networks gains nothing from a second try of each.
    return replace(
        problem,
        settings=searched,
        search_seconds=search_seconds(em, problem),
        tries_again=False,
    )


def _has_time_alone(problem: SearchProblem) -> bool:
    """Return True if a time limit is the only budget; the search uses it up."""
    given = problem.settings
    return math.isfinite(given.deadline) and given.max_iterations is None
