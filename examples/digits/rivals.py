"""Simple imputations to compare with: the most frequent shade and nearest neighbours."""

from __future__ import annotations

import numpy as np
from sklearn.impute import KNNImputer, SimpleImputer

import baytree as bt
from hidden_digits import HiddenDigits, shade_codes

NEIGHBOURS = (3, 5, 7, 10, 15)
HELD_OUT_FRACTION = 0.05  # of the observed pixels, as in BayesianNetworkImputer(tune=True)


def impute_by_mode(digits: HiddenDigits) -> np.ndarray:
    """Return the images with the most frequent shade of a pixel wherever it is hidden."""
    return _imputed(SimpleImputer(strategy="most_frequent"), _numbers(digits))


def impute_by_neighbours(digits: HiddenDigits, n_neighbours: int) -> np.ndarray:
    """Return the images with the mean of the most similar images, rounded to a shade."""
    return _imputed(_knn(n_neighbours), _numbers(digits))


def best_n_neighbours(digits: HiddenDigits, *, random_state: int) -> int:
    """Return the number of neighbours that restores most of some held-out observed pixels."""
    numbers = _numbers(digits)
    training = bt.ampute(numbers, HELD_OUT_FRACTION, random_state=random_state + 1)
    is_held_out = np.isnan(training) & ~np.isnan(numbers)

    def n_right(n_neighbours: int) -> int:
        return int((_imputed(_knn(n_neighbours), training) == numbers)[is_held_out].sum())

    return max(NEIGHBOURS, key=n_right)


def _knn(n_neighbours: int) -> KNNImputer:
    return KNNImputer(n_neighbors=n_neighbours, weights="distance")  # the better variant here


def _numbers(digits: HiddenDigits) -> np.ndarray:
    codes = shade_codes(digits.table)
    return np.where(codes >= 0, codes, np.nan)


def _imputed(imputer: KNNImputer | SimpleImputer, numbers: np.ndarray) -> np.ndarray:
    return np.rint(imputer.fit_transform(numbers)).astype(np.int64)
