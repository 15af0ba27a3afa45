"""One exact question to the network, and what it costs."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree.digits_demo.digits import PIXELS, SHADES
from baytree.networks.network import BayesianNetwork
from baytree.networks.query_results import Marginals

TARGET = "row5col3"
EVIDENCE = {"row3col3": "blank", "row3col4": "blank", "row4col3": "blank", "row4col4": "blank"}


@dataclass(frozen=True, eq=False)
class Answer:
    """What the pixels are likely to be, before and after some are seen."""

    target: str
    evidence: dict[str, str]
    before: pd.Series[float]
    after: pd.Series[float]
    image_before: npt.NDArray[np.float64]  # mean ink of every pixel, 0 to 1
    image_after: npt.NDArray[np.float64]
    evidence_probability: float
    seconds: float  # for the posterior of the target


def asked(network: BayesianNetwork) -> Answer:
    """Return the answer to the question of the demo."""
    before, after = network.marginals(), network.marginals(EVIDENCE)
    started = time.perf_counter()
    posterior = network.posterior(TARGET, EVIDENCE)
    seconds = time.perf_counter() - started
    return Answer(
        TARGET,
        dict(EVIDENCE),
        by_shade(before[TARGET]),
        by_shade(posterior),
        mean_ink(before),
        mean_ink(after),
        network.probability(EVIDENCE),
        seconds,
    )


def by_shade(posterior: pd.Series[float]) -> pd.Series[float]:
    """Return probabilities from blank to black; 0 for shades that a pixel never has."""
    return posterior.reindex(SHADES, fill_value=0.0)


def mean_ink(marginals: Marginals) -> npt.NDArray[np.float64]:
    """Return the expected ink of every pixel, 0 for blank to 1 for black."""
    ink = np.linspace(0, 1, len(SHADES))
    return np.array([by_shade(marginals[name]).to_numpy() @ ink for name in PIXELS])
