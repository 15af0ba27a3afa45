"""Arrows between the borders of boxes, as wide as their arcs are strong."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from baytree.messages.arguments import is_number
from baytree.messages.quoting import shortened
from baytree.plots.axes import ink
from baytree.plots.boxes import BoxSheet

Point = npt.NDArray[np.float64]

_FADING = 0.35
_FAINT_FADING = 0.6  # behind many points
_HEAD = 0.9  # of the height of letters
_BOWS = (0.0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3)  # of equally good ones, the first is used
_N_SAMPLES = 60
_CLEARANCE = 3.0
_STRENGTH_COLUMNS = ("from", "to", "strength")
_PORT_GAP = 9.0
_PORT_FRACTION = 0.75  # of the width of a box, for all arcs that end there


def draw_arcs(
    ax: Axes,
    sheet: BoxSheet,
    arcs: Sequence[tuple[int, int]],
    strengths: Sequence[float] | None,
    letter_points: float,
) -> None:
    """Draw all arcs."""
    head = min(max(_HEAD * letter_points, 3.5), 12.0)
    is_faint = sheet.style == "points"
    paths = _curves(sheet, arcs) if sheet.style == "layered" else _lines(sheet, arcs)
    for number, path in enumerate(paths):
        strength = None if strengths is None else strengths[number]
        patch = FancyArrowPatch(
            path=path,
            arrowstyle="-|>",
            mutation_scale=head if strength is None else head * (0.7 + 0.5 * strength),
            linewidth=(0.5 if is_faint else 0.9) if strength is None else line_width(strength),
            linestyle="-" if strength is None else line_style(strength),
            color=ink(_FAINT_FADING if is_faint else _FADING),
            joinstyle="miter",
            zorder=1,
        )
        ax.add_artist(patch)  # unlike add_patch, it keeps the limits of the axes


def _lines(sheet: BoxSheet, arcs: Sequence[tuple[int, int]]) -> list[Path]:
    """Return straight lines, or bows where a line would pass behind another box."""
    if sheet.style == "points":
        return [_bow(sheet, ends, 0.0) for ends in arcs]
    return [
        min((_bow(sheet, ends, bow) for bow in _BOWS), key=lambda path: _n_hits(sheet, ends, path))
        for ends in arcs
    ]


def _bow(sheet: BoxSheet, ends: tuple[int, int], bow: float) -> Path:
    """Return an arc whose middle is off the straight line by a fraction of its length."""
    start, end = sheet.centres[ends[0]], sheet.centres[ends[1]]
    across = np.array([-1.0, 1.0]) * (end - start)[::-1]
    middle = (start + end) / 2 + 2 * bow * across
    points = [border_point(sheet, ends[0], middle), middle, border_point(sheet, ends[1], middle)]
    return Path(points, [Path.MOVETO, Path.CURVE3, Path.CURVE3])


def _n_hits(sheet: BoxSheet, ends: tuple[int, int], path: Path) -> int:
    """Return the number of other boxes that a bow passes behind."""
    first, middle, last = np.asarray(path.vertices, dtype=np.float64)
    at = np.linspace(0.0, 1.0, _N_SAMPLES)[:, None]
    samples = (1 - at) ** 2 * first + 2 * at * (1 - at) * middle + at**2 * last
    distances = np.abs(samples[:, None] - sheet.centres)
    is_hit = (distances < sheet.sizes / 2 + _CLEARANCE).all(axis=2).any(axis=0)
    is_hit[list(ends)] = False
    return int(is_hit.sum())


def _curves(sheet: BoxSheet, arcs: Sequence[tuple[int, int]]) -> list[Path]:
    """Return curves that are vertical at boxes and bends.

    They run sideways only between layers, where there are no boxes.
    """
    firsts = [bends[0][0] if bends else None for bends in sheet.bends]
    lasts = [bends[-1][0] if bends else None for bends in sheet.bends]
    x = sheet.centres[:, 0]
    towards = [x[b] if first is None else first for (_, b), first in zip(arcs, firsts, strict=True)]
    comes = [x[a] if last is None else last for (a, _), last in zip(arcs, lasts, strict=True)]
    out = _ports(sheet, [a for a, _ in arcs], towards, 1)
    into = _ports(sheet, [b for _, b in arcs], comes, -1)
    return [
        _curve([out[number], *sheet.bends[number], into[number]]) for number in range(len(arcs))
    ]


def _ports(
    sheet: BoxSheet, boxes: Sequence[int], others: Sequence[float], side: int
) -> list[tuple[float, float]]:
    """Return the points where arcs touch their boxes on a side: 1 is the lower, -1 the upper one.

    They are sorted by the other ends of the arcs.
    """
    at: dict[int, list[int]] = {}
    for arc in sorted(range(len(boxes)), key=lambda arc: (others[arc], arc)):
        at.setdefault(boxes[arc], []).append(arc)
    ports = [(0.0, 0.0)] * len(boxes)
    for box, own in at.items():
        (x, y), (width, height) = sheet.centres[box], sheet.sizes[box]
        gap = min(_PORT_GAP, _PORT_FRACTION * width / len(own))
        for rank, arc in enumerate(own):
            ports[arc] = (x + (rank - (len(own) - 1) / 2) * gap, y + side * (height / 2 + 1.0))
    return ports


def _curve(route: Sequence[tuple[float, float]]) -> Path:
    points, codes = [route[0]], [Path.MOVETO]
    for (x, y), (next_x, next_y) in itertools.pairwise(route):
        middle = (y + next_y) / 2
        points += [(x, middle), (next_x, middle), (next_x, next_y)]
        codes += [Path.CURVE4] * 3
    return Path(points, codes)


def border_point(sheet: BoxSheet, box: int, towards: Point) -> Point:
    """Return the point where the line from the centre of a box to another point leaves the box."""
    step = np.asarray(towards) - sheet.centres[box]
    halves = sheet.sizes[box] / 2 + 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        fraction = float(np.nanmin(halves / np.abs(step)))
    border: Point = sheet.centres[box] + min(fraction, 1.0) * step
    return border


def pair_strengths(strength: pd.DataFrame | None) -> dict[frozenset[Hashable], float] | None:
    """Return the strength of each pair of variables in the result of `arc_strength`."""
    if strength is None:
        return None
    if not isinstance(strength, pd.DataFrame) or not {*_STRENGTH_COLUMNS} <= {*strength.columns}:
        raise ValueError(
            "strength must be a frame with the columns from, to and strength, as arc_strength "
            f"returns it; got {shortened(strength)}."
        )
    first, second, values = (strength[column].tolist() for column in _STRENGTH_COLUMNS)
    if not all(is_number(value) and 0 <= value <= 1 for value in values):
        raise ValueError(
            "The column strength must hold numbers from 0 to 1, as arc_strength gives."
        )
    return {frozenset(ends): value for *ends, value in zip(first, second, values, strict=True)}


def line_width(strength: float) -> float:
    """Return the width of an arc in points."""
    return 0.5 + 3.0 * strength


def line_style(strength: float) -> str:
    """Return a solid line for arcs of at least half of the networks, else dashes."""
    return "-" if strength >= 0.5 else "--"
