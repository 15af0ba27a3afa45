"""Missing cells of a table, and distributions of their states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from baytree.tables.columns import Mask, StateCodes

Floats: TypeAlias = npt.NDArray[np.float64]
Positions: TypeAlias = npt.NDArray[np.intp]

# Cells of variables of more states, such as names and identifiers, are left out unless a user asks
# for them: all their distributions could need more memory than the machine has.
MAX_STATES = 64


@dataclass(frozen=True, eq=False)
class TableRows:
    """Codes of rows, and the numbers of variables that are binned, a column each.

    A number counts only where the code says that its cell is observed.
    """

    codes: StateCodes
    numbers: Floats

    def take(self, rows: Positions | slice) -> TableRows:
        """Return some of the rows."""
        return TableRows(np.asfortranarray(self.codes[rows]), self.numbers[rows])

    def with_codes(self, codes: StateCodes) -> TableRows:
        """Return the rows with other cells hidden."""
        return TableRows(np.asfortranarray(codes), self.numbers)


@dataclass(frozen=True, eq=False)
class MissingCells:
    """Rows, variables and arities of missing cells.

    Distributions of the cells are stored one after the other in a single array, in the order of
    the cells: by row, then by variable.
    """

    rows: Positions
    variables: Positions
    arities: StateCodes

    @classmethod
    def of(
        cls, codes: StateCodes, arities: StateCodes, max_states: int | None = MAX_STATES
    ) -> MissingCells:
        """Find the missing cells of variables of at most `max_states`; None for no limit."""
        rows, variables = np.nonzero(is_asked(codes, arities, max_states))
        return cls(rows, variables, arities[variables])

    @cached_property
    def starts(self) -> Positions:
        """First entry of the distribution of each cell."""
        return np.asarray(np.cumsum(self.arities) - self.arities, dtype=np.intp)

    @property
    def n_entries(self) -> int:
        """Length of all distributions together."""
        return int(self.arities.sum())

    def by_arity(self) -> Iterator[tuple[Positions, Positions]]:
        """Yield the cells of each arity above one, and their entries as one row per cell."""
        for arity in np.unique(self.arities[self.arities > 1]):
            cells = np.flatnonzero(self.arities == arity)
            yield cells, self.starts[cells][:, None] + np.arange(arity)

    def few_states(self, max_states: int = MAX_STATES) -> tuple[Mask, Mask]:
        """Return the masks of the cells of at most `max_states`, and of their entries."""
        is_few = self.arities <= max_states
        return is_few, np.repeat(is_few, self.arities)

    def of_rows(self, first: int, last: int) -> tuple[slice, slice]:
        """Return the cells of rows up to the last one, and their entries."""
        cells = slice(*np.searchsorted(self.rows, [first, last + 1]).tolist())
        own = self.arities[cells]
        start = int(self.starts[cells.start]) if len(own) else 0
        return cells, slice(start, start + int(own.sum()))

    def subset(self, cells: Positions) -> MissingCells:
        """Return some of the cells."""
        return MissingCells(self.rows[cells], self.variables[cells], self.arities[cells])

    def entries_of(self, cells: Positions) -> Positions:
        """Return the entries of some of the cells, one cell after the other."""
        own = self.subset(cells)
        shifts = np.repeat(self.starts[cells] - own.starts, own.arities)
        return np.asarray(shifts + np.arange(own.n_entries))

    @cached_property
    def _by_variable(self) -> tuple[Positions, Positions]:
        """Cells by variable, then by row, and their variables."""
        order = np.argsort(self.variables, kind="stable")
        return order, self.variables[order]

    def of_variable(self, variable: int, arity: int) -> tuple[Positions, Positions]:
        """Return the cells of a variable, and their entries as one row per cell."""
        order, ordered = self._by_variable
        first, end = np.searchsorted(ordered, [variable, variable + 1])
        cells = order[first:end]
        return cells, self.starts[cells][:, None] + np.arange(arity)

    def normalize(self, logarithms: Floats) -> Floats:
        """Return distributions, given their logarithms up to a constant per cell."""
        if not len(self.arities):
            return logarithms
        highest = np.maximum.reduceat(logarithms, self.starts)
        weights = np.exp(logarithms - np.repeat(highest, self.arities))
        totals = np.add.reduceat(weights, self.starts)
        return np.asarray(weights / np.repeat(totals, self.arities))

    def most_probable_states(self, distributions: Floats) -> StateCodes:
        """Return the mode of each distribution; the first of several."""
        if not len(self.arities):
            return np.zeros(0, dtype=np.int32)
        highest = np.repeat(np.maximum.reduceat(distributions, self.starts), self.arities)
        within = np.arange(len(distributions)) - np.repeat(self.starts, self.arities)
        codes = np.where(distributions >= highest, within, np.iinfo(np.int32).max)
        return np.minimum.reduceat(codes, self.starts).astype(np.int32)


def is_asked(codes: StateCodes, arities: StateCodes, max_states: int | None = MAX_STATES) -> Mask:
    """Return the mask of the missing cells of variables of at most `max_states`."""
    is_missing = codes < 0
    return is_missing if max_states is None else is_missing & (arities <= max_states)


def hold_out_cells(
    codes: StateCodes, fraction: float, seed: int | Sequence[int], fold: int = 0
) -> Mask:
    """Draw a fraction of the observed cells, but never all cells of a variable.

    The cells of several folds, each with the same seed, are disjoint.
    """
    draws = np.where(codes >= 0, np.random.default_rng(seed).random(codes.shape), np.inf)
    is_held_out: Mask = (fold * fraction <= draws) & (draws < (fold + 1) * fraction)
    for position in np.flatnonzero((is_held_out == (codes >= 0)).all(axis=0)):
        is_held_out[np.argmax(codes[:, position] >= 0), position] = False
    return is_held_out
