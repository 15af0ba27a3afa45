"""Single images as small pictures: ink, holes, mistakes and certainty."""

from __future__ import annotations

import base64
import io
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.image import imsave

from baytree.digits_demo.digits import SHADES, SIDE, Codes, Mask

Floats: TypeAlias = npt.NDArray[np.float64]

INK = to_rgb("#14201b")
HOLE = to_rgb("#f0a83c")
MISTAKE = to_rgb("#d3203a")
EVIDENCE = to_rgb("#1f5fbf")
# From the colour of holes to a dark green: also without colour, darker is surer.
CERTAINTY_COLOURS = LinearSegmentedColormap.from_list(
    "certainty", ["#f0a83c", "#e3c95d", "#8fbf72", "#2f7d5b", "#0f4a35"]
)
LEAST_CERTAINTY = 1 / len(SHADES)

BLOCK = 10  # dots across a pixel
MARK = slice(3, 7)  # of them, for a mark in the middle
FRAME = 1
FAINT = 0.12


def ink_tile(ink: Floats) -> Floats:
    """Return ink from 0 to 1 as dots: red, green, blue and opacity."""
    colours = np.broadcast_to((*INK, 1.0), (SIDE * SIDE, 4)).copy()
    colours[:, 3] = ink
    return _blocks(colours)


def shade_tile(codes: Codes) -> Floats:
    """Return an image as it is."""
    return ink_tile(codes / (len(SHADES) - 1))


def holes_tile(codes: Codes, is_hidden: Mask) -> Floats:
    """Return an image with its holes."""
    tile = shade_tile(np.where(is_hidden, 0, codes))
    tile[_at(is_hidden)] = (*HOLE, 1.0)
    return tile


def filled_tile(filled: Codes, truth: Codes) -> Floats:
    """Return a filled image, with a mark on each pixel that is not as it was."""
    tile = shade_tile(filled)
    _by_pixel(tile)[_at_pixel(filled != truth), MARK, MARK] = (*MISTAKE, 1.0)
    return tile


def certainty_tile(certainty: Floats, codes: Codes, is_hidden: Mask) -> Floats:
    """Return how sure each hidden pixel is; the others are faint."""
    tile = ink_tile(FAINT * codes / (len(SHADES) - 1))
    scaled = (certainty - LEAST_CERTAINTY) / (1 - LEAST_CERTAINTY)
    tile[_at(is_hidden)] = _blocks(CERTAINTY_COLOURS(scaled))[_at(is_hidden)]
    return tile


def question_tile(ink: Floats, is_evidence: Mask) -> Floats:
    """Return the mean ink of all pixels, with a frame around those that were seen."""
    tile = ink_tile(ink)
    frame = np.ones((BLOCK, BLOCK), dtype=bool)
    frame[FRAME:-FRAME, FRAME:-FRAME] = False
    tile[_at(is_evidence) & np.tile(frame, (SIDE, SIDE))] = (*EVIDENCE, 1.0)
    return tile


def png_bytes(tile: Floats) -> bytes:
    """Return dots as a PNG file."""
    stream = io.BytesIO()
    imsave(stream, tile, format="png", pil_kwargs={"optimize": True})
    return stream.getvalue()


def data_address(png: bytes) -> str:
    """Return a picture as an address that holds it all."""
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def _blocks(colours: Floats) -> Floats:
    grid = colours.reshape(SIDE, SIDE, 4)
    return np.repeat(np.repeat(grid, BLOCK, axis=0), BLOCK, axis=1)


def _at(is_pixel: Mask) -> Mask:
    grid = is_pixel.reshape(SIDE, SIDE)
    return np.repeat(np.repeat(grid, BLOCK, axis=0), BLOCK, axis=1)


def _by_pixel(tile: Floats) -> Floats:
    """Return a view of dots by row and column of their pixel, then within it."""
    return tile.reshape(SIDE, BLOCK, SIDE, BLOCK, 4).swapaxes(1, 2)


def _at_pixel(is_pixel: Mask) -> Mask:
    return is_pixel.reshape(SIDE, SIDE)
