"""Ridge regressions of each variable on all others, pooled with the posteriors of networks.

A network of bounded treewidth represents the few strongest dependences of a variable. Where many
weak ones add up, as in ratings of a hundred films, a linear regression on all other variables
predicts better.

All regressions come from one matrix [ridge]. With Z for the centred rows and c for the penalty, let
M be c times the inverse of Z'Z + c. The residuals of columns J, regressed on all others, are those
of Z M in J times the inverse of M in J and J. The row itself counts among those that the regression
was fitted to by its leverage, so that without it they would be larger by 1 / (1 - leverage)
[press].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from baytree.imputation.missing_cells import (
    MAX_STATES,
    Floats,
    MissingCells,
    Positions,
    is_asked,
)
from baytree.runtime.background import run_in_background
from baytree.runtime.blas_threads import one_blas_thread
from baytree.tables.columns import Mask, StateCodes

MIN_FRACTION = 0.02  # of a uniform probability: predicted indicators may be negative
MIN_NETWORK_PROBABILITY = 1e-4  # of a state that is impossible under the networks
MAX_WEIGHT = 10.0  # with it, no probability falls below the range of a double
MAX_LEVERAGE = 0.999
MIN_EIGENVALUE = 1e-12  # relative to the largest
INDICATORS_PER_BATCH = 2**21  # a fraction of a second between two checks for Ctrl-C
PRODUCTS_PER_BATCH = 1e9  # of numbers, twice; they take about a tenth of a second


@dataclass(frozen=True, eq=False)
class StateColumns:
    """One-hot columns of variables: one for two states, else one per state; none for a constant.

    Variables of more than `MAX_STATES` have none: they would have too many for too few rows each.
    """

    arities: StateCodes

    @cached_property
    def has_columns(self) -> Mask:
        """Whether each variable has any."""
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
        """Return the columns of variables of one arity, as one row per variable."""
        return np.asarray(self.firsts[variables][:, None] + np.arange(self._widths[variables[0]]))

    def indicators(self, codes: StateCodes, missing: MissingCells, distributions: Floats) -> Floats:
        """Encode rows; missing cells get the probabilities of their states."""
        indicators = np.zeros((len(codes), self.n_columns))
        is_binary = self.arities == 2
        indicators[:, self.firsts[is_binary]] = codes[:, is_binary] == 1
        for variable in np.flatnonzero(self._widths > 1):
            rows = np.flatnonzero(codes[:, variable] >= 0)
            indicators[rows, self.firsts[variable] + codes[rows, variable]] = 1.0
        for cells, entries in missing.by_arity():
            if self.has_columns[missing.variables[cells[0]]]:
                columns = self.places(missing.variables[cells])
                of_states = distributions[entries[:, -columns.shape[1] :]]
                indicators[missing.rows[cells][:, None], columns] = of_states
        return indicators


def to_distributions(predicted: Floats) -> Floats:
    """Turn predicted indicators of variables of one arity into distributions, one per row."""
    if predicted.shape[1] == 1:
        predicted = np.column_stack([1 - predicted, predicted])
    positive = np.maximum(predicted, MIN_FRACTION / predicted.shape[1])
    return np.asarray(positive / positive.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class RidgeMatrix:
    """The matrix M as 1 - F'F, and the means of the columns."""

    means: Floats
    factor: npt.NDArray[np.floating[Any]]  # F

    def predict(
        self,
        columns: StateColumns,
        indicators: Floats,
        missing: MissingCells,
        own_penalty: float | None = None,
    ) -> Floats:
        """Return distributions of missing cells, given the indicators of all other variables.

        `own_penalty` is for the rows that the matrix was computed from: each row is then predicted
        without itself. All states of a variable without columns are equally probable.
        """
        centred = indicators - self.means
        products = self._products(centred)
        squares = (products * centred).sum(axis=1)
        predicted = np.repeat(1 / missing.arities, missing.arities)
        for cells, entries in missing.by_arity():
            if not columns.has_columns[missing.variables[cells[0]]]:
                continue
            at = (missing.rows[cells][:, None], columns.places(missing.variables[cells]))
            residuals = self._residuals(products[at], at[1][:, 0])
            if own_penalty is not None:
                explained = squares[missing.rows[cells]] - (residuals * products[at]).sum(axis=1)
                leverages = np.minimum(explained / own_penalty, MAX_LEVERAGE)
                residuals /= 1 - leverages[:, None]
            predicted[entries] = to_distributions(indicators[at] - residuals)
        return predicted

    def _products(self, centred: Floats) -> Floats:
        """Multiply rows by the matrix in batches, between which Ctrl-C is noticed."""
        n_per_batch = max(int(PRODUCTS_PER_BATCH / max(self.factor.size, 1)), 1)
        products = centred.copy()
        for first in range(0, len(centred), n_per_batch):
            some = centred[first : first + n_per_batch]
            products[first : first + n_per_batch] -= (some @ self.factor.T) @ self.factor
        return products

    def _residuals(self, products: Floats, firsts: Positions) -> Floats:
        """Multiply products by the inverse of the block of M that begins at their first column."""
        if products.shape[1] == 1:
            return np.asarray(products / (1 - np.sum(self.factor**2, axis=0))[firsts][:, None])
        order = np.argsort(firsts, kind="stable")
        starts = np.unique(firsts[order], return_index=True)[1]
        residuals = np.empty_like(products)
        for own in np.split(order, starts[1:]):
            block = self._block(int(firsts[own[0]]), products.shape[1])
            residuals[own] = np.linalg.solve(block, products[own].T).T
        return residuals

    def _block(self, first: int, width: int) -> Floats:
        """Return the diagonal block of M of some columns."""
        factor = self.factor[:, first : first + width].astype(np.float64)
        return np.asarray(np.eye(width) - np.einsum("ri,rj->ij", factor, factor))

    def is_sound(self, columns: StateColumns) -> bool:
        """Return True if the block of each variable is positive definite, as it must be."""
        for variable in np.flatnonzero(columns.has_columns):
            own = columns.places(np.array([variable]))[0]
            try:
                np.linalg.cholesky(self._block(int(own[0]), len(own)))
            except np.linalg.LinAlgError:
                return False
        return True


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
    """Exponents of the distributions by networks and by regressions in their product [log-pool]."""

    networks: float
    regressions: float

    def pool(self, missing: MissingCells, by_networks: Floats, by_regressions: Floats) -> Floats:
        """Return the normalized products of distributions."""
        logarithms = self.networks * np.log(np.maximum(by_networks, MIN_NETWORK_PROBABILITY))
        logarithms += self.regressions * np.log(by_regressions)
        return missing.normalize(logarithms)


