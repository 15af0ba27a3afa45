"""States as numbers: columns of indicators, with probabilities where cells are missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from baytree.tables.cell_distributions import Floats, GapCells, Positions
from baytree.tables.columns import Mask
from baytree.tables.encoding import StateCodes

# Variables of more states have no columns: they would have too many for too few rows each.
MAX_STATES = 64
LEAST_SHARE = 0.02  # of an even probability: predicted indicators may be below zero


@dataclass(frozen=True, eq=False)
class StateColumns:
    """One column for two states, else one for each state; none for a constant."""

    arities: StateCodes

    @cached_property
    def has_columns(self) -> Mask:
        """Which variables have any."""
        return np.asarray((self.arities > 1) & (self.arities <= MAX_STATES))

    @cached_property
    def firsts(self) -> Positions:
        """First column of each variable."""
        return np.asarray(np.cumsum(self._widths) - self._widths, dtype=np.intp)

    @cached_property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self._widths.sum())

    @cached_property
    def _widths(self) -> Positions:
        return np.where(self.has_columns, np.where(self.arities > 2, self.arities, 1), 0)

    def places(self, variables: Positions) -> Positions:
        """Return the columns of variables of one arity, a row each."""
        return np.asarray(self.firsts[variables][:, None] + np.arange(self._widths[variables[0]]))

    def indicators(self, codes: StateCodes, gaps: GapCells, distributions: Floats) -> Floats:
        """Return a row of indicators for each row, given the distributions of its gaps."""
        indicators = np.zeros((len(codes), self.n_columns))
        is_binary = self.arities == 2
        indicators[:, self.firsts[is_binary]] = codes[:, is_binary] == 1
        for variable in np.flatnonzero(self._widths > 1):
            rows = np.flatnonzero(codes[:, variable] >= 0)
            indicators[rows, self.firsts[variable] + codes[rows, variable]] = 1.0
        for cells, entries in gaps.by_arity():
            if self.has_columns[gaps.variables[cells[0]]]:
                columns = self.places(gaps.variables[cells])
                of_states = distributions[entries[:, -columns.shape[1] :]]
                indicators[gaps.rows[cells][:, None], columns] = of_states
        return indicators


def distributions_of(predicted: Floats) -> Floats:
    """Return distributions from predicted indicators of one arity, a row each."""
    if predicted.shape[1] == 1:
        predicted = np.column_stack([1 - predicted, predicted])
    least = np.maximum(predicted, LEAST_SHARE / predicted.shape[1])
    return np.asarray(least / least.sum(axis=1, keepdims=True))
