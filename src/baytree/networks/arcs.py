"""Arcs by name, checked and turned into positions of variables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

from baytree.exceptions import UnknownVariableError
from baytree.messages.quoting import shortened
from baytree.messages.suggestions import among

Arc: TypeAlias = tuple[Hashable, Hashable]


def arcs_by_child(
    variables: Sequence[Hashable], arcs: Iterable[Arc], argument: str
) -> list[Set[int]]:
    """Return the parents of every variable, by position."""
    positions = {name: position for position, name in enumerate(variables)}
    parents: defaultdict[int, set[int]] = defaultdict(set)
    if isinstance(arcs, str) or not isinstance(arcs, Iterable):
        raise ValueError(f"{argument} must hold pairs (parent, child); got {shortened(arcs)}.")
    for arc in arcs:
        if isinstance(arc, str) or not isinstance(arc, Iterable) or len(ends := tuple(arc)) != 2:
            raise ValueError(f"{argument} must hold pairs (parent, child); got {shortened(arc)}.")
        for name in ends:
            check_known(name, positions, argument)
        if ends[0] == ends[1]:
            raise ValueError(f"{argument} has an arc from {ends[0]!r} to itself. Take it out.")
        parents[positions[ends[1]]].add(positions[ends[0]])
    none: Set[int] = frozenset()  # shared: most variables have no arcs
    return [parents.get(position, none) for position in range(len(variables))]


def check_acyclic(
    variables: Sequence[Hashable], parents: Sequence[Iterable[int]], argument: str
) -> None:
    """Refuse arcs that form a cycle, and spell it out."""
    if not any(parents):  # the common case, and fast for many variables
        return
    try:
        TopologicalSorter(dict(enumerate(parents))).prepare()
    except CycleError as error:
        cycle = " -> ".join(repr(variables[position]) for position in error.args[1])
        raise ValueError(
            f"{argument} form a cycle: {cycle}. Take out or turn round one of them."
        ) from None


def check_known(name: Hashable, positions: Mapping[Hashable, int], argument: str) -> None:
    """Refuse a name that is not that of a variable."""
    if not isinstance(name, Hashable) or name not in positions:
        raise UnknownVariableError(
            f"{argument} names {name!r}, which is not a variable {among(name, [*positions])}"
        )
