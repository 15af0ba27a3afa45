"""Stress layout: distances of points follow those in the graph, for dense or large graphs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import KDTree

from baytree.plots.layouts.neighbourhoods import neighbours_of

Points = npt.NDArray[np.float64]

SPACING = 46.0  # smallest distance of two points, in pixels at zoom 1

_MAX_PIVOTS = 150
_N_ROUNDS = 100
_N_PUSHES = 60
_SETTLED = 1e-3


def spread(n_points: int, edges: Sequence[tuple[int, int]]) -> Points:
    """Return points for the vertices of a connected graph.

    The layout minimises stress, the sum of squared relative differences between distances on the
    sheet and in the graph, over neighbours and over pairs with one of some pivots [stress-layout].
    """
    if n_points == 1:
        return np.zeros((1, 2))
    graph = _weighted_graph(n_points, edges)
    pivots, distances = _far_apart(graph)
    points = _least_stress(graph, pivots, distances, _principal_axes(distances))
    return _apart(_turned(points) * (1.6 * SPACING / float(np.median(graph.data))))


def _weighted_graph(n_points: int, edges: Sequence[tuple[int, int]]) -> csr_array:
    """Return lengths of edges, in both directions: longer for ends with few common neighbours.

    This leaves space around a hub for its many leaves.
    """
    neighbours = neighbours_of(n_points, edges)
    pairs = [(a, b) for a, others in enumerate(neighbours) for b in sorted(others)]
    lengths = [len(neighbours[a] ^ neighbours[b]) ** 0.5 for a, b in pairs]
    ends = np.array(pairs)
    return coo_array((lengths, (ends[:, 0], ends[:, 1])), shape=(n_points, n_points)).tocsr()


def _far_apart(graph: csr_array) -> tuple[list[int], Points]:
    """Return pivots, each far from those before, and the distances of all points to them."""
    n_points = graph.shape[0]
    pivots = [0]
    distances = [dijkstra(graph, indices=0)]
    nearest = distances[0].copy()
    while len(pivots) < min(_MAX_PIVOTS, n_points):
        pivots.append(int(nearest.argmax()))
        distances.append(dijkstra(graph, indices=pivots[-1]))
        nearest = np.minimum(nearest, distances[-1])
    return pivots, np.column_stack(distances)


def _principal_axes(distances: Points) -> Points:
    """Return initial points: the two principal axes of the distances to the pivots."""
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(distances), 2))
    points[:, : min(2, len(axes))] = centred @ axes[:2].T
    usual = float(np.median(distances))
    points *= usual / max(float(np.abs(points).mean()), 1e-9)
    points += np.random.default_rng(0).normal(scale=0.1 * usual, size=points.shape)
    return points


def _least_stress(graph: csr_array, pivots: list[int], distances: Points, points: Points) -> Points:
    """Move all points towards the places that minimise their stress until they settle."""
    points_per_pivot = len(points) / len(pivots)
    weights = points_per_pivot * np.maximum(distances, 1e-9) ** -2
    weights[pivots, range(len(pivots))] = 0.0
    links = graph.tocoo()
    link_weights = links.data**-2.0
    totals = weights.sum(axis=1) + np.bincount(links.row, link_weights, len(points))
    for _ in range(_N_ROUNDS):
        wishes = _pivot_wishes(weights, distances, points, pivots)
        steps = points[links.row] - points[links.col]
        lengths = np.maximum(np.linalg.norm(steps, axis=1), 1e-9)
        wished = points[links.col] + steps * (links.data / lengths)[:, None]
        for axis in (0, 1):
            wishes[:, axis] += np.bincount(links.row, link_weights * wished[:, axis], len(points))
        moved = wishes / totals[:, None] - points
        points = points + moved
        if np.abs(moved).mean() < _SETTLED * np.abs(points).mean():
            break
    return points


def _pivot_wishes(weights: Points, distances: Points, points: Points, pivots: list[int]) -> Points:
    """Return the weighted sum of the places at the right distances from the pivots."""
    dx = points[:, :1] - points[pivots, 0]
    dy = points[:, 1:] - points[pivots, 1]
    ratios = weights * distances / np.maximum(np.sqrt(dx * dx + dy * dy), 1e-9)
    pulls = np.column_stack([(ratios * dx).sum(axis=1), (ratios * dy).sum(axis=1)])
    pulls += weights @ points[pivots]
    return pulls


def _turned(points: Points) -> Points:
    """Turn the longest axis to the horizontal: windows are wider than high."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned: Points = centred @ axes.T
    return turned


def _apart(points: Points) -> Points:
    """Push apart points that are closer than the spacing, a little in each round."""
    points = points + np.random.default_rng(1).normal(scale=1e-3, size=points.shape)
    for _ in range(_N_PUSHES):
        pairs = KDTree(points).query_pairs(SPACING, output_type="ndarray")
        if not len(pairs):
            break
        steps = points[pairs[:, 0]] - points[pairs[:, 1]]
        lengths = np.linalg.norm(steps, axis=1)
        pushes = steps * (0.55 * (SPACING - lengths) / np.maximum(lengths, 1e-9))[:, None]
        np.add.at(points, pairs[:, 0], pushes * 0.9)
        np.add.at(points, pairs[:, 1], -pushes * 0.9)
    return points
