"""Structures that a search starts from, and whether given arcs keep to its limits."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias

from baytree import _core
from baytree._arc_constraints import Arc, ArcConstraints, arcs_by_child, check_acyclic
from baytree._arguments import shortened
from baytree._tables.table_view import quoted
from baytree.decomposition import min_degree_order
from baytree.network import BayesianNetwork

Start: TypeAlias = BayesianNetwork | Mapping[Hashable, Iterable[Hashable]] | Iterable[Arc]


def check_start(
    start: Start, variables: Sequence[Hashable], constraints: ArcConstraints, max_parents: int
) -> list[list[int]]:
    """Return the parents of every variable, by position, or say why a search cannot start there."""
    parents = arcs_by_child(variables, _arcs(start), "start")
    check_acyclic(variables, parents, "The arcs of start")
    for child, members in enumerate(parents):
        name = variables[child]
        for parent in sorted(members):
            if not constraints.allow(parent, child):
                raise ValueError(
                    f"start has the arc from {variables[parent]!r} to {name!r}, which "
                    "forbidden_arcs or tiers rule out. Take it out of start."
                )
        if missing := [variables[p] for p in constraints.required[child] if p not in members]:
            raise ValueError(
                f"start lacks required_arcs: {quoted(missing)} to {name!r}. Add them to start."
            )
        if len(members) > max_parents:
            raise ValueError(
                f"start gives variable {name!r} {len(members)} parents; at most {max_parents} are "
                "allowed by max_parents and max_treewidth."
            )
    return [sorted(members) for members in parents]


def _arcs(start: Start) -> Iterable[Arc]:
    if isinstance(start, BayesianNetwork):
        return start.arcs
    if not isinstance(start, Mapping):
        if isinstance(start, str) or not isinstance(start, Iterable):
            raise ValueError(
                "start must be a BayesianNetwork, parents by variable, or pairs (parent, child); "
                f"got {shortened(start)}."
            )
        return start
    arcs = []
    for child, parents in start.items():
        if isinstance(parents, str) or not isinstance(parents, Iterable):
            raise ValueError(
                f"start must give a list of parents for {child!r}; got {shortened(parents)}."
            )
        arcs += [(parent, child) for parent in parents]
    return arcs


def check_within_limits(
    argument: str,
    variables: Sequence[Hashable],
    parents: Sequence[Sequence[int]],
    *,
    max_treewidth: int,
    max_clique_states: float,
    arities: Sequence[int],
) -> None:
    """Refuse arcs that no elimination order we find keeps within the limits."""
    if not any(parents):
        return
    found = _core.decompose([sorted(p) for p in parents], min_degree_order(parents))
    if found.width > max_treewidth:
        raise ValueError(
            f"The arcs of {argument} have treewidth {found.width}, by elimination of the variable "
            f"with the fewest neighbours; max_treewidth is {max_treewidth}. Drop some, or raise it."
        )
    if not arities:
        return
    for bag in found.bags:
        n_states = math.prod(arities[position] for position in bag)
        if n_states > max_clique_states:
            raise ValueError(
                f"The arcs of {argument} put {quoted([variables[p] for p in bag])} into one "
                f"clique, which has {n_states:,} states; max_clique_states is "
                f"{max_clique_states:,.0f}. Drop some arcs, or raise it."
            )
