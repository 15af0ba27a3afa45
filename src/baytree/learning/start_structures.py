"""Initial networks: structures given by name, checked as starting points of a search."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from baytree import _core
from baytree.learning.constraints import PositionalConstraints
from baytree.messages.quoting import quoted, shortened
from baytree.networks.arcs import Arc, arcs_by_child, check_acyclic, check_known
from baytree.networks.decomposition import min_degree_order, order_along
from baytree.networks.network import BayesianNetwork

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


def check_kind(structure: object, argument: str, networks: str) -> None:
    """Refuse what is no structure; `networks` are the objects that may stand for one."""
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
    """What a clique may hold; arities are empty where they are not known."""

    max_treewidth: int
    max_states: float
    arities: Sequence[int]

    def n_states(self, clique: Iterable[int]) -> int:
        """Return the number of joint states; 1 where arities are not known."""
        return math.prod(self.arities[i] for i in clique) if self.arities else 1

    def allow(self, clique: Sequence[int]) -> bool:
        """Return whether a clique keeps to the limits."""
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
