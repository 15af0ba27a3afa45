"""Cpdag: the completed partially directed graph of equivalent networks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from baytree import _core
from baytree.messages.quoting import pluralize
from baytree.networks.arcs import Arc


@dataclass(frozen=True, repr=False, eq=False)
class Cpdag:
    """Completed partially directed graph: arcs that all equivalent networks share, and edges.

    Equivalent networks have the same independences, so no table distinguishes them. They connect
    the same variables, but some connections have different directions.

    Parameters
    ----------
    variables : tuple
        Names of the variables.
    arcs : tuple of (parent, child)
        Arcs that have this direction in every equivalent network.
    edges : tuple of (variable, variable)
        Connections that have one direction in some of these networks and the other in others.

    See Also
    --------
    BayesianNetwork.to_cpdag : Makes one.

    Notes
    -----
    Two of them are equal if variables, arcs and edges are the same, in any order.

    Examples
    --------
    >>> import baytree as bt
    >>> chain = bt.BayesianNetwork(["a", "b", "c"], [("a", "b"), ("b", "c")])
    >>> chain.to_cpdag()
    Cpdag(3 variables, 0 arcs, 2 edges)
    >>> collider = bt.BayesianNetwork(["a", "b", "c"], [("a", "b"), ("c", "b")])
    >>> collider.to_cpdag().arcs
    (('a', 'b'), ('c', 'b'))
    """

    variables: tuple[Hashable, ...]
    arcs: tuple[Arc, ...]
    edges: tuple[Arc, ...]

    @cached_property
    def connections(self) -> dict[frozenset[Hashable], Arc | None]:
        """The arc between every two variables that are connected; None for an edge."""
        return {frozenset(arc): arc for arc in self.arcs} | {
            frozenset(edge): None for edge in self.edges
        }

    def __eq__(self, other: object) -> bool:
        """Compare variables, arcs and edges."""
        if not isinstance(other, Cpdag):
            return NotImplemented
        return (
            frozenset(self.variables) == frozenset(other.variables)
            and self.connections == other.connections
        )

    def __hash__(self) -> int:
        """Return a hash that equal graphs share."""
        return hash((frozenset(self.variables), frozenset(self.connections.items())))

    def __repr__(self) -> str:
        """Return the class and the sizes."""
        sizes = (
            pluralize(len(self.variables), "variable"),
            pluralize(len(self.arcs), "arc"),
            pluralize(len(self.edges), "edge"),
        )
        return f"Cpdag({', '.join(sizes)})"


def cpdag_of(variables: tuple[Hashable, ...], parents: Sequence[Sequence[int]]) -> Cpdag:
    """Return the graph of the networks that are equivalent to the one with these parents."""
    compelled = _compelled_parents(parents)
    arcs, edges = list[Arc](), list[Arc]()
    for child, members in enumerate(parents):
        for parent in members:
            if parent in compelled[child]:
                arcs.append((variables[parent], variables[child]))
            else:
                first, second = sorted((parent, child))
                edges.append((variables[first], variables[second]))
    return Cpdag(variables, tuple(arcs), tuple(edges))


def _compelled_parents(parents: Sequence[Sequence[int]]) -> list[set[int]]:
    """Return the parents of every variable that it has in all equivalent networks [chickering].

    The last parent of a child in topological order decides: if it neither makes a collider nor
    would make one, only its own compelled parents are compelled parents of the child.
    """
    order = _core.topological_order([list(members) for members in parents])
    assert order is not None  # networks are acyclic
    rank = {variable: place for place, variable in enumerate(order)}
    compelled: list[set[int]] = [set() for _ in parents]
    for child in order:
        if not parents[child]:
            continue
        members = set(parents[child])
        last = max(members, key=rank.__getitem__)
        is_new_collider = not members <= {last, *parents[last]}
        would_be_collider = not compelled[last] <= members
        compelled[child] = members if is_new_collider or would_be_collider else compelled[last]
    return compelled
