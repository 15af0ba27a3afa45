"""Neighbourhoods of points in a graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence


def neighbours_of(n_points: int, links: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Return the neighbours of every point."""
    neighbours: list[set[int]] = [set() for _ in range(n_points)]
    for first, second in links:
        neighbours[first].add(second)
        neighbours[second].add(first)
    return neighbours


def nearest(neighbours: Sequence[set[int]], starts: Sequence[int], n_points: int) -> list[int]:
    """Return the points nearest to the starts, in the order of their distance."""
    found = dict.fromkeys(starts[:n_points])
    queue = deque(found)
    while queue and len(found) < n_points:
        for neighbour in sorted(neighbours[queue.popleft()]):
            if neighbour not in found and len(found) < n_points:
                found[neighbour] = None
                queue.append(neighbour)
    return list(found)
