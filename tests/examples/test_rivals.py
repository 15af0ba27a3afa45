from collections import Counter

import numpy as np
import pytest

from hidden_digits import hide_pixels, shade_codes
from rivals import best_n_neighbours, impute_by_mode, impute_by_neighbours


@pytest.fixture(scope="module")
def digits():
    return hide_pixels(100, random_state=1)


def brute_force_neighbour(codes, row, pixel, n_neighbours):
    """Return the mean of the nearest rows that have the pixel, each by the inverse distance."""
    donors = []
    for other in np.flatnonzero(codes[:, pixel] >= 0):
        both = (codes[row] >= 0) & (codes[other] >= 0)
        squares = ((codes[row] - codes[other])[both] ** 2).sum() * codes.shape[1] / both.sum()
        donors.append((np.sqrt(squares), codes[other, pixel]))
    nearest = sorted(donors)[:n_neighbours]
    return np.average([c for _, c in nearest], weights=[1 / d for d, _ in nearest])


def test_mode_is_the_most_frequent_shade_in_sight(digits):
    codes = shade_codes(digits.table)
    filled = impute_by_mode(digits)
    for pixel in range(64):
        counts = Counter(codes[codes[:, pixel] >= 0, pixel].tolist())
        chosen = set(filled[codes[:, pixel] < 0, pixel].tolist())
        assert all(counts[shade] == max(counts.values()) for shade in chosen)
    assert (filled[codes >= 0] == codes[codes >= 0]).all()


def test_neighbours_agree_with_brute_force(digits):
    codes = shade_codes(digits.table)
    filled = impute_by_neighbours(digits, 5)
    for row, pixel in list(zip(*np.nonzero(codes < 0), strict=True))[::7]:
        mean = brute_force_neighbour(codes, row, pixel, 5)
        assert abs(filled[row, pixel] - mean) <= 0.5 + 1e-9


def test_the_number_of_neighbours_is_chosen_without_the_hidden_pixels(digits):
    best = best_n_neighbours(digits, random_state=0)
    spoiled = digits.truth.mask(digits.is_hidden, "black")
    assert best == best_n_neighbours(
        type(digits)(**{**vars(digits), "truth": spoiled}), random_state=0
    )
