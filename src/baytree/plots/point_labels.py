"""Names beside points, as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from baytree.plots.boxes import POINT_SIZE, BoxSheet, text_width

_LETTERS = 7.0  # points
_GAP = 1.5


def draw_labels(ax: Axes, sheet: BoxSheet, order: Sequence[int]) -> None:
    """Write names above points, in an order of importance; those that would hit others are left."""
    for place in free_labels(_frames(ax, sheet), order):
        ax.annotate(
            sheet.texts[place].replace("\n", " "),
            tuple(sheet.centres[place]),
            xytext=(0, _lift(ax)),
            textcoords="offset points",
            fontsize=_LETTERS,
            ha="center",
            va="bottom",
            parse_math=False,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.3},
            color="black",
            zorder=4,
        )


def free_labels(frames: npt.NDArray[np.float64], order: Sequence[int]) -> list[int]:
    """Return which rectangles (left, low, right, high) to keep so that no two of them overlap."""
    kept: list[int] = []
    for place in order:
        left, low, right, high = frames[place]
        others = frames[kept]
        apart = (others[:, 0] >= right) | (others[:, 2] <= left)
        apart |= (others[:, 1] >= high) | (others[:, 3] <= low)
        if place not in kept and apart.all():
            kept.append(place)
    return kept


def _frames(ax: Axes, sheet: BoxSheet) -> npt.NDArray[np.float64]:
    """Return the rectangles that names would take, in points on paper."""
    x, y = (ax.transData.transform(sheet.centres) * (72.0 / ax.figure.dpi)).T
    widths = np.array([text_width(text.replace("\n", " "), _LETTERS) for text in sheet.texts])
    low = y + _lift(ax)
    margin = widths / 2 + _GAP
    return np.column_stack([x - margin, low - _GAP, x + margin, low + 1.2 * _LETTERS + _GAP])


def _lift(ax: Axes) -> float:
    """Return how far above the middle of its point a name begins."""
    (_, first), (_, second) = ax.transData.transform([(0.0, 0.0), (0.0, POINT_SIZE / 2)])
    return float(abs(second - first) * 72.0 / ax.figure.dpi) + 1.0
