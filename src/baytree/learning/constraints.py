"""Constraints of a structure: arcs, sizes of cliques, and the network that a search starts from."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from baytree import _core
from baytree.messages.arguments import integer_at_least
from baytree.messages.quoting import quoted, shortened
from baytree.networks.arcs import Arc, arcs_by_child, check_acyclic, check_known
from baytree.networks.decomposition import min_degree_order, order_along
from baytree.networks.network import BayesianNetwork
from baytree.runtime.settings import Settings

Tiers: TypeAlias = Sequence[Sequence[Hashable]]


@dataclass
class ArcConstraints(Settings):
    """Arcs that a network must have, must not have, or may have.

    Parameters
    ----------
    required, forbidden : iterable of (parent, child), default=()
        Arcs that must be in the network, and arcs that must not. The searches k-max, k-greedy, s2
        and s2+ cannot obey required arcs and refuse them.
    tiers : sequence of sequences of names, optional
        All variables in groups, the earliest first: no arc leads from a later group to an earlier
        one.
    max_parents : int, optional
        Largest number of parents of a variable; never more than the treewidth allows.

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
    max_parents: int | None = None

    def __post_init__(self) -> None:
        """Keep the arcs of an iterator, which can be read only once."""
        for name, given in self.get_params().items():
            if isinstance(given, Iterator):
                setattr(self, name, tuple(given))


@dataclass(frozen=True)
class PositionalConstraints:
    """Required and forbidden parents and the tier of every variable, by position.

    Without tiers, `tiers` is empty. Tiers forbid too many arcs for a list of them.
    """

    required: list[tuple[int, ...]]
    forbidden: list[tuple[int, ...]]
    tiers: list[int] = field(default_factory=list)

    def allow(self, parent: int, child: int) -> bool:
        """Return True for an arc that neither `forbidden` nor the tiers rule out."""
        is_backward = bool(self.tiers) and self.tiers[parent] > self.tiers[child]
        return not is_backward and parent not in self.forbidden[child]

    def n_possible_parents(self, child: int) -> int:
        """Return the number of variables that may be a parent of one."""
        if not self.tiers:
            return len(self.forbidden) - 1 - len(self.forbidden[child])
        own = self.tiers[child]
        n_forbidden = sum(self.tiers[parent] <= own for parent in self.forbidden[child])
        return bisect_right(self._sorted_tiers, own) - 1 - n_forbidden

    @cached_property
    def _sorted_tiers(self) -> list[int]:
        return sorted(self.tiers)

    def to_core(self) -> _core.ArcConstraints:
        """Return the constraints of the core."""
        return _core.ArcConstraints(
            required=self.required, forbidden=self.forbidden, tiers=self.tiers
        )


def bound_parents(max_parents: int, constraints: ArcConstraints | None) -> int:
    """Return the number of parents that a bound and the constraints allow."""
    own = constraints.max_parents if isinstance(constraints, ArcConstraints) else None
    return max_parents if own is None else min(integer_at_least("max_parents", own, 1), max_parents)


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
            f"tiers must name every variable; they lack {quoted(missing)}. Put them into a tier."
        )
    return [tier_of[name] for name in variables]


def _listed(names: object, tiers: object) -> list[Hashable]:
    if isinstance(names, (str, Mapping)) or not isinstance(names, Iterable):
        raise ValueError(
            "tiers must be a list of lists of names, the earliest variables first; "
            f"got {shortened(tiers)}."
        )
    return list(names)


GivenArcs: TypeAlias = Mapping[Hashable, Iterable[Hashable]] | Iterable[Arc]
InitialNetwork: TypeAlias = BayesianNetwork | GivenArcs


def check_initial_network(
    given: InitialNetwork,
    variables: Sequence[Hashable],
    constraints: PositionalConstraints,
    max_parents: int,
) -> list[list[int]]:
    """Return the parents of every variable, by position; refuse what a search cannot start from."""
    check_kind(given, "initial_network", "a BayesianNetwork")
    parents = given_parents(given, variables, "initial_network")
    for child, members in enumerate(parents):
        name = variables[child]
        for parent in sorted(members):
            if not constraints.allow(parent, child):
                raise ValueError(
                    f"initial_network has the arc from {variables[parent]!r} to {name!r}, which "
                    "forbidden or tiers rule out. Take it out of initial_network."
                )
        if missing := [variables[p] for p in constraints.required[child] if p not in members]:
            raise ValueError(
                f"initial_network lacks required arcs: {quoted(missing)} to {name!r}. Add them to "
                "initial_network."
            )
        if len(members) > max_parents:
            raise ValueError(
                f"initial_network gives variable {name!r} {len(members)} parents; at most "
                f"{max_parents} are allowed by max_parents and max_treewidth."
            )
    return [sorted(members) for members in parents]


