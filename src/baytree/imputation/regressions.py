"""Ridge regressions of each variable on all others, pooled with the posteriors of networks.

A network of bounded treewidth represents the few strongest dependences of a variable. Where many
weak ones add up, as in ratings of a hundred films, a linear regression on all other variables
predicts better. So it does where numbers depend on numbers, of which a network knows only the bins.

All regressions come from one matrix [ridge]. With Z for the centred rows and c for the penalty, let
M be c times the inverse of Z'Z + c. The residuals of columns J, regressed on all others, are those
of Z M in J times the inverse of M in J and J. The row itself counts among those that the regression
was fitted to by its leverage, so that without it they would be larger by 1 / (1 - leverage)
[press].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from baytree.imputation.missing_cells import (
    MAX_STATES,
    Floats,
    MissingCells,
    Positions,
    TableRows,
)
from baytree.runtime.background import run_in_background
from baytree.runtime.blas_threads import one_blas_thread
from baytree.tables.bin_contents import BinContents
from baytree.tables.bins import Bins
from baytree.tables.columns import Mask, StateCodes

MIN_FRACTION = 0.02  # of a uniform probability: predicted indicators may be negative
MIN_NETWORK_PROBABILITY = 1e-4  # of a state that is impossible under the networks
MAX_WEIGHT = 10.0  # with it, no probability falls below the range of a double
MAX_LEVERAGE = 0.999
MIN_SPREAD = 1e-3  # of residuals of a standardised number
MAX_STANDARDISED = 1e9  # of numbers of new rows: the squares of larger ones could overflow
MIN_EIGENVALUE = 1e-12  # relative to the largest
INDICATORS_PER_BATCH = 2**21  # a fraction of a second between two checks for Ctrl-C
PRODUCTS_PER_BATCH = 1e9  # of numbers, twice; they take about a tenth of a second


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """Columns of standardised numbers, one per binned variable.

    `spreads` are the standard deviations of the residuals of their regressions.
    """

    bins: Mapping[int, Bins]  # by variable, in the order of the columns of `TableRows.numbers`
    means: Floats
    deviations: Floats
    spreads: Floats

    @classmethod
    def of(cls, bins: Mapping[int, Bins], rows: TableRows) -> NumberColumns:
        """Return the columns for the observed numbers of rows."""
        observed = np.where(rows.codes[:, list(bins)] >= 0, rows.numbers, np.nan)
        means, deviations = np.zeros(len(bins)), np.ones(len(bins))
        for column, numbers in enumerate(observed.T):
            own = numbers[~np.isnan(numbers)]
            if len(own):
                scale = max(float(np.abs(own).max()), np.finfo(np.float64).tiny)
                means[column] = scale * (own / scale).mean()
                deviations[column] = scale * (own / scale).std() or 1.0
        return cls(bins, means, deviations, np.ones(len(bins)))

    @cached_property
    def variables(self) -> Positions:
        """Variables of the columns."""
        return np.array([*self.bins], dtype=np.intp)

    def standardised(self, column: int, numbers: Floats) -> Floats:
        """Return numbers of a column less its mean, in standard deviations."""
        deviation = self.deviations[column]  # the difference of huge numbers could overflow
        with np.errstate(over="ignore"):  # infinite ones are clipped
            standardised = numbers / deviation - self.means[column] / deviation
        return np.asarray(np.clip(standardised, -MAX_STANDARDISED, MAX_STANDARDISED))

    def restored(self, column: int, standardised: Floats) -> Floats:
        """Return numbers of a column in the units of the table; infinite ones if they overflow."""
        with np.errstate(over="ignore"):
            return np.asarray(self.means[column] + self.deviations[column] * standardised)

    def expected(self, column: int, distributions: Floats) -> Floats:
        """Return the standardised means of distributions over the bins of a column, a row each."""
        return self.standardised(column, self._bins[column].expected(distributions))

    def distributions(self, column: int, predicted: Floats) -> Floats:
        """Return the probabilities of bins, given predicted numbers with normal residuals."""
        inner = self.standardised(column, np.asarray(self._bins[column].edges[1:-1]))
        below = ndtr((inner - predicted[:, None]) / self.spreads[column])
        masses = np.diff(below, axis=1, prepend=0.0, append=1.0)
        return _without_zeros(masses)

    def is_sound(self) -> bool:
        """Return True if the edges of bins are within bounds once they are standardised."""
        with np.errstate(invalid="ignore"):
            edges = [self.standardised(i, np.array(own.edges)) for i, own in enumerate(self._bins)]
        return all((np.abs(own) < MAX_STANDARDISED).all() for own in edges)

    def contents(self, column: int) -> BinContents:
        """Return the contents of the bins of a column."""
        return self._bins[column].spread_contents

    @cached_property
    def _bins(self) -> Sequence[Bins]:
        return [*self.bins.values()]


NO_NUMBERS = NumberColumns({}, np.zeros(0), np.zeros(0), np.zeros(0))


@dataclass(frozen=True, eq=False)
class VariableColumns:
    """Columns that stand for variables in regressions.

    A binned variable has its standardised number. Any other has one column for two states, else one
    per state; none if it is constant. Variables of more than `MAX_STATES` have none: they would
    have too many for too few rows each.
    """

    arities: StateCodes
    numbers: NumberColumns = NO_NUMBERS

    @cached_property
    def has_columns(self) -> Mask:
        """Whether each variable has any."""
        return np.asarray((self.arities <= MAX_STATES) & ((self.arities > 1) | self.is_number))

    @cached_property
    def is_number(self) -> Mask:
        """Whether each variable is binned."""
        return np.isin(np.arange(len(self.arities)), self.numbers.variables)

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
        n_own = np.where((self.arities > 2) & ~self.is_number, self.arities, 1)
        return np.where(self.has_columns, n_own, 0)

    @cached_property
    def number_columns(self) -> list[tuple[int, int]]:
        """Positions of binned variables among the numbers, and their columns."""
        own = enumerate(self.numbers.variables)
        return [(at, int(self.firsts[v])) for at, v in own if self.has_columns[v]]

    def places(self, variables: Positions) -> Positions:
        """Return the columns of variables of one width, as one row per variable."""
        return np.asarray(self.firsts[variables][:, None] + np.arange(self._widths[variables[0]]))

    def groups(self, missing: MissingCells) -> list[tuple[Positions, Positions]]:
        """Return the cells of states of each arity, and their entries as one row per cell."""
        is_state = self.has_columns & ~self.is_number
        kept = is_state[missing.variables]
        return [
            (cells[kept[cells]], entries[kept[cells]])
            for cells, entries in missing.by_arity()
            if kept[cells].any()
        ]

    def number_cells(self, missing: MissingCells) -> list[tuple[int, int, Positions, Positions]]:
        """Return the place, the column, the cells and their entries of each binned variable."""
        found = []
        for at, column in self.number_columns:
            variable = int(self.numbers.variables[at])
            found.append((at, column, *missing.of_variable(variable, int(self.arities[variable]))))
        return found

    def encode(self, rows: TableRows) -> Floats:
        """Encode the observed cells of rows."""
        codes, indicators = rows.codes, np.zeros((len(rows.codes), self.n_columns))
        is_binary = (self.arities == 2) & ~self.is_number
        indicators[:, self.firsts[is_binary]] = codes[:, is_binary] == 1
        for variable in np.flatnonzero(self._widths > 1):
            own = np.flatnonzero(codes[:, variable] >= 0)
            indicators[own, self.firsts[variable] + codes[own, variable]] = 1.0
        for at, column in self.number_columns:
            indicators[:, column] = self.numbers.standardised(at, rows.numbers[:, at])
        return indicators

    def indicators(self, rows: TableRows, missing: MissingCells, distributions: Floats) -> Floats:
        """Encode rows; missing cells get the probabilities of their states, or their means."""
        indicators = self.encode(rows)
        for cells, entries in self.groups(missing):
            columns = self.places(missing.variables[cells])
            of_states = distributions[entries[:, -columns.shape[1] :]]
            indicators[missing.rows[cells][:, None], columns] = of_states
        for at, column, cells, entries in self.number_cells(missing):
            expected = self.numbers.expected(at, distributions[entries])
            indicators[missing.rows[cells], column] = expected
        return indicators

    def with_numbers(self, indicators: Floats, missing: MissingCells, numbers: Floats) -> Floats:
        """Return indicators with standardised numbers in missing cells, one per missing cell."""
        filled = indicators.copy()
        for _, column, cells, _ in self.number_cells(missing):
            filled[missing.rows[cells], column] = numbers[cells]
        return filled


def to_distributions(predicted: Floats) -> Floats:
    """Turn predicted indicators of variables of one arity into distributions, one per row."""
    if predicted.shape[1] == 1:
        predicted = np.column_stack([1 - predicted, predicted])
    return _without_zeros(predicted)


def _without_zeros(predicted: Floats) -> Floats:
    positive = np.maximum(predicted, MIN_FRACTION / predicted.shape[1])
    return np.asarray(positive / positive.sum(axis=1, keepdims=True))


class Prediction(NamedTuple):
    """Distributions of missing cells, and numbers: one per cell, NaN for states.

    `centres` are standardised numbers by regressions alone, NaN where there are none.
    """

    distributions: Floats
    numbers: Floats
    centres: Floats


@dataclass(frozen=True, eq=False)
class RidgeMatrix:
    """The matrix M as 1 - F'F, and the means of the columns."""

    means: Floats
    factor: npt.NDArray[np.floating[Any]]  # F

    def predict(
        self,
        columns: VariableColumns,
        indicators: Floats,
        missing: MissingCells,
        own_penalty: float | None = None,
    ) -> Prediction:
        """Return distributions and numbers of missing cells, given all other variables.

        `own_penalty` is for the rows that the matrix was computed from: each row is then predicted
        without itself. All states of a variable without columns are equally probable.
        """
        products, squares = self._products(indicators - self.means)
        predicted = np.repeat(1 / missing.arities, missing.arities)
        numbers = np.full(len(missing.rows), np.nan)

        def expected(cells: Positions) -> Floats:
            rows = missing.rows[cells]
            at = (rows[:, None], columns.places(missing.variables[cells]))
            residuals = self._residuals(products[at], at[1][:, 0])
            if own_penalty is not None:
                residuals /= _shares_of_others(squares[rows], residuals, products[at], own_penalty)
            return np.asarray(indicators[at] - residuals)

        for cells, entries in columns.groups(missing):
            predicted[entries] = to_distributions(expected(cells))
        for at, _, cells, entries in columns.number_cells(missing):
            if len(cells):
                numbers[cells] = expected(cells)[:, 0]
                predicted[entries] = columns.numbers.distributions(at, numbers[cells])
        return Prediction(predicted, numbers, numbers)

    def number_residuals(
        self, columns: VariableColumns, indicators: Floats, own_penalty: float
    ) -> Floats:
        """Return the residuals of all numbers, each row predicted without itself."""
        products, squares = self._products(indicators - self.means)
        found = np.zeros((len(indicators), len(columns.numbers.means)))
        for at, column in columns.number_columns:
            own = products[:, column : column + 1]
            residuals = own / self._diagonal[column]
            residuals /= _shares_of_others(squares, residuals, own, own_penalty)
            found[:, at] = residuals[:, 0]
        return found

    def in_double(self) -> RidgeMatrix:
        """Return the matrix in double precision; products with it need no conversion."""
        return replace(self, factor=self.factor.astype(np.float64))

    def predict_column(self, indicators: Floats, column: int) -> Floats:
        """Return a column that stands for a variable alone, given all other columns."""
        weights = -(self.factor[:, column].astype(np.float64) @ self.factor)
        weights[column] += 1
        residuals = (indicators - self.means) @ weights / weights[column]
        return np.asarray(indicators[:, column] - residuals)

    def _products(self, centred: Floats) -> tuple[Floats, Floats]:
        """Return products of rows and the matrix, and of these and the rows.

        They are computed in batches, between which Ctrl-C is noticed.
        """
        n_per_batch = max(int(PRODUCTS_PER_BATCH / max(self.factor.size, 1)), 1)
        products = centred.copy()
        for first in range(0, len(centred), n_per_batch):
            some = centred[first : first + n_per_batch]
            products[first : first + n_per_batch] -= (some @ self.factor.T) @ self.factor
        return products, (products * centred).sum(axis=1)

    def _residuals(self, products: Floats, firsts: Positions) -> Floats:
        """Multiply products by the inverse of the block of M that begins at their first column."""
        if products.shape[1] == 1:
            return np.asarray(products / self._diagonal[firsts][:, None])
        order = np.argsort(firsts, kind="stable")
        starts = np.unique(firsts[order], return_index=True)[1]
        residuals = np.empty_like(products)
        for own in np.split(order, starts[1:]):
            block = self._block(int(firsts[own[0]]), products.shape[1])
            residuals[own] = np.linalg.solve(block, products[own].T).T
        return residuals

    @cached_property
    def _diagonal(self) -> Floats:
        return np.asarray(1 - np.sum(self.factor**2, axis=0))

    def _block(self, first: int, width: int) -> Floats:
        """Return the diagonal block of M of some columns."""
        factor = self.factor[:, first : first + width].astype(np.float64)
        return np.asarray(np.eye(width) - np.einsum("ri,rj->ij", factor, factor))

    def is_sound(self, columns: VariableColumns) -> bool:
        """Return True if the block of each variable is positive definite, as it must be."""
        for variable in np.flatnonzero(columns.has_columns):
            own = columns.places(np.array([variable]))[0]
            try:
                np.linalg.cholesky(self._block(int(own[0]), len(own)))
            except np.linalg.LinAlgError:
                return False
        return True