NETWORKS_ALONE = ModelWeights(1.0, 0.0)


@dataclass(frozen=True, eq=False)
class StateRegressions:
    """Fitted regressions, and their weights beside networks."""

    arities: StateCodes
    matrix: RidgeMatrix
    weights: ModelWeights

    def pool(self, codes: StateCodes, by_networks: Floats) -> Floats:
        """Return pooled distributions of all missing cells, given those by networks."""
        pooled = by_networks.copy()
        n_missing = is_asked(codes, self.arities) @ self.arities  # entries of each row
        rows, ends = np.flatnonzero(n_missing), np.cumsum(n_missing)
        matrix = replace(self.matrix, factor=self.matrix.factor.astype(np.float64))
        n_per_batch = max(INDICATORS_PER_BATCH // max(len(matrix.means), 1), 1)
        for first in range(0, len(rows), n_per_batch):
            some = rows[first : first + n_per_batch]
            own = slice(ends[some[0]] - n_missing[some[0]], ends[some[-1]])
            pooled[own] = self._pool_batch(codes[some], by_networks[own], matrix)
        return pooled

    def _pool_batch(self, codes: StateCodes, by_networks: Floats, matrix: RidgeMatrix) -> Floats:
        columns, missing = StateColumns(self.arities), MissingCells.of(codes, self.arities)
        indicators = columns.indicators(codes, missing, by_networks)
        with one_blas_thread():
            predicted = matrix.predict(columns, indicators, missing)
        pooled = self.weights.pool(missing, by_networks, predicted)
        has_columns = np.repeat(columns.has_columns[missing.variables], missing.arities)
        return np.where(has_columns, pooled, by_networks)
