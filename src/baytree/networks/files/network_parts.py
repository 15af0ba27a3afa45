"""What a file of a network holds, whatever its format."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from baytree.networks.cpts import Cpt
from baytree.tables.bins import Bins


@dataclass(frozen=True)
class NetworkParts:
    """Parts of a network; whether they make sense is for the network to say.

    `cpts` has a table for each variable: a row a joint state of its parents, which stand in the
    order of the variables, the last one's state changing fastest; a column a state. `bags` and
    `edges` are those of the tree decomposition. `bins` are those of the variables, by position,
    whose states are intervals of numbers.
    """

    variables: Sequence[Hashable]
    states: Sequence[Sequence[Hashable]] | None
    arcs: Sequence[tuple[Hashable, Hashable]]
    cpts: Sequence[Cpt] | None = None
    bags: Sequence[Sequence[Hashable]] | None = None
    edges: Sequence[tuple[int, int]] = ()
    score: float | None = None
    bins: Mapping[int, Bins] = field(default_factory=dict)

    def parent_positions(self) -> list[list[int]]:
        """Return where the parents of each variable stand, in ascending order."""
        positions = {variable: position for position, variable in enumerate(self.variables)}
        parents: list[list[int]] = [[] for _ in self.variables]
        for parent, child in self.arcs:
            parents[positions[child]].append(positions[parent])
        return [sorted(members) for members in parents]