def residual_spreads(residuals: Floats, is_observed: Mask) -> Floats:
    """Return the standard deviations of the residuals of observed numbers, a column each."""
    n_observed = np.maximum(is_observed.sum(axis=0), 1)
    squared = np.where(is_observed, residuals**2, 0.0).sum(axis=0) / n_observed
    spreads = np.maximum(np.sqrt(squared), MIN_SPREAD)
    return np.asarray(np.where(is_observed.any(axis=0), spreads, 1.0))


def _shares_of_others(
    squares: Floats, residuals: Floats, products: Floats, penalty: float
) -> Floats:
    """Return what is left of the weight of a row in its own prediction, as a column."""
    explained = squares - (residuals * products).sum(axis=1)
    return np.asarray(1 - np.minimum(explained / penalty, MAX_LEVERAGE))[:, None]


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Nonzero eigenvalues of Z'Z for the centred rows Z, and their eigenvectors."""

    means: Floats
    values: Floats
    axes: Floats  # a column each
    sum_of_variances: float  # over rows, of a mean column

    @classmethod
    def of_rows(cls, rows: Floats, deadline: float) -> Spectrum:
        """Decompose rows; a deadline raises TimeoutError, and Ctrl-C KeyboardInterrupt."""
        means = rows.mean(axis=0)
        centred = rows - means
        is_long = len(rows) >= rows.shape[1]
        decompose = _decompose_long if is_long else _decompose_wide
        values, axes = run_in_background(lambda: decompose(centred), deadline)
        return cls(means, values, axes, float(np.sum(centred**2) / rows.shape[1]))

    def penalty(self, in_variances: float) -> float:
        """Return a penalty per row, given as a multiple of the mean variance of a column."""
        return in_variances * self.sum_of_variances

    def matrix(self, penalty: float) -> RidgeMatrix:
        """Return the matrix for a penalty."""
        factor = (self.axes * np.sqrt(self.values / (self.values + penalty))).T
        return RidgeMatrix(self.means, factor)


