"""Layout of a directed graph: places of its boxes and bends of its arcs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from baytree.messages.arguments import is_integer, is_number
from baytree.messages.quoting import shortened
from baytree.networks.arcs import check_acyclic
from baytree.plots.layouts.layered_layout import layered
from baytree.plots.layouts.stress_layout import SPACING, spread

Arc: TypeAlias = tuple[int, int]
Part: TypeAlias = tuple[list[int], list[int]]  # numbers of its boxes, and of its arcs
Point: TypeAlias = npt.NDArray[np.float64]
Style: TypeAlias = Literal["layered", "spread"]

MAX_LAYERED_BOXES = 150
_MAX_LAYERED_ARCS = 2.2  # per box; more would hide each other
_MAX_EXTENT = (2000.0, 1500.0)  # a window shows more only at a zoom that hides the names
_GAP = 40.0
_ASPECT = 1.5  # width by height of a typical window


@dataclass(frozen=True, eq=False)
class GraphLayout:
    """Places of the boxes of a graph, in pixels, and bends of its arcs.

    Parameters
    ----------
    style : {"layered", "spread"}
        Layers from parents down to children, with room for names; or points whose distances
        follow those in the graph.
    centres : ndarray of float, shape (n_boxes, 2)
        Centres of the boxes, x and y; y grows downwards.
    bends : list of list of (float, float)
        Inner points of every arc; none for a straight one.

    Examples
    --------
    >>> graph_layout([80, 80], [(0, 1)]).bends
    [[]]
    """

    style: Style
    centres: npt.NDArray[np.float64]
    bends: list[list[tuple[float, float]]]


def graph_layout(widths: Sequence[float], arcs: Sequence[Arc]) -> GraphLayout:
    """Return a layout of a directed acyclic graph.

    `BayesianNetwork.plot` draws with it; with this function, so can other programs.

    Parameters
    ----------
    widths : sequence of float
        Width of every box, in pixels.
    arcs : sequence of (int, int)
        Numbers of the boxes at the start and the end of every arc.

    Returns
    -------
    GraphLayout
        Layers for a small graph; points spread by their distances for a dense or a large one.
        It is deterministic.

    Raises
    ------
    ValueError
        If there are no boxes, a width is not a number, or arcs form a cycle or name other boxes.

    Examples
    --------
    >>> layout = graph_layout([80, 80], [(0, 1)])
    >>> layout.style, bool(layout.centres[0, 1] < layout.centres[1, 1])
    ('layered', True)
    """
    _check_graph(widths, arcs)
    parts = _components(len(widths), arcs)
    is_small = len(widths) <= MAX_LAYERED_BOXES
    if is_small and len(arcs) <= max(_MAX_LAYERED_ARCS * len(widths), 24):
        layout = _packed(_in_layers(widths, arcs, parts), parts, widths)
        if (np.ptp(layout.centres, axis=0) <= _MAX_EXTENT).all():
            return layout
    return _packed(_spread(len(widths), arcs, parts), parts, np.full(len(widths), SPACING))


def _check_graph(widths: Sequence[float], arcs: Sequence[Arc]) -> None:
    n_boxes = len(widths)
    if not n_boxes or not all(is_number(width) and 0 <= width < math.inf for width in widths):
        raise ValueError(
            "widths must hold a number of pixels for each of one or more boxes; "
            f"got {shortened(widths)}."
        )
    parents: list[set[int]] = [set() for _ in widths]
    for arc in arcs:
        ends = tuple(arc) if isinstance(arc, Iterable) else ()
        if len(ends) != 2 or not all(is_integer(end) and 0 <= end < n_boxes for end in ends):
            raise ValueError(
                f"arcs must hold pairs of numbers of boxes, from 0 to {n_boxes - 1}; "
                f"got {shortened(arc)}."
            )
        parents[ends[1]].add(ends[0])
    check_acyclic(range(n_boxes), parents, "arcs")


def _in_layers(widths: Sequence[float], arcs: Sequence[Arc], parts: list[Part]) -> GraphLayout:
    centres = np.zeros((len(widths), 2))
    bends: list[list[tuple[float, float]]] = [[] for _ in arcs]
    for members, own_arcs in parts:
        own = layered([widths[box] for box in members], _local_ends(members, own_arcs, arcs))
        centres[members] = own.centres
        for arc, points in zip(own_arcs, own.bends, strict=True):
            bends[arc] = points
    return GraphLayout("layered", centres, bends)


def _spread(n_boxes: int, arcs: Sequence[Arc], parts: list[Part]) -> GraphLayout:
    centres = np.zeros((n_boxes, 2))
    for members, own_arcs in parts:
        centres[members] = spread(len(members), _local_ends(members, own_arcs, arcs))
    return GraphLayout("spread", centres, [[] for _ in arcs])


def _local_ends(members: list[int], own_arcs: list[int], arcs: Sequence[Arc]) -> list[Arc]:
    """Return the arcs of a part by the positions of its boxes."""
    local = {box: number for number, box in enumerate(members)}
    return [(local[arcs[arc][0]], local[arcs[arc][1]]) for arc in own_arcs]


def _packed(layout: GraphLayout, parts: list[Part], widths: npt.ArrayLike) -> GraphLayout:
    """Place the connected parts beside each other."""
    halves = np.column_stack([np.asarray(widths) / 2, np.full(len(layout.centres), 20.0)])
    least, most = layout.centres - halves, layout.centres + halves
    frames = [(least[own].min(axis=0), most[own].max(axis=0)) for own, _ in parts]
    centres, bends = layout.centres.copy(), list(layout.bends)
    for (members, own_arcs), shift in zip(parts, packed(frames, _GAP), strict=True):
        centres[members] += shift
        for arc in own_arcs:
            bends[arc] = [(x + float(shift[0]), y + float(shift[1])) for x, y in bends[arc]]
    return GraphLayout(layout.style, centres, bends)


def _components(n_boxes: int, arcs: Sequence[Arc]) -> list[Part]:
    """Return the connected parts, the largest first."""
    ends = np.array(arcs, dtype=np.int64).reshape(-1, 2)
    adjacency = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n_boxes, n_boxes))
    n_parts, part_of = connected_components(adjacency, directed=False)
    parts: list[Part] = [([], []) for _ in range(n_parts)]
    for box, part in enumerate(part_of):
        parts[part][0].append(box)
    for arc, (start, _) in enumerate(arcs):
        parts[part_of[start]][1].append(arc)
    return sorted(parts, key=lambda part: (-len(part[0]), part[0]))


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
