"""Regressions fitted to a table with gaps, with the penalty and the weight that hidden cells want.

Some observed cells are hidden from regressions, and from networks that were learned without them.
What both say about those cells decides: regressions that are no help are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from baytree._columns import Mask
from baytree._encoding import StateCodes
from baytree._gap_cells import Floats, GapCells, Positions
from baytree._hidden_cells import hidden_cells
from baytree._ridge_matrix import RidgeMatrix, Spectrum, one_blas_thread
from baytree._state_columns import StateColumns
from baytree._state_regressions import (
    LEAST_OF_NETWORKS,
    MOST_WEIGHT,
    PoolWeights,
    StateRegressions,
)

HIDDEN_SHARE = 0.05  # of the observed cells of some rows
MAX_HIDDEN_CELLS = 12_000
# Regressions are fitted to no more indicators than these. Beyond MAX_RANK columns they have no more
# rows than that: time grows with the cube of the smaller number, and 2,000 take about a second.
MAX_INDICATORS = 2**22
MAX_RANK = 2_000
PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # in mean variances of an indicator


def without_some_cells(codes: StateCodes, seed: int) -> StateCodes:
    """Return codes without some observed cells, for regressions to be judged by.

    Of long tables, cells of some rows are hidden: there is a price for each such row.
    """
    is_hidden = hidden_cells(codes, HIDDEN_SHARE, seed)
    order = np.random.default_rng(seed).permutation(len(codes))
    n_hidden = np.cumsum(is_hidden.sum(axis=1)[order])
    is_hidden[order[n_hidden > MAX_HIDDEN_CELLS]] = False
    return np.asfortranarray(np.where(is_hidden, np.int32(-1), codes))


def estimated_regressions(
    codes: StateCodes,
    shown: StateCodes,
    arities: StateCodes,
    of_networks: Floats,
    *,
    seed: int,
    deadline: float,
) -> StateRegressions | None:
    """Return regressions on codes with gaps; None if hidden cells are hardly more probable.

    `shown` are the codes without some observed cells, and `of_networks` the distributions of its
    gaps, by networks that did not see those cells. Ctrl-C raises KeyboardInterrupt, and a deadline
    TimeoutError.
    """
    columns = StateColumns(arities)
    is_needed = (codes != shown).any(axis=1)
    rows = _rows_of_fit(is_needed, columns.n_columns, np.random.default_rng(seed))
    all_gaps = GapCells.of(shown, arities)
    known = all_gaps.taken(of_networks, np.flatnonzero(np.isin(all_gaps.rows, rows)))
    with one_blas_thread():
        return _estimated(columns, codes[rows], shown[rows], known, deadline)


def _rows_of_fit(is_needed: Mask, n_columns: int, random: np.random.Generator) -> Positions:
    """Return the rows that regressions are fitted to, in order: those needed before others."""
    most = MAX_INDICATORS // max(n_columns, 1)
    most = max(min(most, MAX_RANK) if n_columns > MAX_RANK else most, 1)
    if len(is_needed) <= most:
        return np.arange(len(is_needed))
    order = np.argsort(random.random(len(is_needed)) - is_needed, kind="stable")
    return np.sort(order[:most])


def _estimated(
    columns: StateColumns,
    codes: StateCodes,
    shown: StateCodes,
    of_networks: Floats,
    deadline: float,
) -> StateRegressions | None:
    gaps = GapCells.of(shown, columns.arities)
    states = codes[gaps.rows, gaps.variables]  # -1 for real gaps
    hidden = np.flatnonzero((states >= 0) & (gaps.arities > 1))
    if not len(hidden):
        return None
    rows = _FilledRows.of(columns, shown, gaps, of_networks, deadline)
    chosen = _best_penalty(rows, hidden, states[hidden])
    if chosen is None:
        return None
    # Regressions give back what gaps of their own rows were filled with. So let that be what
    # regressions on all other rows say; once more, as those have not seen the hidden cells.
    real = np.flatnonzero(states < 0)
    filled = rows.pooled(real, *chosen)
    gaps, known = gaps.some(real), gaps.taken(of_networks, real)
    rows = _FilledRows.of(columns, codes, gaps, filled, deadline)
    filled = replace(rows, of_networks=known).pooled(np.arange(len(real)), *chosen)
    penalty, weights = chosen
    spectrum = Spectrum.of(columns.indicators(codes, gaps, filled), deadline)
    matrix = spectrum.matrix(penalty)
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
    def of(
        cls,
        columns: StateColumns,
        codes: StateCodes,
        gaps: GapCells,
        distributions: Floats,
        deadline: float,
    ) -> _FilledRows:
        indicators = columns.indicators(codes, gaps, distributions)
        spectrum = Spectrum.of(indicators, deadline)
        return cls(columns, gaps, distributions, indicators, spectrum)

    def predicted(self, cells: Positions, matrix: RidgeMatrix) -> Floats:
        """Return distributions of some gaps by regressions on all rows but theirs."""
        rows, line = np.unique(self.gaps.rows[cells], return_inverse=True)
        own = replace(self.gaps.some(cells), rows=line)
        indicators = self.indicators[rows]
        return matrix.predicted(self.columns, indicators, own, without_own_rows=True)

    def pooled(self, cells: Positions, penalty: float, weights: PoolWeights) -> Floats:
        """Return distributions of some gaps by networks and these regressions."""
        predicted = self.predicted(cells, self.spectrum.matrix(penalty))
        known = self.gaps.taken(self.of_networks, cells)
        return weights.pooled(self.gaps.some(cells), known, predicted)


def _best_penalty(
    rows: _FilledRows, hidden: Positions, states: StateCodes
) -> tuple[float, PoolWeights] | None:
    """Return the penalty and the weights that make the states of hidden cells most probable."""
    known = rows.gaps.taken(rows.of_networks, hidden)
    of_networks = np.log(np.maximum(known, LEAST_OF_NETWORKS))
    cells = _JudgedCells(rows.gaps.some(hidden), states, of_networks)
    of_networks_alone = cells.loss(np.array([1.0, 0.0]), of_networks)[0]
    least, chosen = math.inf, None
    for penalty in PENALTIES:
        predicted = rows.predicted(hidden, rows.spectrum.matrix(penalty))
        loss, weights = cells.fitted(np.log(predicted), chosen[1] if chosen else PoolWeights(1, 1))
        if loss >= least:  # it falls with the penalty, then it rises
            break
        least, chosen = loss, (penalty, weights)
    price = math.log(len(hidden)) / len(hidden)  # by BIC, as there are two weights
    is_better = least + price < of_networks_alone
    return chosen if chosen and is_better and chosen[1].of_regressions > 0 else None


@dataclass(frozen=True, eq=False)
class _JudgedCells:
    """Hidden cells with their states, and logarithms of what networks say about them."""

    gaps: GapCells
    states: StateCodes
    of_networks: Floats

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
        probabilities = self.gaps.normalised(pair @ weights)
        right = self.gaps.starts + self.states
        n_cells = len(self.states)
        slope = (probabilities @ pair - pair[right].sum(axis=0)) / n_cells
        return float(-np.log(probabilities[right]).mean()), slope