def _decompose_long(centred: Floats) -> tuple[Floats, Floats]:
    values, axes = np.linalg.eigh(centred.T @ centred)
    is_kept = values > values[-1] * MIN_EIGENVALUE
    return values[is_kept], axes[:, is_kept]


def _decompose_wide(centred: Floats) -> tuple[Floats, Floats]:
    """Decompose ZZ', which is smaller where there are more columns than rows."""
    values, sides = np.linalg.eigh(centred @ centred.T)
    is_kept = values > values[-1] * MIN_EIGENVALUE
    values, sides = values[is_kept], sides[:, is_kept]
    return values, (centred.T @ sides) / np.sqrt(values)


@dataclass(frozen=True)
class ModelWeights:
    """Weights of networks and regressions.

    For distributions, they are exponents in their product [log-pool]; for numbers, factors of how
    far the two are from the mean of the column, one per binned variable.
    """

    networks: float
    regressions: float
    numbers_by_networks: tuple[float, ...] = ()
    numbers_by_regressions: tuple[float, ...] = ()

    def pool(self, missing: MissingCells, by_networks: Floats, by_regressions: Floats) -> Floats:
        """Return the normalized products of distributions."""
        logarithms = self.networks * np.log(np.maximum(by_networks, MIN_NETWORK_PROBABILITY))
        logarithms += self.regressions * np.log(by_regressions)
        return missing.normalize(logarithms)

    def add_numbers(
        self, columns: VariableColumns, missing: MissingCells, by_networks: Floats, numbers: Floats
    ) -> Floats:
        """Return sums of standardised numbers: means by networks, and those by regressions."""
        total = numbers.copy()
        for at, _, cells, entries in columns.number_cells(missing):
            expected = columns.numbers.expected(at, by_networks[entries])
            total[cells] *= self.numbers_by_regressions[at]
            total[cells] += self.numbers_by_networks[at] * expected
        return total


