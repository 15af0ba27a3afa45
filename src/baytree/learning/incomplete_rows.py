"""What EM asks about rows with gaps: probabilities, completions, likelihoods."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from baytree import _core
from baytree.learning.estimation import TOLERANCE, cpts_of
from baytree.learning.searches import FoundStructure
from baytree.networks.cpts import Cpt
from baytree.networks.row_calls import call_rows
from baytree.networks.rows import CORE_COMPLETIONS, CompletionName
from baytree.runtime.limits import run_control
from baytree.tables.columns import Mask
from baytree.tables.encoding import StateCodes
from baytree.tables.weighted_rows import WeightedRows

Answer = TypeVar("Answer")


class EmStoppedError(Exception):
    """Ctrl-C or the time limit ended a step of EM, which has no result."""


class IncompleteRows:
    """Rows with gaps, the prior of probabilities, and how long their questions may take.

    Rows in which nothing is observed say nothing, and are left out.
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
        """The rows as they are."""
        return self._rows

    @property
    def total_weight(self) -> float:
        """How many rows count."""
        weights = self._rows.weights
        return float(len(self._rows.codes) if weights is None else weights.sum())

    def completed_rows(
        self, network: _core.EstimatedNetwork, found: FoundStructure
    ) -> WeightedRows:
        """Return the rows with their gaps filled by a network."""
        codes = self._call(
            _core.complete_rows,
            self._row_network(network, found),
            self._rows.codes,
            completion=self._completion,
        )
        self.check()
        return replace(self._rows, codes=codes, n_missing=[0] * len(self._rows.variables))

    def log_likelihood(self, network: _core.EstimatedNetwork, found: FoundStructure) -> float:
        """Return the exact log-likelihood of what is observed."""
        if network.log_likelihood is not None:
            return network.log_likelihood
        likelihoods = self._call(
            _core.log_likelihoods, self._row_network(network, found), self._rows.codes
        )
        self.check()
        weights = self._rows.weights
        return float(likelihoods.sum() if weights is None else np.dot(weights, likelihoods))

    def counted(
        self, found: FoundStructure, codes: StateCodes, *, least_prior: float = 0.0
    ) -> _core.EstimatedNetwork:
        """Return the probabilities by the counts of rows, or of families without gaps.

        This takes no heed of the time limit, as without it there would be no network at all.
        """
        prior = max(self._prior, least_prior)
        return self._estimate(
            found, codes, prior, deadline=math.inf, max_iterations=0, initial=None
        )

    def estimated(
        self,
        found: FoundStructure,
        initial: _core.EstimatedNetwork,
        n_steps: int,
        *,
        evaluates_last: bool = False,
    ) -> _core.EstimatedNetwork:
        """Return the probabilities after steps of EM; fewer steps if it is stopped.

        If it evaluates the last, `log_likelihood` has the answer already.
        """
        return self._estimate(
            found,
            self._rows.codes,
            self._prior,
            deadline=self._deadline,
            max_iterations=n_steps,
            initial=initial.network,
            evaluates_last=evaluates_last,
        )

    def estimated_from_filled(
        self,
        found: FoundStructure,
        filled: StateCodes,
        n_steps: int,
        *,
        evaluates_last: bool = False,
    ) -> _core.EstimatedNetwork:
        """Return the probabilities by the counts of filled rows, or after steps of EM from there.

        EM never leaves a probability of zero, so the first guess must not rule anything out.
        """
        if n_steps == 0:
            return self.counted(found, filled)
        first = self.counted(found, filled, least_prior=1.0)
        if self.is_interrupted:
            return first
        return self.estimated(found, first, n_steps, evaluates_last=evaluates_last)

    def those_with_observed_cells(self, filled: WeightedRows) -> WeightedRows:
        """Return, of all rows filled, those that are not left out here."""
        if self._has_observed.all():
            return filled
        codes = np.asfortranarray(filled.codes[self._has_observed])
        return replace(filled, codes=codes, weights=self._rows.weights)

    def cpts(self, network: _core.EstimatedNetwork) -> list[Cpt]:
        """Return the tables of a network, one row for each state of the parents."""
        return cpts_of(network, self._rows.arities.tolist())

    def check(self) -> None:
        """Raise EmStoppedError if the last answer may not be whole."""
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
    """Return some rows; the others have nothing observed."""
    if is_kept.all():
        return rows
    codes = np.asfortranarray(rows.codes[is_kept])
    weights = None if rows.weights is None else rows.weights[is_kept]
    n_missing = [n - int((~is_kept).sum()) for n in rows.n_missing]
    return replace(rows, codes=codes, weights=weights, n_missing=n_missing)
