"""Arcs that a network must or must not have: checked, and turned into positions."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

from baytree import _core
from baytree.exceptions import UnknownVariableError
from baytree.messages.quoting import quoted, shortened
from baytree.messages.suggestions import among

Arc: TypeAlias = tuple[Hashable, Hashable]
Tiers: TypeAlias = Sequence[Sequence[Hashable]]


@dataclass(frozen=True)
class ArcConstraints:
    """Required and forbidden parents of every variable, and its tier, by position.

    Tiers are empty where there are none. They stand for too many forbidden arcs to be listed.
    """

    required: list[tuple[int, ...]]
    forbidden: list[tuple[int, ...]]
    tiers: list[int] = field(default_factory=list)

    def allow(self, parent: int, child: int) -> bool:
        """Return whether an arc is neither forbidden nor against the tiers."""
        is_backward = bool(self.tiers) and self.tiers[parent] > self.tiers[child]
        return not is_backward and parent not in self.forbidden[child]

    def n_possible_parents(self, child: int) -> int:
        """Return how many variables may be parents of one, each taken alone."""
        if not self.tiers:
            return len(self.forbidden) - 1 - len(self.forbidden[child])
        own = self.tiers[child]
        n_forbidden = sum(self.tiers[parent] <= own for parent in self.forbidden[child])
        return bisect_right(self._sorted_tiers, own) - 1 - n_forbidden

    @cached_property
    def _sorted_tiers(self) -> list[int]:
        return sorted(self.tiers)

    def to_core(self) -> _core.ArcConstraints:
        """Return the same in the form that the core takes."""
        return _core.ArcConstraints(
            required=self.required, forbidden=self.forbidden, tiers=self.tiers
        )


def check_arcs(
    variables: Sequence[Hashable],
    *,
    required_arcs: Iterable[Arc],
    forbidden_arcs: Iterable[Arc],
    tiers: Tiers | None = None,
    max_parents: int,
    bound: str = "max_parents",
) -> ArcConstraints:
    """Return the constraints by position, or say which arc cannot be.

    `bound` is the argument that limits the number of parents.
    """
    required = arcs_by_child(variables, required_arcs, "required_arcs")
    forbidden = arcs_by_child(variables, forbidden_arcs, "forbidden_arcs")
    tier_of = [] if tiers is None else _tier_numbers(variables, tiers)
    for child, parents in enumerate(required):
        for parent in sorted(parents):
            arc = f"The arc from {variables[parent]!r} to {variables[child]!r}"
            if parent in forbidden[child]:
                raise ValueError(
                    f"{arc} is both required and forbidden. Take it out of one of the two."
                )
            if tier_of and tier_of[parent] > tier_of[child]:
                raise ValueError(
                    f"{arc} is required, but leads to an earlier tier. Take it out, or change the "
                    "tiers."
                )
        if len(parents) > max_parents:
            raise ValueError(
                f"required_arcs gives variable {variables[child]!r} {len(parents)} parents; "
                f"{bound} is {max_parents}. Raise it, or require fewer arcs to this variable."
            )
    check_acyclic(variables, required, "required_arcs")
    return ArcConstraints(_ascending(required), _ascending(forbidden), tier_of)


def _ascending(parents: Sequence[Set[int]]) -> list[tuple[int, ...]]:
    return [tuple(sorted(members)) if members else () for members in parents]


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
    none: Set[int] = frozenset()  # the same for all: mostly no arcs are given, of many variables
    return [parents.get(position, none) for position in range(len(variables))]


def check_acyclic(
    variables: Sequence[Hashable], parents: Sequence[Iterable[int]], argument: str
) -> None:
    """Refuse arcs that form a cycle, and spell it out."""
    if not any(parents):  # the rule where arcs are required, and soon told of many variables
        return
    try:
        TopologicalSorter(dict(enumerate(parents))).prepare()
    except CycleError as error:
        cycle = " -> ".join(repr(variables[position]) for position in error.args[1])
        raise ValueError(
            f"{argument} form a cycle: {cycle}. Take out or turn round one of them."
        ) from None


def _tier_numbers(variables: Sequence[Hashable], tiers: Tiers) -> list[int]:
    positions = {name: position for position, name in enumerate(variables)}
    tier_of: dict[Hashable, int] = {}
    for number, tier in enumerate(_listed(tiers, tiers)):
        for name in _listed(tier, tiers):
            check_known(name, positions, "tiers")
            if name in tier_of:
                raise ValueError(f"tiers names {name!r} twice. Leave it in one tier.")
            tier_of[name] = number
    if missing := [name for name in variables if name not in tier_of]:
        raise ValueError(
            f"tiers must name every variable; it lacks {quoted(missing)}. Put them into a tier."
        )
    return [tier_of[name] for name in variables]


def _listed(names: object, tiers: object) -> list[Hashable]:
    if isinstance(names, (str, Mapping)) or not isinstance(names, Iterable):
        raise ValueError(
            "tiers must be a list of lists of names, the earliest variables first; "
            f"got {shortened(tiers)}."
        )
    return list(names)


def check_known(name: Hashable, positions: Mapping[Hashable, int], argument: str) -> None:
    """Refuse what is not the name of a variable."""
    if not isinstance(name, Hashable) or name not in positions:
        raise UnknownVariableError(
            f"{argument} names {name!r}, which is not a variable {among(name, [*positions])}"
        )
