"""Fit of regressions to a table with missing cells.

The penalty and the weights of regressions are those that make held-out cells most probable: some
observed cells are hidden from the regressions, and from networks that are learned without them. If
regressions hardly improve on networks there, they are left out.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from baytree.imputation.missing_cells import Floats, MissingCells, Positions, hold_out_cells
from baytree.imputation.regressions import (
    MAX_WEIGHT,
    MIN_NETWORK_PROBABILITY,
    ModelWeights,
    Spectrum,
    StateColumns,
    StateRegressions,
)
from baytree.runtime.blas_threads import one_blas_thread
from baytree.tables.columns import StateCodes

HELD_OUT_FRACTION = 0.05  # of the observed cells of some rows
MIN_HELD_OUT_CELLS = 100  # fewer are too noisy
MAX_HELD_OUT_CELLS = 8_000  # approximately
# Regressions are fitted to no more indicators than these. Beyond MAX_RANK columns they have no more
# rows than that: time grows with the cube of the smaller number, and 2,000 take about a second.
MAX_INDICATORS = 2**22
MAX_RANK = 2_000
PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # in mean variances of an indicator
STREAM = 1  # of random numbers: reports and tuning hold out cells by the seed alone


def hide_some_cells(codes: StateCodes, arities: StateCodes, seed: int) -> StateCodes | None:
    """Return codes without the held-out cells that weigh regressions; None if they are too few.

    In long tables, they are cells of some rows only, because each such row takes time.
    """
    n_rows, n_variables = codes.shape
    n_chosen = min(n_rows, math.ceil(MAX_HELD_OUT_CELLS / (HELD_OUT_FRACTION * n_variables)))
    rows = np.random.default_rng([seed, STREAM]).choice(n_rows, n_chosen, replace=False)
    some = codes[rows]
    is_held_out = hold_out_cells(some, HELD_OUT_FRACTION, [seed, STREAM])
    if is_held_out[:, StateColumns(arities).has_columns].sum() < MIN_HELD_OUT_CELLS:
        return None
    some[is_held_out] = -1
    shown = codes.copy(order="F")
    shown[rows] = some
    return shown


def choose_training_rows(
    codes: StateCodes, shown: StateCodes, arities: StateCodes, seed: int
) -> Positions:
    """Draw the rows that regressions are fitted to: those with held-out cells before others."""
    n_columns = StateColumns(arities).n_columns
    max_rows = MAX_INDICATORS // n_columns
    max_rows = max(min(max_rows, MAX_RANK) if n_columns > MAX_RANK else max_rows, 1)
    if len(codes) <= max_rows:
        return np.arange(len(codes))
    is_needed = (codes != shown).any(axis=1)
    random = np.random.default_rng([seed, STREAM])
    order = np.argsort(random.random(len(codes)) - is_needed, kind="stable")
    return np.sort(order[:max_rows])


def fit_regressions(
    codes: StateCodes,
    shown: StateCodes,
    arities: StateCodes,
    by_networks: Floats,
    deadline: float,
) -> StateRegressions | None:
    """Fit regressions to codes with missing cells; None if they hardly improve on networks.

    `shown` are the codes without the held-out cells, and `by_networks` the distributions of all
    cells missing there, by networks that did not see the held-out cells. Ctrl-C raises
    KeyboardInterrupt, and a deadline TimeoutError.
    """
    with one_blas_thread():
        return _fit(StateColumns(arities), codes, shown, by_networks, deadline)


def _fit(
    columns: StateColumns,
    codes: StateCodes,
    shown: StateCodes,
    by_networks: Floats,
    deadline: float,
) -> StateRegressions | None:
    missing = MissingCells.of(shown, columns.arities)
    states = codes[missing.rows, missing.variables]  # -1 for cells that are truly missing
    held_out = np.flatnonzero((states >= 0) & columns.has_columns[missing.variables])
    rows = _CompletedRows.of(columns, shown, missing, by_networks, deadline)
    chosen = _choose_penalty(rows, held_out, states[held_out], deadline)
    if chosen is None:
        return None
    # Regressions reproduce the values that cells of their own rows were completed with. So complete
    # them by regressions on all other rows; and once more, as those lack the held-out cells.
    real = np.flatnonzero(states < 0)
    completed = rows.pool(real, *chosen)
    known, missing = by_networks[missing.entries_of(real)], missing.subset(real)
    rows = _CompletedRows.of(columns, codes, missing, completed, deadline)
    completed = replace(rows, by_networks=known).pool(np.arange(len(real)), *chosen)
    penalty, weights = chosen
    spectrum = Spectrum.of_rows(columns.indicators(codes, missing, completed), deadline)
    matrix = spectrum.matrix(spectrum.penalty(penalty))
    stored = replace(matrix, factor=np.ascontiguousarray(matrix.factor, dtype=np.float32))
    return StateRegressions(columns.arities, stored, weights)


@dataclass(frozen=True, eq=False)
class _CompletedRows:
    """Completed rows, whose missing cells are predicted by regressions on all other rows."""

    columns: StateColumns
    missing: MissingCells
    by_networks: Floats
    indicators: Floats
    spectrum: Spectrum

    @classmethod
    def of(
        cls,
        columns: StateColumns,
        codes: StateCodes,
        missing: MissingCells,
        distributions: Floats,
        deadline: float,
    ) -> _CompletedRows:
        indicators = columns.indicators(codes, missing, distributions)
        spectrum = Spectrum.of_rows(indicators, deadline)
        return cls(columns, missing, distributions, indicators, spectrum)

    def predict(self, cells: Positions, in_variances: float) -> Floats:
        """Return distributions of some cells by regressions on all other rows."""
        rows, line = np.unique(self.missing.rows[cells], return_inverse=True)
        own = replace(self.missing.subset(cells), rows=line)
        penalty = self.spectrum.penalty(in_variances)
        matrix = self.spectrum.matrix(penalty)
        return matrix.predict(self.columns, self.indicators[rows], own, penalty)

    def pool(self, cells: Positions, in_variances: float, weights: ModelWeights) -> Floats:
        """Return distributions of some cells by networks and these regressions."""
        known = self.by_networks[self.missing.entries_of(cells)]
        return weights.pool(self.missing.subset(cells), known, self.predict(cells, in_variances))


def _choose_penalty(
    rows: _CompletedRows, held_out: Positions, states: StateCodes, deadline: float
) -> tuple[float, ModelWeights] | None:
    """Choose the penalty and the weights that maximise the likelihood of held-out cells."""
    known = rows.by_networks[rows.missing.entries_of(held_out)]
    by_networks = np.log(np.maximum(known, MIN_NETWORK_PROBABILITY))
    cells = _HeldOutCells(rows.missing.subset(held_out), states, by_networks)
    lowest = cells.loss_of_networks - math.log(len(held_out)) / len(held_out)  # BIC, two weights
    chosen, weights = None, ModelWeights(1.0, 1.0)
    for penalty in PENALTIES:
        if time.monotonic() >= deadline:
            raise TimeoutError
        loss, weights = cells.fit(np.log(rows.predict(held_out, penalty)), start=weights)
        if loss < lowest and weights.regressions > 0:
            lowest, chosen = loss, (penalty, weights)
    return chosen


@dataclass(frozen=True, eq=False)
class _HeldOutCells:
    """Held-out cells with their states, and log probabilities by networks."""

    cells: MissingCells
    states: StateCodes
    by_networks: Floats

    @property
    def loss_of_networks(self) -> float:
        """Loss without regressions."""
        return self.loss(np.array([1.0, 0.0]), np.zeros_like(self.by_networks))[0]

    def fit(self, by_regressions: Floats, start: ModelWeights) -> tuple[float, ModelWeights]:
        """Return the lowest loss, and the weights that reach it."""
        found = minimize(
            self.loss,
            [start.networks, start.regressions],
            args=(by_regressions,),
            jac=True,
            bounds=[(0.0, MAX_WEIGHT)] * 2,
        )
        return float(found.fun), ModelWeights(*found.x.tolist())

    def loss(self, weights: Floats, by_regressions: Floats) -> tuple[float, Floats]:
        """Return the mean negative log probability of the states, and its gradient."""
        pair = np.column_stack([self.by_networks, by_regressions])
        probabilities = self.cells.normalize((pair * weights).sum(axis=1))
        right = self.cells.starts + self.states
        n_cells = len(self.states)
        slope = ((probabilities[:, None] * pair).sum(axis=0) - pair[right].sum(axis=0)) / n_cells
        return float(-np.log(probabilities[right]).mean()), slope
