"""Networks of the digits, learned from images with holes by structural EM."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree.digits_demo.accuracy import Accuracy, restored
from baytree.digits_demo.digits import Codes, HoledDigits, shade_codes
from baytree.exceptions import InterruptedWarning
from baytree.imputation.imputer import BayesianNetworkImputer
from baytree.networks.network import BayesianNetwork
from baytree.networks.query_results import InferenceCost

MAX_TREEWIDTH = 6
OTHER_TREEWIDTHS = (1, 2, 4, 8)
N_NETWORKS = 8
SEARCH: Literal["anneal"] = "anneal"
TIMED_PIXELS = ("row1col2", "row2col5", "row4col4", "row5col3", "row6col4")


@dataclass(frozen=True, eq=False)
class LearnedNetwork:
    """One network, how it was come by, and what it is good for."""

    max_treewidth: int
    network: BayesianNetwork
    em_history: pd.DataFrame
    accuracy: Accuracy
    cost: InferenceCost
    question_seconds: float  # all marginals, measured

    @property
    def seconds(self) -> float:
        """Until the last iteration of structural EM."""
        return float(self.em_history["seconds"].iloc[-1])

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """Penalised log-likelihood of what is in sight, after each iteration."""
        return self.em_history["penalised_log_likelihood"].to_numpy()


@dataclass(frozen=True, eq=False)
class FilledDigits:
    """All pixels, and how probable each hidden one holds what it was filled with."""

    codes: Codes
    certainty: npt.NDArray[np.float64]  # 1 where a pixel was in sight


def tuned_imputer(digits: HoledDigits, *, seed: int, n_jobs: int) -> BayesianNetworkImputer:
    """Return an imputer of one network whose settings were chosen on pixels in sight."""
    options = {"regressions": False, "tune": True, "n_jobs": n_jobs, "random_state": seed}
    return _fitted(digits, MAX_TREEWIDTH, **options)


def averaging_imputer(
    digits: HoledDigits, settings: dict[str, Any], *, seed: int, n_jobs: int
) -> BayesianNetworkImputer:
    """Return an imputer of several networks, and regressions."""
    options = settings | {"n_networks": N_NETWORKS, "n_jobs": n_jobs, "random_state": seed}
    return _fitted(digits, MAX_TREEWIDTH, **options)


def networks_by_treewidth(
    digits: HoledDigits, tuned: BayesianNetworkImputer, *, seed: int, n_jobs: int
) -> list[LearnedNetwork]:
    """Return networks of several bounds, learned alike; `tuned` is the one of its bound."""
    options = tuned.chosen_ | {"regressions": False, "n_jobs": n_jobs, "random_state": seed}
    imputers = [tuned, *(_fitted(digits, width, **options) for width in OTHER_TREEWIDTHS)]
    learned = [_learned(digits, imputer) for imputer in imputers]
    return sorted(learned, key=lambda each: each.max_treewidth)


def at_treewidth(networks: Sequence[LearnedNetwork], width: int) -> LearnedNetwork:
    """Return the network of a bound."""
    return next(each for each in networks if each.max_treewidth == width)


def filled_digits(digits: HoledDigits, imputer: BayesianNetworkImputer) -> FilledDigits:
    """Return the images whole."""
    cells = imputer.cell_probabilities(digits.holes)
    highest = cells.groupby(["row", "variable"], sort=False)["probability"].max()
    certainty = np.ones(digits.holes.shape)
    certainty[digits.is_hidden] = highest.to_numpy()  # both by row, then by variable
    return FilledDigits(shade_codes(imputer.transform(digits.holes)), certainty)


def _fitted(digits: HoledDigits, width: int, **options: Any) -> BayesianNetworkImputer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedWarning)  # nothing is returned then, see below
        imputer = BayesianNetworkImputer(width, search=SEARCH, **options).fit(digits.holes)
    if imputer.interrupted_:
        raise KeyboardInterrupt
    return imputer


def _learned(digits: HoledDigits, imputer: BayesianNetworkImputer) -> LearnedNetwork:
    network = imputer.network_
    return LearnedNetwork(
        imputer.max_treewidth,
        network,
        imputer.em_history_,
        restored(shade_codes(imputer.transform(digits.holes)), digits),
        network.inference_cost(),
        _question_seconds(network),
    )


def _question_seconds(network: BayesianNetwork) -> float:
    """Return the median time of all marginals given a pixel, once the network is prepared."""
    network.marginals()
    seconds = []
    for pixel in TIMED_PIXELS:
        started = time.perf_counter()
        network.marginals({pixel: network.states(pixel)[0]})
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds))
