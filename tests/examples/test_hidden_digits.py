import numpy as np
import pytest
from sklearn.datasets import load_digits

from hidden_digits import MIN_IMAGES, N_IMAGES, hide_pixels, shade_codes


@pytest.fixture(scope="module")
def digits():
    return hide_pixels(random_state=3)


def test_shades_are_four_bands_of_ink(digits):
    ink = load_digits().data
    bands = {"blank": ink == 0, "light": (ink >= 1) & (ink <= 5), "dark": (ink > 5) & (ink <= 10)}
    for shade, at in bands.items():
        assert (digits.truth.to_numpy() == shade).tolist() == at.tolist()
    assert (digits.truth.to_numpy()[ink > 10] == "black").all()


def test_pixels_in_sight_are_true_and_the_others_missing(digits):
    codes = shade_codes(digits.table)
    assert ((codes < 0) == digits.is_hidden).all()
    assert (codes == shade_codes(digits.truth))[~digits.is_hidden].all()


def test_a_tenth_of_the_images_lose_one_whole_quarter(digits):
    assert digits.lost_a_quarter.sum() == 180
    quarters = [np.s_[:4, :4], np.s_[:4, 4:], np.s_[4:, :4], np.s_[4:, 4:]]
    lost = []
    for image in digits.is_in_quarter[digits.lost_a_quarter].reshape(-1, 8, 8):
        whole = [number for number, at in enumerate(quarters) if image[at].all()]
        assert image.sum() == 16
        lost += whole
    assert len(lost) == 180
    assert set(lost) == {0, 1, 2, 3}


def test_the_others_lose_15_percent_by_chance(digits):
    share = digits.is_hidden[~digits.lost_a_quarter].mean()
    assert share == pytest.approx(0.15, abs=0.005)
    assert not (digits.is_scattered & digits.is_in_quarter).any()


def test_a_seed_hides_the_same_again_and_another_does_not(digits):
    assert (hide_pixels(random_state=3).is_hidden == digits.is_hidden).all()
    assert (hide_pixels(random_state=4).is_hidden != digits.is_hidden).any()


def test_fewer_images_are_the_first_ones():
    few = hide_pixels(MIN_IMAGES)
    assert few.truth.equals(hide_pixels(N_IMAGES).truth.head(MIN_IMAGES))
