"""How many hidden pixels came back, and whether certainty means what it says."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from baytree.digits_demo.digits import Codes, HoledDigits, shade_codes

CERTAINTY_EDGES = (0.0, 0.5, 0.7, 0.9, 1.0)
SURE = 0.9


@dataclass(frozen=True)
class Accuracy:
    """Shares of hidden pixels that got their true shade."""

    overall: float
    scattered: float
    quarters: float


@dataclass(frozen=True)
class CertaintyBand:
    """Hidden pixels that were filled with about the same certainty."""

    low: float
    high: float
    n_pixels: int
    mean_certainty: float
    accuracy: float


def restored(filled: Codes, digits: HoledDigits) -> Accuracy:
    """Return how well all pixels were filled."""
    is_right = filled == shade_codes(digits.truth)
    return Accuracy(
        float(is_right[digits.is_hidden].mean()),
        float(is_right[digits.is_scattered].mean()),
        float(is_right[digits.is_in_quarter].mean()),
    )


def certainty_bands(
    filled: Codes, certainty: npt.NDArray[np.float64], digits: HoledDigits
) -> list[CertaintyBand]:
    """Return the hidden pixels by certainty; bands without a pixel are left out."""
    is_right = (filled == shade_codes(digits.truth))[digits.is_hidden]
    certain = certainty[digits.is_hidden]
    band_of = np.digitize(certain, CERTAINTY_EDGES[1:-1])
    bands = []
    for band, (low, high) in enumerate(itertools.pairwise(CERTAINTY_EDGES)):
        at = band_of == band
        if at.any():
            means = float(certain[at].mean()), float(is_right[at].mean())
            bands.append(CertaintyBand(low, high, int(at.sum()), *means))
    return bands
