"""Engines of inference: exact elimination, and iterative join-graph propagation (IJGP).

Both take positions of variables and codes of states. Arrays are empty if evidence is impossible.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.exceptions import ConvergenceWarning, InferenceTooLargeError
from baytree.messages.arguments import integer_at_least
from baytree.messages.user_warnings import warn_user
from baytree.networks.evidence import EncodedEvidence
from baytree.networks.query_results import Convergence, InferenceCost, bytes_in_words
from baytree.runtime.long_calls import long_call
from baytree.runtime.settings import Settings

_Answer = TypeVar("_Answer")
_Floats = npt.NDArray[np.float64]

# The first marginals of a network on a current processor, labels included: figure 7 of
# benchmarks/inference.py, on networks of 8 to 1,000 variables.
_SECONDS_PER_QUERY = 5e-4
_SECONDS_PER_CLIQUE = 3e-5
_SECONDS_PER_ENTRY = 2e-8

# Largest change of a message in the last sweep. Errors of the method itself are far larger.
_TOLERANCE = 1e-6

_MAX_NUMBER = 2**31  # of variables or sweeps; more makes no difference


@dataclass
class IJGP(Settings):
    """Settings of iterative join-graph propagation, an engine of approximate inference.

    It is for networks whose exact inference is too large [ijgp].

    Parameters
    ----------
    i_bound : int, default=6
        A cluster has at most one variable more than this, unless a variable and its parents are
        more. Time and memory are exponential in it, and errors fall as it grows; the result is
        exact when it reaches the treewidth.
    max_sweeps : int, default=100
        Maximum number of sweeps, in each of which all messages are sent.

    See Also
    --------
    BayesianNetwork.marginals : Takes it as `engine`.

    Examples
    --------
    >>> import baytree as bt
    >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
    >>> network.marginals(engine=bt.IJGP(i_bound=8)).convergence.is_exact
    True
    """

    i_bound: int = 6
    max_sweeps: int = 100


Engine: TypeAlias = Literal["exact"] | IJGP


class InferenceEngine(Protocol):
    """Queries that every engine answers."""

    @property
    def convergence(self) -> Convergence | None:
        """Convergence of the last query; None for an exact engine."""

    def posterior(self, targets: list[int], evidence: EncodedEvidence) -> _Floats:
        """Return the joint distribution of targets, the last one's state changing fastest."""

    def marginals(self, evidence: EncodedEvidence) -> _Floats:
        """Return the distributions of all variables, one after the other."""

    def probability(self, evidence: EncodedEvidence) -> tuple[float, float]:
        """Return the probability of evidence and its logarithm."""


class ExactEngine:
    """Exact inference within a memory limit."""

    convergence: Convergence | None = None

    def __init__(self, core: _core.ExactInference, max_bytes: float) -> None:
        self._core = core
        self._max_bytes = max_bytes

    def posterior(self, targets: list[int], evidence: EncodedEvidence) -> _Floats:
        """Return the joint distribution of targets."""
        return self._run(self._core.posterior, evidence, targets)

    def marginals(self, evidence: EncodedEvidence) -> _Floats:
        """Return the distributions of all variables."""
        return self._run(self._core.marginals, evidence)

    def probability(self, evidence: EncodedEvidence) -> tuple[float, float]:
        """Return the probability of evidence and its logarithm."""
        return self._run(self._core.probability, evidence)

    def most_probable(self, evidence: EncodedEvidence) -> tuple[list[int], float]:
        """Return the codes of the most probable joint states and their log probability."""
        return self._run(self._core.most_probable, evidence, has_approximation=False)

    def cost(self, evidence: EncodedEvidence) -> InferenceCost:
        """Return the cost of marginals."""
        control = _core.RunControl()
        with long_call(control):
            cost = self._core.cost(evidence.states, evidence.likelihoods, control=control)
        return _labelled_cost(cost)

    def _run(
        self,
        query: Callable[..., _Answer],
        evidence: EncodedEvidence,
        *targets: list[int],
        has_approximation: bool = True,
    ) -> _Answer:
        control = _core.RunControl()
        try:
            with long_call(control):
                return query(
                    *targets,
                    evidence.states,
                    evidence.likelihoods,
                    max_bytes=self._max_bytes,
                    control=control,
                )
        except _core.InferenceTooLarge as error:
            cost = _labelled_cost(error.args[0])
            other = ", or use the approximate engine IJGP" * has_approximation
            raise InferenceTooLargeError(
                f"The query needs more than the {bytes_in_words(self._max_bytes)} that it may use "
                f"({cost}). Observe more variables, raise max_memory, learn a network of "
                f"smaller treewidth{other}."
            ) from None


