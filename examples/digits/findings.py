"""Everything the demo measures, in the order of the work."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from digit_networks import (
    MAX_TREEWIDTH,
    N_NETWORKS,
    Answer,
    LearnedNetwork,
    at_treewidth,
    fit_averaging,
    fit_tuned,
    impute_with_certainty,
    networks_by_treewidth,
    query,
)
from hidden_digits import N_IMAGES, HiddenDigits, hide_pixels, shade_codes
from rivals import best_n_neighbours, impute_by_mode, impute_by_neighbours

CERTAINTY_EDGES = (0.0, 0.5, 0.7, 0.9, 1.0)
SURE = 0.9


@dataclass(frozen=True)
class Accuracy:
    """Fractions of hidden pixels that got their true shade."""

    overall: float
    scattered: float
    quarters: float


@dataclass(frozen=True)
class CertaintyBand:
    """Hidden pixels imputed with about the same certainty."""

    low: float
    high: float
    n_pixels: int
    mean_certainty: float
    accuracy: float


@dataclass(frozen=True, eq=False)
class Findings:
    """Contents of the page, the pictures and the lines on the terminal."""

    digits: HiddenDigits
    random_state: int
    codes: np.ndarray  # all pixels, the hidden ones imputed by averaging
    certainty: np.ndarray  # 1 where a pixel was observed
    accuracies: dict[str, Accuracy]  # by method, the averaged networks last
    settings: dict[str, Any]
    networks: list[LearnedNetwork]
    answer: Answer
    seconds: dict[str, float]  # by stage

    @property
    def main_network(self) -> LearnedNetwork:
        """The network that is drawn and queried."""
        return at_treewidth(self.networks, MAX_TREEWIDTH)

    @property
    def best_accuracy(self) -> Accuracy:
        """Accuracy of the averaged networks with regressions, whose images are shown."""
        return list(self.accuracies.values())[-1]

    @property
    def sure_fraction(self) -> float:
        """Fraction of the hidden pixels that were imputed with high certainty."""
        return float(self._is_sure.mean())

    @property
    def sure_accuracy(self) -> float:
        """Fraction of those that are right; NaN if there are none."""
        is_right = (self.codes == shade_codes(self.digits.truth))[self.digits.is_hidden]
        return float(is_right[self._is_sure].mean()) if self._is_sure.any() else float("nan")

    @property
    def _is_sure(self) -> np.ndarray:
        return self.certainty[self.digits.is_hidden] >= SURE


@dataclass
class _Stages:
    """Announces each stage, and keeps its duration."""

    announce: Callable[[str], None]
    seconds: dict[str, float] = field(default_factory=dict)

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.announce(name)
        started = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - started


def find_all(
    n_images: int = N_IMAGES,
    *,
    random_state: int = 0,
    n_jobs: int = -1,
    announce: Callable[[str], None] = lambda stage: None,
) -> Findings:
    """Hide pixels, learn, impute, measure and query; all but the seconds repeats with a seed."""
    work = _Stages(announce)
    digits = hide_pixels(n_images, random_state=random_state)
    options = {"random_state": random_state, "n_jobs": n_jobs}
    with work.stage("nearest neighbours"):
        accuracies = _rival_accuracies(digits, random_state)
    with work.stage("choosing criterion and prior"):
        tuned = fit_tuned(digits, **options)
    with work.stage(f"learning {N_NETWORKS} networks"):
        imputer = fit_averaging(digits, tuned.chosen_, **options)
    with work.stage("imputing the hidden pixels"):
        codes, certainty = impute_with_certainty(digits, imputer)
    with work.stage("learning other treewidths"):
        networks = networks_by_treewidth(digits, tuned, **options)
    main = at_treewidth(networks, MAX_TREEWIDTH)
    with work.stage("query"):
        answer = query(main.network)
    accuracies["baytree, 1 network"] = accuracy(main.codes, digits)
    accuracies[f"baytree, {N_NETWORKS} averaged"] = accuracy(codes, digits)
    return Findings(
        digits,
        random_state,
        codes,
        certainty,
        accuracies,
        tuned.chosen_,
        networks,
        answer,
        work.seconds,
    )


def accuracy(codes: np.ndarray, digits: HiddenDigits) -> Accuracy:
    """Return the accuracy over all kinds of hidden pixels."""
    is_right = codes == shade_codes(digits.truth)
    masks = (digits.is_hidden, digits.is_scattered, digits.is_in_quarter)
    return Accuracy(*(float(is_right[mask].mean()) for mask in masks))


def certainty_bands(
    codes: np.ndarray, certainty: np.ndarray, digits: HiddenDigits
) -> list[CertaintyBand]:
    """Return the hidden pixels by certainty; bands without a pixel are left out."""
    is_right = (codes == shade_codes(digits.truth))[digits.is_hidden]
    certain = certainty[digits.is_hidden]
    band_of = np.digitize(certain, CERTAINTY_EDGES[1:-1])
    bands = []
    for band, (low, high) in enumerate(itertools.pairwise(CERTAINTY_EDGES)):
        at = band_of == band
        if at.any():
            means = float(certain[at].mean()), float(is_right[at].mean())
            bands.append(CertaintyBand(low, high, int(at.sum()), *means))
    return bands


def _rival_accuracies(digits: HiddenDigits, random_state: int) -> dict[str, Accuracy]:
    k = best_n_neighbours(digits, random_state=random_state)
    return {
        "mode": accuracy(impute_by_mode(digits), digits),
        f"KNN, k = {k}": accuracy(impute_by_neighbours(digits, k), digits),
    }
