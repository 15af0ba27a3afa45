"""Drawings of variables and of cliques: their boxes and arcs with their places."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.cells import cell_len
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order

import baytree as bt
from baytree.messages.labels import shown_labels

_MAX_LETTERS = 20  # of a line in a box
_LETTER_WIDTH = 7.4
_PADDING = 22.0


def variable_drawing(network: bt.BayesianNetwork, numbers: Sequence[int]) -> dict[str, Any]:
    """Return a drawing of some variables and the arcs among them."""
    parents = parent_numbers(network)
    chosen = set(numbers)
    arcs = [(parent, child) for child in numbers for parent in parents[child] if parent in chosen]
    texts = shown_labels([network.variables[number] for number in numbers])
    widths = [
        max(map(_box_width, [text, *_observations(network, number)]))
        for number, text in zip(numbers, texts, strict=True)
    ]
    return _drawing(numbers, arcs, widths)


def clique_drawing(network: bt.BayesianNetwork, numbers: Sequence[int]) -> dict[str, Any]:
    """Return a drawing of some cliques and the edges among them, directed away from the middle."""
    tree = network.decomposition
    number_of = {name: number for number, name in enumerate(network.variables)}
    chosen = set(numbers)
    edges = [(a, b) for a, b in tree.edges if a in chosen and b in chosen]
    texts = shown_labels(network.variables)
    members = [sorted(number_of[name] for name in tree.bags[bag]) for bag in numbers]
    widths = [max(_box_width(texts[member]) for member in own) for own in members]
    drawing = _drawing(numbers, _away_from_the_middle(numbers, edges), widths)
    return {**drawing, "members": members}


def parent_numbers(network: bt.BayesianNetwork) -> list[list[int]]:
    """Return the parents of every variable, by their numbers."""
    number_of = {name: number for number, name in enumerate(network.variables)}
    return [[number_of[p] for p in network.parents(name)] for name in network.variables]


def nearest(
    n_points: int, links: Sequence[tuple[int, int]], starts: Sequence[int], n_nearest: int
) -> list[int]:
    """Return the points of a graph that are nearest to some starts, by their distance."""
    pairs = np.array([*links, *((n_points, start) for start in starts)], dtype=np.int64)
    shape = (n_points + 1, n_points + 1)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=shape).tocsr()
    order = breadth_first_order(graph, n_points, directed=False, return_predecessors=False)
    return [int(point) for point in order[1 : n_nearest + 1]]


def _away_from_the_middle(
    numbers: Sequence[int], edges: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the edges of a forest, each from the end nearer to the middle of its tree."""
    neighbours = {number: set[int]() for number in numbers}
    for first, second in edges:
        neighbours[first].add(second)
        neighbours[second].add(first)
    arcs = []
    left = {number: set(others) for number, others in neighbours.items()}
    leaves = deque(number for number in numbers if len(left[number]) == 1)
    while leaves:
        leaf = leaves.popleft()
        for inner in left[leaf]:  # one, or none for the last of a tree
            arcs.append((inner, leaf))
            left[inner].discard(leaf)
            if len(left[inner]) == 1:
                leaves.append(inner)
        left[leaf] = set()
    return arcs


def _drawing(
    numbers: Sequence[int], arcs: list[tuple[int, int]], widths: list[float]
) -> dict[str, Any]:
    place = {number: place for place, number in enumerate(numbers)}
    layout = bt.graph_layout(widths, [(place[a], place[b]) for a, b in arcs])
    centres = np.round(layout.centres - layout.centres.mean(axis=0), 1)
    middle = layout.centres.mean(axis=0)
    return {
        "boxes": list(numbers),
        "arcs": arcs,
        "style": layout.style,
        "x": centres[:, 0].tolist(),
        "y": centres[:, 1].tolist(),
        "widths": widths,
        "bends": [
            [round(float(v), 1) for x, y in points for v in (x - middle[0], y - middle[1])]
            for points in layout.bends
        ],
    }


def _observations(network: bt.BayesianNetwork, number: int) -> list[str]:
    """Return the lines that a box may show once a state is observed."""
    states = network.states(network.variables[number]) if network.has_states else []
    return [f"= {label}" for label in shown_labels(states)]


def _box_width(text: str) -> float:
    return round(_PADDING + _LETTER_WIDTH * max(min(cell_len(text), _MAX_LETTERS), 5), 1)
