"""Boxes with the names of variables: their sizes and places."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from baytree.plots.axes import short_texts
from baytree.plots.layouts.layout import graph_layout

Points = npt.NDArray[np.float64]

LETTER_HEIGHT = 13.0  # in the units of layouts, pixels at zoom 1
POINT_SIZE = 10.0
MAX_SPREAD_BOXES = 80  # with more, names would be too small to read

_LINE_HEIGHT = 16.0
_PADDING = (18.0, 12.0)
_MAX_LINE = 16  # letters; longer names take two lines
_GAP = 16.0
_WIDENED = 1.7  # layouts are for points; boxes need more space
_MAX_PUSHES = 400


@dataclass(frozen=True, eq=False)
class BoxSheet:
    """Boxes and arcs on a sheet whose y axis points down."""

    texts: list[str]
    centres: Points
    sizes: Points
    bends: list[list[tuple[float, float]]]
    style: Literal["layered", "spread", "points"]

    def frame(self) -> tuple[Points, Points]:
        """Return the upper left and the lower right corner."""
        bends = np.array([point for points in self.bends for point in points]).reshape(-1, 2)
        least = np.vstack([self.centres - self.sizes / 2, bends]).min(axis=0)
        most = np.vstack([self.centres + self.sizes / 2, bends]).max(axis=0)
        return least, most


def box_sheet(names: Sequence[Hashable], arcs: Sequence[tuple[int, int]]) -> BoxSheet:
    """Return boxes in layers; spread boxes for many arcs; points for many boxes and arcs."""
    texts = [_in_lines(text) for text in short_texts(names)]
    sizes = np.array([_size(text) for text in texts])
    layout = graph_layout(sizes[:, 0].tolist(), arcs)
    if layout.style == "layered":
        return BoxSheet(texts, layout.centres, sizes, layout.bends, "layered")
    if len(names) > MAX_SPREAD_BOXES:
        sizes = np.full_like(sizes, POINT_SIZE)
        return BoxSheet(texts, layout.centres, sizes, layout.bends, "points")
    centres = pushed_apart(_WIDENED * layout.centres, sizes + _GAP)
    return BoxSheet(texts, centres, sizes, layout.bends, "spread")


def pushed_apart(centres: Points, sizes: Points) -> Points:
    """Return the centres of boxes, moved until no two of them overlap."""
    centres = centres.copy()
    least = (sizes[:, None] + sizes) / 2
    for _ in range(_MAX_PUSHES):
        steps = centres[:, None] - centres
        overlaps = least - np.abs(steps)
        first, second = np.nonzero(np.triu((overlaps > 1e-6).all(axis=2), 1))
        if not len(first):
            break
        axis = overlaps[first, second].argmin(axis=1)
        amount = 0.55 * overlaps[first, second, axis]
        side = np.where(steps[first, second, axis] >= 0, amount, -amount)
        np.add.at(centres, (first, axis), side)
        np.add.at(centres, (second, axis), -side)
    return centres


def _in_lines(text: str) -> str:
    """Return a name in one or two lines, broken between words if possible near the middle."""
    if len(text) <= _MAX_LINE:
        return text
    middle = len(text) / 2
    breaks = [match.end() for match in re.finditer(r"[ _.:/-]+", text)]
    at = min(breaks, key=lambda end: abs(end - middle), default=0)
    if abs(at - middle) > len(text) / 4:
        at = math.ceil(middle)
    return f"{text[:at].rstrip()}\n{text[at:]}"


def _size(text: str) -> tuple[float, float]:
    lines = text.split("\n")
    width = max(text_width(line) for line in lines)
    return max(width + _PADDING[0], 40.0), len(lines) * _LINE_HEIGHT + _PADDING[1]


def text_width(line: str, size: float = LETTER_HEIGHT) -> float:
    """Return the width of a text, in the unit of its size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on letters that the font lacks; drawing warns too
        font = FontProperties(size=size)
        return float(text_to_path.get_text_width_height_descent(line, font, False)[0])
