"""Images as small pictures: ink, hidden pixels, mistakes and certainty."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.image import imsave

from findings import Findings
from hidden_digits import SHADES, SIDE, shade_codes

INK = to_rgb("#14201b")
HIDDEN_COLOUR = to_rgb("#f0a83c")
MISTAKE = to_rgb("#d3203a")
EVIDENCE = to_rgb("#1f5fbf")
# From the colour of hidden pixels to a dark green: also without colour, darker is surer.
CERTAINTY_COLOURS = LinearSegmentedColormap.from_list(
    "certainty", ["#f0a83c", "#e3c95d", "#8fbf72", "#2f7d5b", "#0f4a35"]
)
MIN_CERTAINTY = 1 / len(SHADES)

TILE_NAMES = ("original", "hidden", "imputed", "certainty")

BLOCK = 10  # dots across a pixel
MARK = slice(3, 7)  # of them, for a mark in the middle
FRAME = 1
FAINT = 0.12


def ink_tile(ink: np.ndarray) -> np.ndarray:
    """Return ink from 0 to 1 as dots: red, green, blue and opacity."""
    colours = np.broadcast_to((*INK, 1.0), (SIDE * SIDE, 4)).copy()
    colours[:, 3] = ink
    return _blocks(colours)


def shade_tile(codes: np.ndarray) -> np.ndarray:
    """Return an image as it is."""
    return ink_tile(codes / (len(SHADES) - 1))


def hidden_tile(codes: np.ndarray, is_hidden: np.ndarray) -> np.ndarray:
    """Return an image with its hidden pixels in a colour of their own."""
    tile = shade_tile(np.where(is_hidden, 0, codes))
    tile[_at(is_hidden)] = (*HIDDEN_COLOUR, 1.0)
    return tile


def imputed_tile(imputed: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return an imputed image, with a mark on each wrong pixel."""
    tile = shade_tile(imputed)
    _by_pixel(tile)[_at_pixel(imputed != truth), MARK, MARK] = (*MISTAKE, 1.0)
    return tile


def certainty_tile(certainty: np.ndarray, codes: np.ndarray, is_hidden: np.ndarray) -> np.ndarray:
    """Return the certainty of each hidden pixel; the others are faint."""
    tile = ink_tile(FAINT * codes / (len(SHADES) - 1))
    scaled = (certainty - MIN_CERTAINTY) / (1 - MIN_CERTAINTY)
    tile[_at(is_hidden)] = _blocks(CERTAINTY_COLOURS(scaled))[_at(is_hidden)]
    return tile


def query_tile(ink: np.ndarray, is_evidence: np.ndarray) -> np.ndarray:
    """Return the mean ink of all pixels, with a frame around the observed ones."""
    tile = ink_tile(ink)
    frame = np.ones((BLOCK, BLOCK), dtype=bool)
    frame[FRAME:-FRAME, FRAME:-FRAME] = False
    tile[_at(is_evidence) & np.tile(frame, (SIDE, SIDE))] = (*EVIDENCE, 1.0)
    return tile


def png_bytes(tile: np.ndarray) -> bytes:
    """Return dots as a PNG file."""
    stream = io.BytesIO()
    imsave(stream, tile, format="png", pil_kwargs={"optimize": True})
    return stream.getvalue()


def data_address(png: bytes) -> str:
    """Return a picture as an address that holds it all."""
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def _blocks(colours: np.ndarray) -> np.ndarray:
    grid = colours.reshape(SIDE, SIDE, 4)
    return np.repeat(np.repeat(grid, BLOCK, axis=0), BLOCK, axis=1)


def _at(is_pixel: np.ndarray) -> np.ndarray:
    grid = is_pixel.reshape(SIDE, SIDE)
    return np.repeat(np.repeat(grid, BLOCK, axis=0), BLOCK, axis=1)


def _by_pixel(tile: np.ndarray) -> np.ndarray:
    """Return a view of dots by row and column of their pixel, then within it."""
    return tile.reshape(SIDE, BLOCK, SIDE, BLOCK, 4).swapaxes(1, 2)


def _at_pixel(is_pixel: np.ndarray) -> np.ndarray:
    return is_pixel.reshape(SIDE, SIDE)


@dataclass(frozen=True, eq=False)
class Example:
    """One image, four ways."""

    number: int  # its row in the table
    digit: int
    n_hidden: int
    n_right: int
    tiles: dict[str, np.ndarray]


def quarter_examples(findings: Findings) -> list[Example]:
    """Return, for each digit, the first image that lost a quarter."""
    return _first_of_each_digit(findings, findings.digits.lost_a_quarter)


def scattered_examples(findings: Findings) -> list[Example]:
    """Return, for each digit, the first image that lost pixels one by one alone."""
    return _first_of_each_digit(findings, ~findings.digits.lost_a_quarter)


def _first_of_each_digit(findings: Findings, among: np.ndarray) -> list[Example]:
    of_digit = (np.flatnonzero(among & (findings.digits.digits == digit)) for digit in range(10))
    return [_example(findings, int(numbers[0])) for numbers in of_digit if len(numbers)]


def _example(findings: Findings, number: int) -> Example:
    digits, codes = findings.digits, findings.codes[number]
    truth = shade_codes(digits.truth.iloc[[number]])[0]
    is_hidden = digits.is_hidden[number]
    tiles = (
        shade_tile(truth),
        hidden_tile(truth, is_hidden),
        imputed_tile(codes, truth),
        certainty_tile(findings.certainty[number], truth, is_hidden),
    )
    return Example(
        number,
        int(digits.digits[number]),
        int(is_hidden.sum()),
        int((codes == truth)[is_hidden].sum()),
        dict(zip(TILE_NAMES, tiles, strict=True)),
    )