NETWORKS_ALONE = ModelWeights(1.0, 0.0)


@dataclass(frozen=True, eq=False)
class Regressions:
    """Fitted regressions, and their weights beside networks."""

    columns: VariableColumns
    matrix: RidgeMatrix
    weights: ModelWeights
    group_weights: tuple[Floats, ...] = ()  # for draws, of each binned variable

    def predict(self, rows: TableRows, by_networks: Floats) -> Prediction:
        """Return pooled distributions and numbers of all missing cells, given those by networks.

        Numbers are in the units of the table.
        """
        missing = MissingCells.of(rows.codes, self.columns.arities)
        found = Prediction(by_networks.copy(), *np.full((2, len(missing.rows)), np.nan))
        incomplete = np.unique(missing.rows)
        matrix = self.matrix.in_double()
        n_per_batch = max(INDICATORS_PER_BATCH // max(len(matrix.means), 1), 1)
        for first in range(0, len(incomplete), n_per_batch):
            some = incomplete[first : first + n_per_batch]
            cells, entries = missing.of_rows(some[0], some[-1])
            predicted = self._predict_batch(rows.take(some), by_networks[entries], matrix)
            found.distributions[entries], found.numbers[cells], found.centres[cells] = predicted
        return found

    def _predict_batch(
        self, rows: TableRows, by_networks: Floats, matrix: RidgeMatrix
    ) -> Prediction:
        columns, weights = self.columns, self.weights
        missing = MissingCells.of(rows.codes, columns.arities)
        indicators = columns.indicators(rows, missing, by_networks)
        with one_blas_thread():
            predicted = matrix.predict(columns, indicators, missing)
            if columns.number_columns:  # missing numbers beside them were known by networks alone
                numbers = weights.add_numbers(columns, missing, by_networks, predicted.numbers)
                indicators = columns.with_numbers(indicators, missing, numbers)
                predicted = matrix.predict(columns, indicators, missing)
        pooled = weights.pool(missing, by_networks, predicted.distributions)
        has_columns = np.repeat(columns.has_columns[missing.variables], missing.arities)
        numbers = weights.add_numbers(columns, missing, by_networks, predicted.numbers)
        for at, _, cells, _ in columns.number_cells(missing):
            numbers[cells] = columns.numbers.restored(at, numbers[cells])
        distributions = np.where(has_columns, pooled, by_networks)
        return Prediction(distributions, numbers, predicted.centres)
