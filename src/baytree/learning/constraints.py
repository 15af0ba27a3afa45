"""Constraints on the arcs of a network: by name as users give them, and by position."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from baytree import _core
from baytree.messages.quoting import quoted, shortened
from baytree.networks.arcs import Arc, arcs_by_child, check_acyclic, check_known
from baytree.runtime.settings import Settings

Tiers: TypeAlias = Sequence[Sequence[Hashable]]


@dataclass
class ArcConstraints(Settings):
    """Arcs that a network must have or must not have.

    Parameters
    ----------
    required, forbidden : iterable of (parent, child), default=()
        Arcs that must be in the network, and arcs that must not. The searches k-max, k-greedy, s2
        and s2+ cannot obey required arcs and refuse them.
    tiers : sequence of sequences of names, optional
        All variables in groups, the earliest first: no arc leads from a later group to an earlier
        one.

    See Also
    --------
    NetworkLearner, score_parent_sets, search_structure : Take it as `constraints`.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> constraints = bt.ArcConstraints(tiers=[["rain"], ["wet"]])
    >>> bt.NetworkLearner(constraints=constraints, random_state=0).fit(table).parents_
    {'rain': (), 'wet': ('rain',)}
    """

    required: Iterable[Arc] = ()
    forbidden: Iterable[Arc] = ()
    tiers: Tiers | None = None


@dataclass(frozen=True)
class PositionalConstraints:
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


def check_constraints(
    given: ArcConstraints | None,
    variables: Sequence[Hashable],
    *,
    max_parents: int,
    bound: str = "max_parents",
) -> PositionalConstraints:
    """Return the constraints by position, or raise an error that names the arc at fault.

    `bound` is the argument that limits the number of parents.
    """
    if given is None:
        given = ArcConstraints()
    if not isinstance(given, ArcConstraints):
        raise ValueError(
            "constraints must be an ArcConstraints object or None, as in "
            f"constraints=ArcConstraints(forbidden=[(parent, child)]); got {shortened(given)}."
        )
    required = arcs_by_child(variables, given.required, "required")
    forbidden = arcs_by_child(variables, given.forbidden, "forbidden")
    tier_of = [] if given.tiers is None else _tier_numbers(variables, given.tiers)
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
                f"required gives variable {variables[child]!r} {len(parents)} parents; "
                f"{bound} is {max_parents}. Raise it, or require fewer arcs to this variable."
            )
    check_acyclic(variables, required, "The required arcs")
    return PositionalConstraints(_ascending(required), _ascending(forbidden), tier_of)


def _ascending(parents: Sequence[Set[int]]) -> list[tuple[int, ...]]:
    return [tuple(sorted(members)) if members else () for members in parents]


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
