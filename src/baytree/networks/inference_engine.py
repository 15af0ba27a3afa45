"""What queries ask of any engine: positions and codes in, numbers out."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from baytree.networks.evidence import EncodedEvidence
from baytree.networks.query_results import Convergence


class InferenceEngine(Protocol):
    """What queries ask of an engine; arrays are empty where the evidence is impossible."""

    @property
    def convergence(self) -> Convergence | None:
        """Return how the last query came to rest; None if it is exact by nature."""

    def posterior(self, targets: list[int], evidence: EncodedEvidence) -> npt.NDArray[np.float64]:
        """Return the joint distribution of targets, the last one's state changing fastest."""

    def marginals(self, evidence: EncodedEvidence) -> npt.NDArray[np.float64]:
        """Return the distributions of all variables, one after the other."""

    def probability(self, evidence: EncodedEvidence) -> tuple[float, float]:
        """Return the probability of evidence and its logarithm."""
