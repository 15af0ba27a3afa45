"""The engine of exact answers, within a bound on memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.exceptions import InferenceTooLargeError
from baytree.networks.evidence import EncodedEvidence
from baytree.networks.query_results import Convergence, InferenceCost, bytes_in_words
from baytree.runtime.long_calls import long_call

_Answer = TypeVar("_Answer")

# Of the first marginals of a network on a processor of today, labels included; measured by figure 7
# of benchmarks/inference.py on networks of 8 to 1,000 variables. The core knows which tree a query
# takes, and so how many entries are filled.
_SECONDS_A_QUERY = 5e-4
_SECONDS_A_CLIQUE = 3e-5
_SECONDS_AN_ENTRY = 2e-8


class ExactEngine:
    """Exact answers within a bound on memory."""

    convergence: Convergence | None = None

    def __init__(self, core: _core.ExactInference, max_bytes: float) -> None:
        self._core = core
        self._max_bytes = max_bytes

    def posterior(self, targets: list[int], evidence: EncodedEvidence) -> npt.NDArray[np.float64]:
        """Return the joint distribution of targets."""
        return self._ask(self._core.posterior, evidence, targets)

    def marginals(self, evidence: EncodedEvidence) -> npt.NDArray[np.float64]:
        """Return the distributions of all variables."""
        return self._ask(self._core.marginals, evidence)

    def probability(self, evidence: EncodedEvidence) -> tuple[float, float]:
        """Return the probability of evidence and its logarithm."""
        return self._ask(self._core.probability, evidence)

    def most_probable(self, evidence: EncodedEvidence) -> tuple[list[int], float]:
        """Return the codes of the best joint states and the logarithm of their probability."""
        return self._ask(self._core.most_probable, evidence, has_approximation=False)

    def cost(self, evidence: EncodedEvidence) -> InferenceCost:
        """Return what marginals take."""
        control = _core.RunControl()
        with long_call(control):
            cost = self._core.cost(evidence.states, evidence.likelihoods, control=control)
        return _in_python(cost)

    def _ask(
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
            cost = _in_python(error.args[0])
            other = ', or ask for an approximation with engine="ijgp"' * has_approximation
            raise InferenceTooLargeError(
                f"The query needs more than the {bytes_in_words(self._max_bytes)} that it may use "
                f"({cost}). Observe more variables, raise max_memory, learn a network of "
                f"smaller treewidth{other}."
            ) from None


def _in_python(cost: _core.InferenceCost) -> InferenceCost:
    return InferenceCost(
        clique_variables=cost.clique_variables,
        clique_states=_whole(cost.clique_entries),
        table_entries=_whole(cost.total_entries),
        n_bytes=_whole(cost.bytes),
        seconds=_estimated_seconds(cost),
    )


def _estimated_seconds(cost: _core.InferenceCost) -> float:
    work = _SECONDS_A_CLIQUE * cost.n_cliques + _SECONDS_AN_ENTRY * cost.filled_entries
    return _SECONDS_A_QUERY + work


def _whole(number: float) -> float:
    return int(number) if math.isfinite(number) else number
