"""Layered layout from parents down to children, with few crossings, for small graphs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LAYER_HEIGHT = 92.0

_BOX_GAP = 26.0
_LINE_WIDTH = 8.0
_N_ORDER_ROUNDS = 24
_N_PLACE_ROUNDS = 16


@dataclass(frozen=True, eq=False)
class Layers:
    """Centres of boxes and bends of arcs."""

    centres: npt.NDArray[np.float64]
    bends: list[list[tuple[float, float]]]


def layered(widths: Sequence[float], arcs: Sequence[tuple[int, int]]) -> Layers:
    """Return a layout by the four steps of Sugiyama: layers, bends, order, places [sugiyama]."""
    heights = _layer_numbers(len(widths), arcs)
    n_boxes, widths = len(widths), list(widths)
    routes = []
    for parent, child in arcs:
        n_bends = heights[child] - heights[parent] - 1
        routes.append([parent, *range(len(widths), len(widths) + n_bends), child])
        widths += [_LINE_WIDTH] * n_bends
        heights += range(heights[parent] + 1, heights[child])
    links = [pair for route in routes for pair in itertools.pairwise(route)]
    layers = _ordered(heights, links)
    x = _places(layers, widths, links, n_boxes)
    y = np.array(heights) * LAYER_HEIGHT
    bends = [[(float(x[point]), float(y[point])) for point in route[1:-1]] for route in routes]
    return Layers(np.column_stack([x, y])[:n_boxes], bends)


def _layer_numbers(n_boxes: int, arcs: Sequence[tuple[int, int]]) -> list[int]:
    """Return a layer per box, below its parents, such that arcs are short."""
    parents: list[list[int]] = [[] for _ in range(n_boxes)]
    children: list[list[int]] = [[] for _ in range(n_boxes)]
    for parent, child in arcs:
        parents[child].append(parent)
        children[parent].append(child)
    layers = [0] * n_boxes
    order = _topological(parents, children)
    for box in order:
        layers[box] = max((layers[parent] + 1 for parent in parents[box]), default=0)
    for _ in range(4):
        for box in [*reversed(order), *order]:
            least = max((layers[parent] + 1 for parent in parents[box]), default=None)
            most = min((layers[child] - 1 for child in children[box]), default=None)
            pull = len(children[box]) - len(parents[box])
            if pull > 0 and most is not None:
                layers[box] = most
            elif pull < 0 and least is not None:
                layers[box] = least
    top = min(layers)
    return [layer - top for layer in layers]


def _topological(parents: list[list[int]], children: list[list[int]]) -> list[int]:
    n_left = [len(own) for own in parents]
    order = [box for box, n in enumerate(n_left) if n == 0]
    for box in order:
        for child in children[box]:
            n_left[child] -= 1
            if n_left[child] == 0:
                order.append(child)
    return order


def _ordered(heights: list[int], links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the points of every layer from left to right, with few crossings of links."""
    above: list[list[int]] = [[] for _ in heights]
    below: list[list[int]] = [[] for _ in heights]
    for upper, lower in links:
        above[lower].append(upper)
        below[upper].append(lower)
    layers = _start_order(heights, above, below)
    best, fewest = [list(layer) for layer in layers], _n_crossings(layers, below)
    for number in range(_N_ORDER_ROUNDS):
        is_down = number % 2 == 0
        rows = range(1, len(layers)) if is_down else range(len(layers) - 2, -1, -1)
        for row in rows:
            fixed = layers[row - 1 if is_down else row + 1]
            rank = {point: place for place, point in enumerate(fixed)}
            _sort_by_neighbours(layers[row], rank, above if is_down else below)
        n_crossings = _n_crossings(layers, below)
        if n_crossings < fewest:
            best, fewest = [list(layer) for layer in layers], n_crossings
    return best


def _start_order(
    heights: list[int], above: list[list[int]], below: list[list[int]]
) -> list[list[int]]:
    """Return the points of every layer in the order of a depth-first search."""
    layers: list[list[int]] = [[] for _ in range(max(heights) + 1)]
    seen = [False] * len(heights)
    for start in sorted(range(len(heights)), key=lambda point: heights[point]):
        stack = [start]
        while stack:
            point = stack.pop()
            if not seen[point]:
                seen[point] = True
                layers[heights[point]].append(point)
                stack += [*reversed(below[point]), *reversed(above[point])]
    return layers


def _sort_by_neighbours(layer: list[int], rank: dict[int, int], linked: list[list[int]]) -> None:
    """Sort a layer by the mean place of the neighbours; points without neighbours stay."""
    keys = {
        point: float(np.mean([rank[other] for other in linked[point]]))
        for point in layer
        if linked[point]
    }
    movable = iter(sorted(keys, key=lambda point: keys[point]))
    layer[:] = [next(movable) if point in keys else point for point in layer]


def _n_crossings(layers: list[list[int]], below: list[list[int]]) -> int:
    total = 0
    for upper, lower in itertools.pairwise(layers):
        rank = {point: place for place, point in enumerate(lower)}
        ends = np.array(
            [place for point in upper for place in sorted(rank[b] for b in below[point])]
        )
        if len(ends) > 1:
            total += int(np.triu(ends[:, None] > ends, 1).sum())
    return total


def _places(
    layers: list[list[int]],
    widths: Sequence[float],
    links: Sequence[tuple[int, int]],
    n_boxes: int,
) -> npt.NDArray[np.float64]:
    """Return the x coordinates: near the neighbours, in order and without overlap."""
    linked: list[list[tuple[int, float]]] = [[] for _ in widths]
    for first, second in links:
        # Long arcs are drawn straight where that is possible.
        weight = 1.0 + 2.0 * (first >= n_boxes) + 2.0 * (second >= n_boxes)
        linked[first].append((second, weight))
        linked[second].append((first, weight))
    offsets = [_offsets([widths[point] for point in layer]) for layer in layers]
    x = np.zeros(len(widths))
    for layer, offset in zip(layers, offsets, strict=True):
        x[layer] = offset - offset.mean()
    for number in range(_N_PLACE_ROUNDS):
        rows = range(len(layers)) if number % 2 == 0 else range(len(layers) - 1, -1, -1)
        for row in rows:
            wishes = np.array([_wish(point, x, linked) for point in layers[row]])
            weights = np.array([sum(w for _, w in linked[p]) or 0.1 for p in layers[row]])
            x[layers[row]] = _ascending(wishes - offsets[row], weights) + offsets[row]
    return x


def _offsets(widths: list[float]) -> npt.NDArray[np.float64]:
    """Return the smallest distances of points from the first one of their layer."""
    steps = [(a + b) / 2 + _BOX_GAP for a, b in itertools.pairwise(widths)]
    return np.concatenate([[0.0], np.cumsum(steps)])


def _wish(point: int, x: npt.NDArray[np.float64], linked: list[list[tuple[int, float]]]) -> float:
    total = sum(weight for _, weight in linked[point])
    if not total:
        return float(x[point])
    return float(sum(weight * x[other] for other, weight in linked[point]) / total)


def _ascending(
    values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the nearest ascending numbers, by isotonic regression."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, weight_a, n_a), (b, weight_b, n_b) = pools[-2:]
            total = weight_a + weight_b
            pools[-2:] = [((a * weight_a + b * weight_b) / total, total, n_a + n_b)]
    return np.repeat([value for value, _, _ in pools], [n for _, _, n in pools])
