"""The engine of approximate answers: iterative join-graph propagation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.exceptions import ConvergenceWarning, InferenceTooLargeError
from baytree.messages.arguments import integer_at_least
from baytree.messages.user_warnings import warn_user
from baytree.networks.evidence import EncodedEvidence
from baytree.networks.query_results import Convergence, bytes_in_words
from baytree.runtime.long_calls import long_call

# Of the largest change of a message in a sweep. Errors of the method itself are far above it.
_TOLERANCE = 1e-6

_LARGEST_NUMBER = 2**31  # of variables or sweeps; more makes no difference


class ApproximateEngine:
    """Answers of iterative join-graph propagation, with a warning where it did not come to rest."""

    def __init__(
        self,
        core: _core.JoinGraphInference,
        max_bytes: float,
        *,
        i_bound: int,
        max_sweeps: int,
    ) -> None:
        self._core = core
        self._max_bytes = max_bytes
        self._options = _core.JoinGraphOptions(
            i_bound=min(integer_at_least("i_bound", i_bound, 1), _LARGEST_NUMBER),
            max_sweeps=min(integer_at_least("max_sweeps", max_sweeps, 1), _LARGEST_NUMBER),
            tolerance=_TOLERANCE,
            max_bytes=max_bytes,
        )
        self._convergence: Convergence | None = None

    @property
    def convergence(self) -> Convergence | None:
        """Return how the last query came to rest."""
        return self._convergence

    def posterior(self, targets: list[int], evidence: EncodedEvidence) -> npt.NDArray[np.float64]:
        """Return the distribution of one target."""
        if len(targets) > 1:
            raise ValueError(
                f'engine="ijgp" gives the distribution of one target; got {len(targets)}. '
                'Ask for each on its own, or with engine="exact".'
            )
        with self._query() as control:
            answer = self._core.posterior(
                targets[0],
                evidence.states,
                evidence.likelihoods,
                options=self._options,
                control=control,
            )
        return self._reported(answer).probabilities

    def marginals(self, evidence: EncodedEvidence) -> npt.NDArray[np.float64]:
        """Return the distributions of all variables."""
        with self._query() as control:
            answer = self._core.marginals(
                evidence.states, evidence.likelihoods, options=self._options, control=control
            )
        return self._reported(answer).probabilities

    def probability(self, evidence: EncodedEvidence) -> tuple[float, float]:
        """Return the probability of evidence and its logarithm."""
        with self._query() as control:
            answer = self._core.probability(
                evidence.states, evidence.likelihoods, options=self._options, control=control
            )
        log_probability = self._reported(answer).log_probability
        # An estimate may pass 1, which no probability does; likelihoods may.
        if not evidence.likelihoods:
            log_probability = min(log_probability, 0.0)
        return _exponential(log_probability), log_probability

    @contextmanager
    def _query(self) -> Iterator[_core.RunControl]:
        control = _core.RunControl()
        try:
            with long_call(control):
                yield control
        except _core.InferenceTooLarge as error:
            cost = error.args[0]
            raise InferenceTooLargeError(
                f"The query needs {bytes_in_words(cost.bytes)}, more than the "
                f"{bytes_in_words(self._max_bytes)} that it may use (largest cluster: "
                f"{cost.clique_variables} variables with {cost.clique_entries:,.0f} joint states). "
                "Lower i_bound, observe more variables, or raise max_memory."
            ) from None

    def _reported(self, answer: _core.JoinGraphAnswer) -> _core.JoinGraphAnswer:
        self._convergence = Convergence(
            answer.is_converged, answer.n_sweeps, answer.largest_change, answer.is_exact
        )
        if not answer.is_converged:
            warn_user(
                f"Propagation did not come to rest: messages still changed by "
                f"{answer.largest_change:.2g} in sweep {answer.n_sweeps}, so the answer may be "
                "far off. Raise i_bound or max_sweeps.",
                ConvergenceWarning,
            )
        return answer


def _exponential(number: float) -> float:
    try:
        return math.exp(number)
    except OverflowError:
        return math.inf
