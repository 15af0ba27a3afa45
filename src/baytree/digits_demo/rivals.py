"""What the networks are measured against: most frequent shades and nearest neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.impute import KNNImputer, SimpleImputer

from baytree.digits_demo.digits import Codes, HoledDigits, shade_codes
from baytree.tables.amputation import ampute

NEIGHBOURS = (3, 5, 7, 10, 15)
CHECKED_SHARE = 0.05  # of the pixels in sight, as in BayesianNetworkImputer(tune=True)


def filled_by_mode(digits: HoledDigits) -> Codes:
    """Return every hidden pixel with the shade that this pixel has most often."""
    return _filled(SimpleImputer(strategy="most_frequent"), _numbers(digits))


def filled_by_neighbours(digits: HoledDigits, n_neighbours: int) -> Codes:
    """Return every hidden pixel with the mean of the most similar images, rounded to a shade."""
    return _filled(_knn(n_neighbours), _numbers(digits))


def best_n_neighbours(digits: HoledDigits, *, seed: int) -> int:
    """Return how many neighbours restore most of some pixels in sight, hidden for this check."""
    numbers = _numbers(digits)
    checked = ampute(numbers, CHECKED_SHARE, random_state=seed + 1)
    is_checked = np.isnan(checked) & ~np.isnan(numbers)

    def n_right(n_neighbours: int) -> int:
        filled = _filled(_knn(n_neighbours), checked)
        return int((filled == numbers)[is_checked].sum())

    return max(NEIGHBOURS, key=n_right)


def _knn(n_neighbours: int) -> KNNImputer:
    """Return the better variant here: nearer images count more."""
    return KNNImputer(n_neighbors=n_neighbours, weights="distance")


def _numbers(digits: HoledDigits) -> npt.NDArray[np.float64]:
    codes = shade_codes(digits.holes)
    return np.where(codes >= 0, codes, np.nan)


def _filled(imputer: KNNImputer | SimpleImputer, numbers: npt.NDArray[np.float64]) -> Codes:
    return np.asarray(np.rint(imputer.fit_transform(numbers)), dtype=np.int64)
