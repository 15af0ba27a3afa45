"""Regressions fitted to a table with gaps, with the penalty and the weight that hidden cells want.

Some observed cells are hidden from regressions, and from networks that are learned without them.
What both say about those cells decides: regressions that are no help are left out.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from baytree.imputation.one_hot import StateColumns
from baytree.imputation.regressions import (
    LEAST_OF_NETWORKS,
    MOST_WEIGHT,
    PoolWeights,
    StateRegressions,
)
from baytree.imputation.ridge_matrix import Spectrum
from baytree.runtime.blas_threads import one_blas_thread
from baytree.tables.cell_distributions import Floats, GapCells, Positions
from baytree.tables.encoding import StateCodes
from baytree.tables.holdout import hidden_cells

HIDDEN_SHARE = 0.05  # of the observed cells of some rows
MIN_HIDDEN_CELLS = 100  # fewer say nothing
MAX_HIDDEN_CELLS = 8_000  # about
# Regressions are fitted to no more indicators than these. Beyond MAX_RANK columns they have no more
# rows than that: time grows with the cube of the smaller number, and 2,000 take about a second.
MAX_INDICATORS = 2**22
MAX_RANK = 2_000
PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # in mean variances of an indicator
STREAM = 1  # of random numbers: reports and tuning hide cells by the seed alone


def without_some_cells(codes: StateCodes, arities: StateCodes, seed: int) -> StateCodes | None:
    """Return codes without some observed cells, for regressions to be judged by.

    Of long tables, they are those of some rows: there is a price for each such row. If there are
    too few cells, return None.
    """
    n_rows, n_variables = codes.shape
    n_chosen = min(n_rows, math.ceil(MAX_HIDDEN_CELLS / (HIDDEN_SHARE * n_variables)))
    rows = np.random.default_rng([seed, STREAM]).choice(n_rows, n_chosen, replace=False)
    some = codes[rows]
    is_hidden = hidden_cells(some, HIDDEN_SHARE, [seed, STREAM])
    if is_hidden[:, StateColumns(arities).has_columns].sum() < MIN_HIDDEN_CELLS:
        return None
    some[is_hidden] = -1
    shown = codes.copy(order="F")
    shown[rows] = some
    return shown


def rows_of_regressions(
    codes: StateCodes, shown: StateCodes, arities: StateCodes, seed: int
) -> Positions:
    """Return the rows that regressions are fitted to: those with hidden cells before others."""
    n_columns = StateColumns(arities).n_columns
    most = MAX_INDICATORS // n_columns
    most = max(min(most, MAX_RANK) if n_columns > MAX_RANK else most, 1)
    if len(codes) <= most:
        return np.arange(len(codes))
    is_needed = (codes != shown).any(axis=1)
    random = np.random.default_rng([seed, STREAM])
    order = np.argsort(random.random(len(codes)) - is_needed, kind="stable")
    return np.sort(order[:most])


def estimated_regressions(
    codes: StateCodes,
    shown: StateCodes,
    arities: StateCodes,
    of_networks: Floats,
    deadline: float,
) -> StateRegressions | None:
    """Return regressions on codes with gaps; None if hidden cells are hardly more probable.

    `shown` are the codes without some observed cells, and `of_networks` the distributions of its
    gaps, by networks that did not see those cells. Ctrl-C raises KeyboardInterrupt, and a deadline
    TimeoutError.
    """
    with one_blas_thread():
        return _estimated(StateColumns(arities), codes, shown, of_networks, deadline)


def _estimated(
    columns: StateColumns,
    codes: StateCodes,
    shown: StateCodes,
    of_networks: Floats,
    deadline: float,
) -> StateRegressions | None:
    gaps = GapCells.missing_in(shown, columns.arities)
    states = codes[gaps.rows, gaps.variables]  # -1 for real gaps
    hidden = np.flatnonzero((states >= 0) & columns.has_columns[gaps.variables])
    rows = _FilledRows.made(columns, shown, gaps, of_networks, deadline)
    chosen = _best_penalty(rows, hidden, states[hidden], deadline)
    if chosen is None:
        return None
    # Regressions give back what gaps of their own rows were filled with. So let that be what
    # regressions on all other rows say; once more, as those have not seen the hidden cells.
    real = np.flatnonzero(states < 0)
    filled = rows.pooled(real, *chosen)
    known, gaps = of_networks[gaps.entries_of(real)], gaps.subset(real)
    rows = _FilledRows.made(columns, codes, gaps, filled, deadline)
    filled = replace(rows, of_networks=known).pooled(np.arange(len(real)), *chosen)
    penalty, weights = chosen
    spectrum = Spectrum.of_rows(columns.indicators(codes, gaps, filled), deadline)
    matrix = spectrum.matrix(spectrum.penalty(penalty))
    kept = replace(matrix, factor=np.ascontiguousarray(matrix.factor, dtype=np.float32))
    return StateRegressions(columns.arities, kept, weights)


@dataclass(frozen=True, eq=False)
class _FilledRows:
    """Rows with their gaps filled, and what regressions on all others say about these."""

    columns: StateColumns
    gaps: GapCells
    of_networks: Floats
    indicators: Floats
    spectrum: Spectrum

    @classmethod
    def made(
        cls,
        columns: StateColumns,
        codes: StateCodes,
        gaps: GapCells,
        distributions: Floats,
        deadline: float,
    ) -> _FilledRows:
        indicators = columns.indicators(codes, gaps, distributions)
        spectrum = Spectrum.of_rows(indicators, deadline)
        return cls(columns, gaps, distributions, indicators, spectrum)

    def predicted(self, cells: Positions, in_variances: float) -> Floats:
        """Return distributions of some gaps by regressions on all rows but theirs."""
        rows, line = np.unique(self.gaps.rows[cells], return_inverse=True)
        own = replace(self.gaps.subset(cells), rows=line)
        penalty = self.spectrum.penalty(in_variances)
        matrix = self.spectrum.matrix(penalty)
        return matrix.predicted(self.columns, self.indicators[rows], own, penalty)

    def pooled(self, cells: Positions, in_variances: float, weights: PoolWeights) -> Floats:
        """Return distributions of some gaps by networks and these regressions."""
        known = self.of_networks[self.gaps.entries_of(cells)]
        return weights.pooled(self.gaps.subset(cells), known, self.predicted(cells, in_variances))


def _best_penalty(
    rows: _FilledRows, hidden: Positions, states: StateCodes, deadline: float
) -> tuple[float, PoolWeights] | None:
    """Return the penalty and the weights that make the states of hidden cells most probable."""
    known = rows.of_networks[rows.gaps.entries_of(hidden)]
    of_networks = np.log(np.maximum(known, LEAST_OF_NETWORKS))
    cells = _JudgedCells(rows.gaps.subset(hidden), states, of_networks)
    least = cells.loss_of_networks - math.log(len(hidden)) / len(hidden)  # BIC of two weights
    chosen, weights = None, PoolWeights(1.0, 1.0)
    for penalty in PENALTIES:
        if time.monotonic() >= deadline:
            raise TimeoutError
        loss, weights = cells.fitted(np.log(rows.predicted(hidden, penalty)), start=weights)
        if loss < least and weights.of_regressions > 0:
            least, chosen = loss, (penalty, weights)
    return chosen


@dataclass(frozen=True, eq=False)
class _JudgedCells:
    """Hidden cells with their states, and logarithms of what networks say about them."""

    gaps: GapCells
    states: StateCodes
    of_networks: Floats

    @property
    def loss_of_networks(self) -> float:
        """Loss without regressions."""
        return self.loss(np.array([1.0, 0.0]), np.zeros_like(self.of_networks))[0]

    def fitted(self, of_regressions: Floats, start: PoolWeights) -> tuple[float, PoolWeights]:
        """Return the least loss, and the weights that have it."""
        found = minimize(
            self.loss,
            [start.of_networks, start.of_regressions],
            args=(of_regressions,),
            jac=True,
            bounds=[(0.0, MOST_WEIGHT)] * 2,
        )
        return float(found.fun), PoolWeights(*found.x.tolist())

    def loss(self, weights: Floats, of_regressions: Floats) -> tuple[float, Floats]:
        """Return the mean negative log probability of the states, and its slope."""
        pair = np.column_stack([self.of_networks, of_regressions])
        probabilities = self.gaps.normalised((pair * weights).sum(axis=1))
        right = self.gaps.starts + self.states
        n_cells = len(self.states)
        slope = ((probabilities[:, None] * pair).sum(axis=0) - pair[right].sum(axis=0)) / n_cells
        return float(-np.log(probabilities[right]).mean()), slope
