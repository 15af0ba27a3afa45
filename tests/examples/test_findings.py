import numpy as np
import pytest

from findings import accuracy, certainty_bands
from hidden_digits import hide_pixels, shade_codes


@pytest.fixture(scope="module")
def digits():
    return hide_pixels(100)


def test_accuracy_counts_hidden_pixels_alone(digits):
    truth = shade_codes(digits.truth)
    assert accuracy(truth, digits).overall == 1
    wrong_in_sight = np.where(digits.is_hidden, truth, (truth + 1) % 4)
    assert accuracy(wrong_in_sight, digits).overall == 1
    wrong_in_quarters = np.where(digits.is_in_quarter, (truth + 1) % 4, truth)
    found = accuracy(wrong_in_quarters, digits)
    assert (found.scattered, found.quarters) == (1, 0)
    n_quarters, n_hidden = digits.is_in_quarter.sum(), digits.is_hidden.sum()
    assert found.overall == pytest.approx(1 - n_quarters / n_hidden)


def test_bands_hold_each_hidden_pixel_once(digits):
    random = np.random.default_rng(0)
    truth = shade_codes(digits.truth)
    certainty = random.uniform(0.25, 1, truth.shape)
    filled = np.where(random.random(truth.shape) < certainty, truth, (truth + 1) % 4)
    bands = certainty_bands(filled, certainty, digits)
    assert sum(band.n_pixels for band in bands) == digits.is_hidden.sum()
    for band in bands:
        at = digits.is_hidden & (certainty >= band.low) & (certainty < band.high)
        assert band.n_pixels == at.sum()
        assert band.mean_certainty == pytest.approx(certainty[at].mean())
        assert band.accuracy == pytest.approx((filled == truth)[at].mean())


def test_bands_without_pixels_are_left_out(digits):
    certainty = np.ones(digits.table.shape)
    (band,) = certainty_bands(shade_codes(digits.truth), certainty, digits)
    assert (band.low, band.high, band.accuracy) == (0.9, 1.0, 1.0)
