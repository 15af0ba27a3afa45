import io

import numpy as np
from matplotlib.image import imread

from tiles import (
    BLOCK,
    HIDDEN_COLOUR,
    MISTAKE,
    certainty_tile,
    hidden_tile,
    imputed_tile,
    png_bytes,
    query_tile,
    shade_tile,
)

CODES = np.arange(64) % 4
HIDDEN = np.arange(64) % 5 == 0
MIDDLE = BLOCK // 2


def middles(tile):
    """Return the dot in the middle of every pixel."""
    return tile[MIDDLE::BLOCK, MIDDLE::BLOCK].reshape(64, 4)


def test_opacity_is_ink():
    assert np.allclose(middles(shade_tile(CODES))[:, 3], CODES / 3)


def test_hidden_pixels_have_a_colour_of_their_own():
    dots = middles(hidden_tile(CODES, HIDDEN))
    assert (np.isclose(dots, (*HIDDEN_COLOUR, 1.0)).all(axis=1) == HIDDEN).all()
    assert np.allclose(dots[~HIDDEN, 3], CODES[~HIDDEN] / 3)


def test_every_mistake_is_marked_and_nothing_else():
    truth = np.where(np.arange(64) % 7 == 0, (CODES + 1) % 4, CODES)
    dots = middles(imputed_tile(CODES, truth))
    assert (np.isclose(dots, (*MISTAKE, 1.0)).all(axis=1) == (truth != CODES)).all()


def test_surer_is_darker():
    certainty = np.linspace(0.25, 1, 64)
    dots = middles(certainty_tile(certainty, CODES, np.ones(64, dtype=bool)))
    lightness = dots[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert lightness[0] > lightness[-1] + 0.3
    assert lightness[40] > lightness[-1]


def test_observed_pixels_are_framed():
    ink = np.full(64, 0.5)
    tile = query_tile(ink, HIDDEN)
    corners = tile[::BLOCK, ::BLOCK].reshape(64, 4)
    assert ((corners[:, 3] == 1) == HIDDEN).all()
    assert np.allclose(middles(tile)[:, 3], 0.5)


def test_a_picture_reads_back():
    tile = hidden_tile(CODES, HIDDEN)
    assert np.allclose(imread(io.BytesIO(png_bytes(tile))), tile, atol=1 / 255)
