"""Fit of regressions to a table with missing cells.

The penalty and the weights of regressions are those that make held-out cells most probable: some
observed cells are hidden from the regressions, and from networks that are learned without them. If
regressions hardly improve on networks there, they are left out. In small tables, different cells
are held out in several folds, so that the choice does not depend on which ones.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize, nnls

from baytree.imputation.missing_cells import (
    Floats,
    MissingCells,
    Positions,
    TableRows,
    hold_out_cells,
)
from baytree.imputation.number_draws import fit_group_weights
from baytree.imputation.regressions import (
    MAX_WEIGHT,
    MIN_NETWORK_PROBABILITY,
    ModelWeights,
    Prediction,
    Regressions,
    RidgeMatrix,
    Spectrum,
    VariableColumns,
    residual_spreads,
)
from baytree.runtime.blas_threads import one_blas_thread
from baytree.runtime.pool import map_in_threads
from baytree.tables.columns import StateCodes

HELD_OUT_FRACTION = 0.05  # of the observed cells of some rows, in each fold
MIN_HELD_OUT_CELLS = 100  # of all folds, for weights of distributions; fewer are too noisy
MIN_HELD_OUT_NUMBERS = 30  # for those of numbers alone
ENOUGH_HELD_OUT_CELLS = 2_000  # of all folds
MAX_HELD_OUT_CELLS = 8_000  # of a fold, approximately
MAX_FOLDS = 10
# Regressions are fitted to no more indicators than these. Beyond MAX_RANK columns they have no more
# rows than that: time grows with the cube of the smaller number, and 2,000 take about a second.
MAX_INDICATORS = 2**22
MAX_RANK = 2_000
PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # in mean variances of an indicator
ENOUGH_WORSE_PENALTIES = 2  # in turn, after the best one
FREQUENCIES_ALONE = 10_000.0  # a penalty for tables in which nothing depends on anything
MIN_PRIOR = 1e-9  # keeps sums of products invertible
MAX_DRAW_ROWS = 2_000  # that weights of groups of numbers are fitted to
PRIOR_CELLS = 30  # worth of the weights of all numbers together for those of one variable
STREAM = 1  # of random numbers: reports and tuning hold out cells by the seed alone


def hide_some_cells(codes: StateCodes, columns: VariableColumns, seed: int) -> list[StateCodes]:
    """Return codes without held-out cells, once per fold; none if they are too few.

    In long tables, they are cells of some rows only, because each such row takes time.
    """
    n_rows, n_variables = codes.shape
    n_chosen = min(n_rows, math.ceil(MAX_HELD_OUT_CELLS / (HELD_OUT_FRACTION * n_variables)))
    rows = np.random.default_rng([seed, STREAM]).choice(n_rows, n_chosen, replace=False)
    some, n_cells = codes[rows], 0
    folds: list[StateCodes] = []
    while len(folds) < MAX_FOLDS and n_cells < ENOUGH_HELD_OUT_CELLS:
        is_held_out = hold_out_cells(some, HELD_OUT_FRACTION, [seed, STREAM], len(folds))
        n_cells += int(is_held_out[:, columns.has_columns].sum())
        shown = codes.copy(order="F")
        shown[rows] = np.where(is_held_out, np.int32(-1), some)
        folds.append(shown)
    enough = MIN_HELD_OUT_NUMBERS if columns.number_columns else MIN_HELD_OUT_CELLS
    return folds if n_cells >= enough else []


def choose_training_rows(
    codes: StateCodes, folds: Sequence[StateCodes], columns: VariableColumns, seed: int
) -> Positions:
    """Draw the rows that regressions are fitted to: those with held-out cells before others."""
    n_columns = columns.n_columns
    max_rows = MAX_INDICATORS // n_columns
    max_rows = max(min(max_rows, MAX_RANK) if n_columns > MAX_RANK else max_rows, 1)
    if len(codes) <= max_rows:
        return np.arange(len(codes))
    is_needed = np.any([(codes != shown).any(axis=1) for shown in folds], axis=0)
    random = np.random.default_rng([seed, STREAM])
    order = np.argsort(random.random(len(codes)) - is_needed, kind="stable")
    return np.sort(order[:max_rows])


class Fold(NamedTuple):
    """Codes without held-out cells, and distributions of all cells that are missing there.

    The distributions are by networks that did not see the held-out cells.
    """

    shown: StateCodes
    by_networks: Floats


def fit_regressions(
    rows: TableRows,
    folds: Sequence[Fold],
    columns: VariableColumns,
    deadline: float,
    n_threads: int = 1,
) -> Regressions | None:
    """Fit regressions to rows with missing cells; None if they hardly improve on networks.

    Ctrl-C raises KeyboardInterrupt, and a deadline TimeoutError.
    """
    with one_blas_thread():
        return _fit(rows, folds, columns, deadline, n_threads)


def _fit(
    rows: TableRows,
    folds: Sequence[Fold],
    columns: VariableColumns,
    deadline: float,
    n_threads: int,
) -> Regressions | None:
    fitted = map_in_threads(
        lambda fold: _CompletedRows.of_fold(columns, rows, fold, deadline), folds, n_threads
    )
    chosen = _choose_penalty(fitted, PENALTIES, deadline, n_threads)
    if chosen is not None and columns.number_columns:  # which networks know by their bins alone
        penalty, weights = chosen
        refined = map_in_threads(
            lambda own: own.completed_again(penalty, weights, deadline), fitted, n_threads
        )
        chosen = _choose_penalty(refined, [penalty], deadline, n_threads) or chosen
    if chosen is None:
        return None
    penalty, weights = chosen
    # Regressions reproduce the values that cells of their own rows were completed with. So complete
    # them by regressions on all other rows; and once more, as those lack the held-out cells.
    final = fitted[0].with_held_out(rows, penalty, weights, deadline)
    final = final.completed_again(penalty, weights, deadline)
    matrix, columns = final.matrix(penalty, np.arange(len(final.indicators)))
    stored = replace(matrix, factor=np.ascontiguousarray(matrix.factor, dtype=np.float32))
    return Regressions(columns, stored, weights, final.group_weights(columns, matrix, penalty))


@dataclass(frozen=True, eq=False)
class _CompletedRows:
    """Completed rows, whose missing cells are predicted by regressions on all other rows."""

    columns: VariableColumns
    rows: TableRows
    missing: MissingCells
    by_networks: Floats
    states: StateCodes  # of held-out cells; -1 for those that are truly missing
    indicators: Floats
    spectrum: Spectrum

    @classmethod
    def of_fold(
        cls, columns: VariableColumns, rows: TableRows, fold: Fold, deadline: float
    ) -> _CompletedRows:
        """Complete the rows of a fold by networks."""
        shown, missing = rows.with_codes(fold.shown), MissingCells.of(fold.shown, columns.arities)
        indicators = columns.indicators(shown, missing, fold.by_networks)
        return cls(
            columns,
            shown,
            missing,
            fold.by_networks,
            rows.codes[missing.rows, missing.variables],
            indicators,
            Spectrum.of_rows(indicators, deadline),
        )

    @property
    def held_out(self) -> Positions:
        """Cells whose states are known, of variables that have columns."""
        is_held_out = (self.states >= 0) & self.columns.has_columns[self.missing.variables]
        return np.flatnonzero(is_held_out)

    def completed_again(
        self, penalty: float, weights: ModelWeights, deadline: float
    ) -> _CompletedRows:
        """Complete the rows by networks and regressions on all other rows."""
        completed = self.pool(np.arange(len(self.states)), penalty, weights)
        return self._completed_by(completed, deadline)

    def with_held_out(
        self, rows: TableRows, penalty: float, weights: ModelWeights, deadline: float
    ) -> _CompletedRows:
        """Return rows with their held-out cells, and the others completed again."""
        real = np.flatnonzero(self.states < 0)
        completed = self.pool(real, penalty, weights)
        shown = replace(
            self,
            rows=rows,
            missing=self.missing.subset(real),
            by_networks=self.by_networks[self.missing.entries_of(real)],
            states=self.states[real],
        )
        return shown._completed_by(completed, deadline)

    def _completed_by(self, completed: Prediction, deadline: float) -> _CompletedRows:
        indicators = self.columns.indicators(self.rows, self.missing, completed.distributions)
        indicators = self.columns.with_numbers(indicators, self.missing, completed.numbers)
        spectrum = Spectrum.of_rows(indicators, deadline)
        return replace(self, indicators=indicators, spectrum=spectrum)

    def predict(self, cells: Positions, in_variances: float) -> Prediction:
        """Return distributions and numbers of some cells by regressions on all other rows."""
        own_rows, line = np.unique(self.missing.rows[cells], return_inverse=True)
        own = replace(self.missing.subset(cells), rows=line)
        matrix, columns = self.matrix(in_variances, own_rows)
        penalty = self.spectrum.penalty(in_variances)
        return matrix.predict(columns, self.indicators[own_rows], own, penalty)

    def matrix(self, in_variances: float, rows: Positions) -> tuple[RidgeMatrix, VariableColumns]:
        """Return the matrix for a penalty, and columns with the spreads of residuals in rows."""
        penalty = self.spectrum.penalty(in_variances)
        matrix, numbers = self.spectrum.matrix(penalty), self.columns.numbers
        if not self.columns.number_columns:
            return matrix, self.columns
        residuals = matrix.number_residuals(self.columns, self.indicators[rows], penalty)
        is_observed = self.rows.codes[np.ix_(rows, numbers.variables)] >= 0
        spreads = residual_spreads(residuals, is_observed)
        return matrix, replace(self.columns, numbers=replace(numbers, spreads=spreads))

    def group_weights(
        self, columns: VariableColumns, matrix: RidgeMatrix, in_variances: float
    ) -> tuple[Floats, ...]:
        """Return the weights of groups of numbers for draws, by rows at equal distances."""
        if not columns.number_columns:
            return ()
        rows = np.arange(0, len(self.indicators), math.ceil(len(self.indicators) / MAX_DRAW_ROWS))
        some = self.indicators[rows]
        residuals = matrix.number_residuals(columns, some, self.spectrum.penalty(in_variances))
        predicted = -residuals
        for at, column in columns.number_columns:
            predicted[:, at] += some[:, column]
        return fit_group_weights(columns.numbers, self.rows.codes[rows], predicted)

    def pool(self, cells: Positions, in_variances: float, weights: ModelWeights) -> Prediction:
        """Return distributions and numbers of some cells by networks and these regressions."""
        known, own = self.by_networks[self.missing.entries_of(cells)], self.missing.subset(cells)
        predicted = self.predict(cells, in_variances)
        return Prediction(
            weights.pool(own, known, predicted.distributions),
            weights.add_numbers(self.columns, own, known, predicted.numbers),
            predicted.centres,
        )


def _choose_penalty(
    folds: Sequence[_CompletedRows],
    penalties: Sequence[float],
    deadline: float,
    n_threads: int = 1,
) -> tuple[float, ModelWeights] | None:
    """Choose the penalty and the weights that maximise the likelihood of held-out cells.

    Where no penalty makes states more probable, or the cells are too few to tell, that of the
    smallest errors of numbers is chosen.
    """
    cells, lowest = _HeldOutCells.of(folds), -math.inf
    if not len(cells.states):
        return None
    if len(cells.states) >= MIN_HELD_OUT_CELLS:
        lowest = cells.loss_of_networks - math.log(len(cells.states)) / len(cells.states)  # BIC
    lowest_error, weights = math.inf, ModelWeights(1.0, 1.0)
    chosen, of_numbers, n_worse = None, None, 0
    predictions = _predictions(folds, penalties, deadline, n_threads)
    for penalty, predicted in zip(penalties, predictions, strict=False):
        loss, weights = cells.fit(_logarithms(predicted), start=weights)
        if folds[0].columns.number_columns:
            weights, error = _weigh_numbers(folds, predicted, weights)
            if error < lowest_error:
                lowest_error = error
                of_numbers = penalty, replace(weights, networks=1.0, regressions=0.0)
        if loss < lowest and weights.regressions > 0:
            lowest, chosen, n_worse = loss, (penalty, weights), 0
        elif chosen is not None:
            n_worse += 1
            if n_worse == ENOUGH_WORSE_PENALTIES:
                break
    return chosen or _frequencies(folds, cells, lowest, weights, deadline) or of_numbers


def _frequencies(
    folds: Sequence[_CompletedRows],
    cells: _HeldOutCells,
    lowest: float,
    weights: ModelWeights,
    deadline: float,
) -> tuple[float, ModelWeights] | None:
    """Return a penalty that leaves the frequencies of states, if these are more probable."""
    predicted = next(_predictions(folds, [FREQUENCIES_ALONE], deadline, n_threads=1))
    if cells.loss(np.array([0.0, 1.0]), _logarithms(predicted))[0] >= lowest:
        return None
    if folds[0].columns.number_columns:
        weights, _ = _weigh_numbers(folds, predicted, weights)
    return FREQUENCIES_ALONE, replace(weights, networks=0.0, regressions=1.0)


def _predictions(
    folds: Sequence[_CompletedRows], penalties: Sequence[float], deadline: float, n_threads: int
) -> Iterator[list[Prediction]]:
    """Yield the predictions of held-out cells by fold, for each penalty.

    Threads predict for some penalties at once, of which the last may not be asked for.
    """

    def predict(job: tuple[float, _CompletedRows]) -> Prediction:
        if time.monotonic() >= deadline:
            raise TimeoutError
        penalty, own = job
        return own.predict(own.held_out, penalty)

    n_at_once = max(n_threads // len(folds), 1)
    for first in range(0, len(penalties), n_at_once):
        jobs = [*product(penalties[first : first + n_at_once], folds)]
        predicted = map_in_threads(predict, jobs, n_threads)
        for start in range(0, len(jobs), len(folds)):
            yield predicted[start : start + len(folds)]


def _logarithms(predicted: Sequence[Prediction]) -> Floats:
    return np.asarray(np.log(np.concatenate([own.distributions for own in predicted])))


def _weigh_numbers(
    folds: Sequence[_CompletedRows], predictions: Sequence[Prediction], weights: ModelWeights
) -> tuple[ModelWeights, float]:
    """Return the weights of numbers that minimise the sum of squared errors, and the sum."""
    columns = folds[0].columns
    sums = np.zeros((len(columns.numbers.means), 3, 3))  # products of the two models and the truth
    for own, predicted in zip(folds, predictions, strict=True):
        cells, known = own.missing.subset(own.held_out), own.missing.entries_of(own.held_out)
        for at, _, some, entries in columns.number_cells(cells):
            truth = own.rows.numbers[cells.rows[some], at]
            models = np.column_stack(
                [
                    columns.numbers.expected(at, own.by_networks[known][entries]),
                    predicted.numbers[some],
                    columns.numbers.standardised(at, truth),
                ]
            )
            sums[at] += models.T @ models
    together = _least_squares(sums.sum(axis=0), np.zeros(2), 0.0)
    found = np.array([_least_squares(own, together, PRIOR_CELLS) for own in sums])
    by_networks, by_regressions = (tuple(column.tolist()) for column in found.T)
    errors = np.column_stack([found, -np.ones(len(found))])
    return (
        replace(weights, numbers_by_networks=by_networks, numbers_by_regressions=by_regressions),
        float(np.einsum("vi,vij,vj->", errors, sums, errors)),
    )


def _least_squares(products: Floats, prior: Floats, n_prior: float) -> Floats:
    """Return nonnegative weights of two models of a standardised number, given sums of products.

    `n_prior` is how many numbers of unit variance the prior weights are worth.
    """
    sides = products[:2, 2] + n_prior * prior
    factor = np.linalg.cholesky(products[:2, :2] + (n_prior + MIN_PRIOR) * np.eye(2))
    weights, _ = nnls(factor.T, np.linalg.solve(factor, sides))
    return np.asarray(np.minimum(weights, MAX_WEIGHT))


@dataclass(frozen=True, eq=False)
class _HeldOutCells:
    """Held-out cells with their states, and log probabilities by networks."""

    cells: MissingCells
    states: StateCodes
    by_networks: Floats

    @classmethod
    def of(cls, folds: Sequence[_CompletedRows]) -> _HeldOutCells:
        """Return the held-out cells of all folds."""
        cells = [own.missing.subset(own.held_out) for own in folds]
        known = [own.by_networks[own.missing.entries_of(own.held_out)] for own in folds]
        rows, variables, arities = (
            np.concatenate(parts)
            for parts in zip(*((c.rows, c.variables, c.arities) for c in cells), strict=True)
        )
        states = np.concatenate([own.states[own.held_out] for own in folds])
        by_networks = np.log(np.maximum(np.concatenate(known), MIN_NETWORK_PROBABILITY))
        return cls(MissingCells(rows, variables, arities), states, by_networks)

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
