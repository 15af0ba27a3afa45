"""Packing of rectangles on a sheet without overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Point = npt.NDArray[np.float64]

_ASPECT = 1.5  # width by height of a typical window


def packed(frames: Sequence[tuple[Point, Point]], gap: float) -> list[Point]:
    """Return the translations of rectangles, given by two opposite corners.

    Rows are filled from left to right, the tallest rectangles first.

    Examples
    --------
    >>> square = (np.zeros(2), np.ones(2))
    >>> [move.tolist() for move in packed([square, square], 1.0)]
    [[0.0, 0.0], [2.0, 0.0]]
    """
    sizes = [greatest - least for least, greatest in frames]
    area = sum(float((size + gap).prod()) for size in sizes)
    width = max(float(np.sqrt(area * _ASPECT)), *(float(size[0]) for size in sizes), 0.0)
    moves: list[Point] = [np.zeros(2) for _ in frames]
    x = y = row_height = 0.0
    for number in sorted(range(len(frames)), key=lambda number: -sizes[number][1]):
        if x > 0 and x + sizes[number][0] > width:
            x, y, row_height = 0.0, y + row_height + gap, 0.0
        moves[number] = np.array([x, y]) - frames[number][0]
        x += float(sizes[number][0]) + gap
        row_height = max(row_height, float(sizes[number][1]))
    return moves