class JoinGraphEngine:
    """Iterative join-graph propagation, with a warning if it did not converge."""

    def __init__(self, core: _core.JoinGraphInference, max_bytes: float, settings: IJGP) -> None:
        i_bound = integer_at_least("i_bound", settings.i_bound, 1)
        max_sweeps = integer_at_least("max_sweeps", settings.max_sweeps, 1)
        self._core = core
        self._max_bytes = max_bytes
        self._options = _core.JoinGraphOptions(
            i_bound=min(i_bound, _MAX_NUMBER),
            max_sweeps=min(max_sweeps, _MAX_NUMBER),
            tolerance=_TOLERANCE,
            max_bytes=max_bytes,
        )
        self.convergence: Convergence | None = None

    def posterior(self, targets: list[int], evidence: EncodedEvidence) -> _Floats:
        """Return the distribution of one target."""
        if len(targets) > 1:
            raise ValueError(
                f"The engine IJGP gives the distribution of one target; got {len(targets)}. "
                "Query each on its own, or use the exact engine."
            )
        return self._run(self._core.posterior, evidence, targets[0]).probabilities

    def marginals(self, evidence: EncodedEvidence) -> _Floats:
        """Return the distributions of all variables."""
        return self._run(self._core.marginals, evidence).probabilities

    def probability(self, evidence: EncodedEvidence) -> tuple[float, float]:
        """Return the probability of evidence and its logarithm."""
        log_probability = self._run(self._core.probability, evidence).log_probability
        # An estimate may exceed 1, which no probability does; likelihoods may.
        if not evidence.likelihoods:
            log_probability = min(log_probability, 0.0)
        return _exponential(log_probability), log_probability

    def _run(
        self, query: Callable[..., _core.JoinGraphAnswer], evidence: EncodedEvidence, *target: int
    ) -> _core.JoinGraphAnswer:
        control = _core.RunControl()
        try:
            with long_call(control):
                answer = query(
                    *target,
                    evidence.states,
                    evidence.likelihoods,
                    options=self._options,
                    control=control,
                )
        except _core.InferenceTooLarge as error:
            cost = error.args[0]
            raise InferenceTooLargeError(
                f"The query needs {bytes_in_words(cost.bytes)}, more than the "
                f"{bytes_in_words(self._max_bytes)} that it may use (largest cluster: "
                f"{cost.clique_variables} variables with {cost.clique_entries:,.0f} joint states). "
                "Lower i_bound, observe more variables, or raise max_memory."
            ) from None
        self.convergence = Convergence(
            answer.is_converged, answer.n_sweeps, answer.largest_change, answer.is_exact
        )
        if not answer.is_converged:
            warn_user(
                f"Propagation did not converge: messages still changed by "
                f"{answer.largest_change:.2g} in sweep {answer.n_sweeps}, so the result may be "
                "far off. Raise i_bound or max_sweeps.",
                ConvergenceWarning,
            )
        return answer


def _labelled_cost(cost: _core.InferenceCost) -> InferenceCost:
    seconds = _SECONDS_PER_CLIQUE * cost.n_cliques + _SECONDS_PER_ENTRY * cost.filled_entries
    return InferenceCost(
        clique_variables=cost.clique_variables,
        clique_states=_whole(cost.clique_entries),
        table_entries=_whole(cost.total_entries),
        n_bytes=_whole(cost.bytes),
        seconds=_SECONDS_PER_QUERY + seconds,
    )


def _whole(number: float) -> float:
    return int(number) if math.isfinite(number) else number


def _exponential(number: float) -> float:
    try:
        return math.exp(number)
    except OverflowError:
        return math.inf
