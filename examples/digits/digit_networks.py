"""Networks of the digits, learned from incomplete images; one exact query to one of them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

import baytree as bt
from hidden_digits import PIXELS, SHADES, HiddenDigits, shade_codes

MAX_TREEWIDTH = 6
OTHER_TREEWIDTHS = (1, 2, 4, 8)
N_NETWORKS = 8
TIMED_PIXELS = ("row1col2", "row2col5", "row4col4", "row5col3", "row6col4")
TARGET = "row5col3"
EVIDENCE = {"row3col3": "blank", "row3col4": "blank", "row4col3": "blank", "row4col4": "blank"}


@dataclass(frozen=True, eq=False)
class LearnedNetwork:
    """A network, the images that it completed, and how it was learned."""

    max_treewidth: int
    network: bt.BayesianNetwork
    em_history: pd.DataFrame
    codes: np.ndarray  # all pixels, the hidden ones imputed
    query_seconds: float  # all marginals, measured

    @property
    def seconds(self) -> float:
        """Time until the last iteration of structural EM."""
        return float(self.em_history["seconds"].iloc[-1])

    @property
    def scores(self) -> np.ndarray:
        """Penalised log-likelihood of the observed pixels after each iteration."""
        return self.em_history["penalised_log_likelihood"].to_numpy()


@dataclass(frozen=True, eq=False)
class Answer:
    """Distributions of pixels before and after some are observed."""

    before: pd.Series  # of the target
    after: pd.Series
    image_before: np.ndarray  # mean ink of every pixel, 0 to 1
    image_after: np.ndarray
    evidence_probability: float
    seconds: float  # for the posterior of the target


def fit_tuned(digits: HiddenDigits, **options) -> bt.BayesianNetworkImputer:
    """Return an imputer with one network, its settings chosen on held-out observed pixels."""
    return _fitted(digits, MAX_TREEWIDTH, regressions=False, tune=True, **options)


def fit_averaging(digits: HiddenDigits, chosen: dict, **options) -> bt.BayesianNetworkImputer:
    """Return an imputer with several networks of a criterion and prior, and regressions."""
    return _fitted(digits, MAX_TREEWIDTH, n_networks=N_NETWORKS, **_of_learner(chosen), **options)


def _of_learner(chosen: dict) -> dict:
    return {f"learner__{name}": value for name, value in chosen.items()}


def networks_by_treewidth(
    digits: HiddenDigits, tuned: bt.BayesianNetworkImputer, **options
) -> list[LearnedNetwork]:
    """Return networks of several bounds, learned alike; `tuned` holds the one of its bound."""
    options |= _of_learner(tuned.chosen_)
    options["regressions"] = False
    imputers = [tuned, *(_fitted(digits, width, **options) for width in OTHER_TREEWIDTHS)]
    learned = [_learned(digits, imputer) for imputer in imputers]
    return sorted(learned, key=lambda each: each.max_treewidth)


def at_treewidth(networks: Sequence[LearnedNetwork], width: int) -> LearnedNetwork:
    """Return the network of a bound."""
    return next(each for each in networks if each.max_treewidth == width)


def impute_with_certainty(
    digits: HiddenDigits, imputer: bt.BayesianNetworkImputer
) -> tuple[np.ndarray, np.ndarray]:
    """Return the completed images, and the posterior of each imputed shade (1 if observed)."""
    cells = imputer.cell_probabilities(digits.table)
    highest = cells.groupby(["row", "variable"], sort=False)["probability"].max()
    certainty = np.ones(digits.table.shape)
    certainty[digits.is_hidden] = highest.to_numpy()  # both by row, then by variable
    return shade_codes(imputer.transform(digits.table)), certainty


def query(network: bt.BayesianNetwork) -> Answer:
    """Return the answer to the query of the demo."""
    before, after = network.marginals(), network.marginals(EVIDENCE)
    started = time.perf_counter()
    posterior = network.posterior(TARGET, EVIDENCE)
    seconds = time.perf_counter() - started
    return Answer(
        _by_shade(before[TARGET]),
        _by_shade(posterior),
        _mean_ink(before),
        _mean_ink(after),
        network.probability(EVIDENCE),
        seconds,
    )


def _fitted(digits: HiddenDigits, width: int, **options) -> bt.BayesianNetworkImputer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bt.exceptions.InterruptedWarning)  # raised below instead
        imputer = bt.BayesianNetworkImputer(width).set_params(learner__search="anneal", **options)
        imputer.fit(digits.table)
    if imputer.is_interrupted_:
        raise KeyboardInterrupt
    return imputer


def _learned(digits: HiddenDigits, imputer: bt.BayesianNetworkImputer) -> LearnedNetwork:
    return LearnedNetwork(
        imputer.max_treewidth,
        imputer.network_,
        imputer.em_history_,
        shade_codes(imputer.transform(digits.table)),
        _query_seconds(imputer.network_),
    )


def _query_seconds(network: bt.BayesianNetwork) -> float:
    """Return the median time of all marginals given a pixel, once the network is prepared."""
    network.marginals()
    seconds = []
    for pixel in TIMED_PIXELS:
        started = time.perf_counter()
        network.marginals({pixel: network.states(pixel)[0]})
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds))


def _by_shade(posterior: pd.Series) -> pd.Series:
    """Return probabilities from blank to black; 0 for shades that a pixel never has."""
    return posterior.reindex(SHADES, fill_value=0.0)


def _mean_ink(marginals) -> np.ndarray:
    """Return the expected ink of every pixel, 0 for blank to 1 for black."""
    ink = np.linspace(0, 1, len(SHADES))
    return np.array([_by_shade(marginals[name]).to_numpy() @ ink for name in PIXELS])