def check_reusable(initial_network: object) -> None:
    """Refuse an iterator as a setting of an estimator, whose next fit would find it empty."""
    if isinstance(initial_network, Iterator):
        raise ValueError(
            "initial_network must not be an iterator, which can be read only once; got "
            f"{shortened(initial_network)}. Pass list(...) of it."
        )


def check_kind(structure: object, argument: str, networks: str) -> None:
    """Refuse what is not a structure; `networks` names the objects that may stand for one."""
    is_arcs = isinstance(structure, Iterable) and not isinstance(structure, str)
    if not is_arcs and not isinstance(structure, BayesianNetwork):
        raise ValueError(
            f"{argument} must be {networks}, parents by variable, or pairs (parent, child); "
            f"got {shortened(structure)}."
        )


def given_parents(
    structure: InitialNetwork, variables: Sequence[Hashable], argument: str
) -> list[Set[int]]:
    """Return the parents of every variable, by position; refuse unknown names and cycles."""
    positions = {name: position for position, name in enumerate(variables)}
    named: Iterable[Hashable] = ()
    if isinstance(structure, (BayesianNetwork, Mapping)):
        named = structure.variables if isinstance(structure, BayesianNetwork) else structure
    for name in named:
        check_known(name, positions, argument)
    parents = arcs_by_child(variables, _arcs(structure, argument), argument)
    check_acyclic(variables, parents, f"The arcs of {argument}")
    return parents


def _arcs(structure: InitialNetwork, argument: str) -> Iterable[Arc]:
    if isinstance(structure, BayesianNetwork):
        return structure.arcs
    if not isinstance(structure, Mapping):
        return structure
    arcs = []
    for child, parents in structure.items():
        if isinstance(parents, str) or not isinstance(parents, Iterable):
            raise ValueError(
                f"{argument} must give a list of parents for {child!r}; got {shortened(parents)}."
            )
        arcs += [(parent, child) for parent in parents]
    return arcs


@dataclass(frozen=True)
class CliqueLimits:
    """Limits of a clique; without known arities, `arities` is empty."""

    max_treewidth: int
    max_states: float
    arities: Sequence[int]

    def n_states(self, clique: Iterable[int]) -> int:
        """Return the number of joint states; 1 without known arities."""
        return math.prod(self.arities[i] for i in clique) if self.arities else 1

    def allow(self, clique: Sequence[int]) -> bool:
        """Return True for a clique within the limits."""
        return len(clique) <= self.max_treewidth + 1 and self.n_states(clique) <= self.max_states


def check_within_limits(
    arcs: str,
    variables: Sequence[Hashable],
    parents: Sequence[Sequence[int]],
    limits: CliqueLimits,
) -> None:
    """Refuse arcs that no elimination order found here keeps within the limits."""
    if not any(parents):
        return
    found = _core.decompose([sorted(p) for p in parents], min_degree_order(parents))
    if found.width > limits.max_treewidth:
        raise ValueError(
            f"{arcs} have treewidth {found.width}, by elimination of the variable "
            f"with the fewest neighbours; max_treewidth is {limits.max_treewidth}. Drop some, or "
            "raise it."
        )
    for bag in found.bags:
        if not limits.allow(bag):
            raise ValueError(
                f"{arcs} put {quoted([variables[p] for p in bag])} into one "
                f"clique, which has {limits.n_states(bag):,} states; max_clique_states is "
                f"{limits.max_states:,.0f}. Drop some arcs, or raise it."
            )


def proven_order(
    given: InitialNetwork, variables: Sequence[Hashable], limits: CliqueLimits
) -> list[int] | None:
    """Return an elimination order from the decomposition of a network within the limits."""
    if not isinstance(given, BayesianNetwork):
        return None
    positions = {name: position for position, name in enumerate(variables)}
    for bag in given.decomposition.bags:
        if not limits.allow([positions[name] for name in bag]):
            return None
    order = [positions[name] for name in order_along(given.decomposition)]
    return [*sorted(set(range(len(variables))).difference(order)), *order]
