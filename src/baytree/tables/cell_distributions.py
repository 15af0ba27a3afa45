"""Missing cells of a table, and their distributions, one behind the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from baytree.tables.encoding import StateCodes

Floats: TypeAlias = npt.NDArray[np.float64]
Positions: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class GapCells:
    """Rows, variables and arities of missing cells."""

    rows: Positions
    variables: Positions
    arities: StateCodes

    @classmethod
    def missing_in(cls, codes: StateCodes, arities: StateCodes) -> GapCells:
        """Return all that are missing, by row, then by variable."""
        rows, variables = np.nonzero(codes < 0)
        return cls(rows, variables, arities[variables])

    @cached_property
    def starts(self) -> Positions:
        """Where the distribution of each cell starts."""
        return np.asarray(np.cumsum(self.arities) - self.arities, dtype=np.intp)

    @property
    def n_entries(self) -> int:
        """Return how long all distributions are."""
        return int(self.arities.sum())

    def by_arity(self) -> Iterator[tuple[Positions, Positions]]:
        """Yield the cells of each arity above one, and their entries, a row each."""
        for arity in np.unique(self.arities[self.arities > 1]):
            cells = np.flatnonzero(self.arities == arity)
            yield cells, self.starts[cells][:, None] + np.arange(arity)

    def subset(self, cells: Positions) -> GapCells:
        """Return some of the cells."""
        return GapCells(self.rows[cells], self.variables[cells], self.arities[cells])

    def entries_of(self, cells: Positions) -> Positions:
        """Return where the distributions of some of the cells are, one behind the other."""
        own = self.subset(cells)
        shifts = np.repeat(self.starts[cells] - own.starts, own.arities)
        return np.asarray(shifts + np.arange(own.n_entries))

    def normalised(self, logarithms: Floats) -> Floats:
        """Return distributions from their logarithms, each up to a constant."""
        if not len(self.arities):
            return logarithms
        highest = np.maximum.reduceat(logarithms, self.starts)
        weights = np.exp(logarithms - np.repeat(highest, self.arities))
        totals = np.add.reduceat(weights, self.starts)
        return np.asarray(weights / np.repeat(totals, self.arities))
