"""Arcs that a network must or must not have: checked, and turned into lists of parents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

from baytree._arguments import shortened
from baytree.exceptions import UnknownVariableError

Arc: TypeAlias = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class ArcConstraints:
    """Required and forbidden parents of every variable, by position."""

    required: list[list[int]]
    forbidden: list[list[int]]


def check_arcs(
    variables: Sequence[Hashable],
    *,
    required_arcs: Iterable[Arc],
    forbidden_arcs: Iterable[Arc],
    max_parents: int,
) -> ArcConstraints:
    """Return the constraints by position, or say which arc cannot be."""
    required = _parents_by_child(variables, required_arcs, "required_arcs")
    forbidden = _parents_by_child(variables, forbidden_arcs, "forbidden_arcs")
    for child, parents in enumerate(required):
        for parent in sorted(parents & forbidden[child]):
            raise ValueError(
                f"The arc from {variables[parent]!r} to {variables[child]!r} is both required and "
                "forbidden. Take it out of one of the two."
            )
        if len(parents) > max_parents:
            raise ValueError(
                f"required_arcs gives variable {variables[child]!r} {len(parents)} parents; "
                f"max_parents is {max_parents}."
            )
    _check_acyclic(variables, required)
    return ArcConstraints([sorted(p) for p in required], [sorted(p) for p in forbidden])


def _parents_by_child(
    variables: Sequence[Hashable], arcs: Iterable[Arc], argument: str
) -> list[set[int]]:
    positions = {name: position for position, name in enumerate(variables)}
    parents: list[set[int]] = [set() for _ in variables]
    if isinstance(arcs, str) or not isinstance(arcs, Iterable):
        raise ValueError(f"{argument} must hold pairs (parent, child); got {shortened(arcs)}.")
    for arc in arcs:
        if isinstance(arc, str) or not isinstance(arc, Iterable) or len(ends := tuple(arc)) != 2:
            raise ValueError(f"{argument} must hold pairs (parent, child); got {shortened(arc)}.")
        for name in ends:
            if not isinstance(name, Hashable) or name not in positions:
                raise UnknownVariableError(
                    f"{argument} names {name!r}, which is not a variable of the table."
                )
        if ends[0] == ends[1]:
            raise ValueError(f"{argument} has an arc from {ends[0]!r} to itself.")
        parents[positions[ends[1]]].add(positions[ends[0]])
    return parents


def _check_acyclic(variables: Sequence[Hashable], required: list[set[int]]) -> None:
    try:
        TopologicalSorter(dict(enumerate(required))).prepare()
    except CycleError as error:
        cycle = " -> ".join(repr(variables[position]) for position in error.args[1])
        raise ValueError(f"required_arcs form a cycle: {cycle}.") from None
