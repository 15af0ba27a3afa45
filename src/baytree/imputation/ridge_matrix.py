"""Ridge regressions [ridge] of all columns of a table on the others, out of one matrix.

With Z for the centred rows and c for the penalty, let M be c times the inverse of Z'Z + c. The
residuals of columns J, regressed on all others, are those of Z M in J times the inverse of M in J
and J. The row itself counts among those that the regression was fitted to by its leverage, so that
without it they would be larger by 1 / (1 - leverage) [press].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from baytree.imputation.one_hot import StateColumns, distributions_of
from baytree.runtime.background import work_aside
from baytree.tables.cell_distributions import Floats, GapCells, Positions

MOST_LEVERAGE = 0.999
PRODUCTS_AT_ONCE = 1e9  # of numbers, twice; they take about a tenth of a second
LEAST_VALUE = 1e-12  # of an eigenvalue, beside the largest


@dataclass(frozen=True, eq=False)
class RidgeMatrix:
    """M as 1 - F'F, with means of the columns."""

    means: Floats
    factor: npt.NDArray[np.floating[Any]]  # F

    def predicted(
        self,
        columns: StateColumns,
        indicators: Floats,
        gaps: GapCells,
        penalty_of_own: float | None = None,
    ) -> Floats:
        """Return distributions of the gaps of rows, given the indicators of all other variables.

        If the matrix was made of these very rows, with a penalty, it is without each of them.
        Where variables have no columns, all states are equally probable.
        """
        centred = indicators - self.means
        products = self._products(centred)
        squares = (products * centred).sum(axis=1)
        predicted = np.repeat(1 / gaps.arities, gaps.arities)
        for cells, entries in gaps.by_arity():
            if not columns.has_columns[gaps.variables[cells[0]]]:
                continue
            at = (gaps.rows[cells][:, None], columns.places(gaps.variables[cells]))
            residuals = self._residuals(products[at], at[1][:, 0])
            if penalty_of_own is not None:
                explained = squares[gaps.rows[cells]] - (residuals * products[at]).sum(axis=1)
                leverages = np.minimum(explained / penalty_of_own, MOST_LEVERAGE)
                residuals /= 1 - leverages[:, None]
            predicted[entries] = distributions_of(indicators[at] - residuals)
        return predicted

    def _products(self, centred: Floats) -> Floats:
        """Return rows times the matrix, some at a time: Ctrl-C is seen in between."""
        n_at_once = max(int(PRODUCTS_AT_ONCE / max(self.factor.size, 1)), 1)
        products = centred.copy()
        for first in range(0, len(centred), n_at_once):
            some = centred[first : first + n_at_once]
            products[first : first + n_at_once] -= (some @ self.factor.T) @ self.factor
        return products

    def _residuals(self, products: Floats, firsts: Positions) -> Floats:
        """Return products times the inverses of parts of the matrix, each at its first column."""
        if products.shape[1] == 1:
            return np.asarray(products / (1 - np.sum(self.factor**2, axis=0))[firsts][:, None])
        order = np.argsort(firsts, kind="stable")
        starts = np.unique(firsts[order], return_index=True)[1]
        residuals = np.empty_like(products)
        for own in np.split(order, starts[1:]):
            part = self._part(int(firsts[own[0]]), products.shape[1])
            residuals[own] = np.linalg.solve(part, products[own].T).T
        return residuals

    def _part(self, first: int, width: int) -> Floats:
        """Return that part of the matrix which some columns have."""
        factor = self.factor[:, first : first + width].astype(np.float64)
        return np.asarray(np.eye(width) - np.einsum("ri,rj->ij", factor, factor))

    def is_sound(self, columns: StateColumns) -> bool:
        """Return whether the part of each variable is positive definite, as it must be."""
        for variable in np.flatnonzero(columns.has_columns):
            own = columns.places(np.array([variable]))[0]
            try:
                np.linalg.cholesky(self._part(int(own[0]), len(own)))
            except np.linalg.LinAlgError:
                return False
        return True


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues of Z'Z for the centred rows Z, as far as they are not zero, with their axes."""

    means: Floats
    values: Floats
    axes: Floats  # a column each
    sum_of_variances: float  # over rows, of a mean column

    @classmethod
    def of_rows(cls, rows: Floats, deadline: float) -> Spectrum:
        """Return that of rows; a deadline raises TimeoutError, and Ctrl-C KeyboardInterrupt."""
        means = rows.mean(axis=0)
        centred = rows - means
        is_long = len(rows) >= rows.shape[1]
        decompose = _long_decomposition if is_long else _wide_decomposition
        values, axes = work_aside(lambda: decompose(centred), deadline)
        return cls(means, values, axes, float(np.sum(centred**2) / rows.shape[1]))

    def penalty(self, in_variances: float) -> float:
        """Return a penalty that is so many times the mean variance of a column, for each row."""
        return in_variances * self.sum_of_variances

    def matrix(self, penalty: float) -> RidgeMatrix:
        """Return the matrix with a penalty."""
        factor = (self.axes * np.sqrt(self.values / (self.values + penalty))).T
        return RidgeMatrix(self.means, factor)


def _long_decomposition(centred: Floats) -> tuple[Floats, Floats]:
    values, axes = np.linalg.eigh(centred.T @ centred)
    is_kept = values > values[-1] * LEAST_VALUE
    return values[is_kept], axes[:, is_kept]


def _wide_decomposition(centred: Floats) -> tuple[Floats, Floats]:
    """Decompose ZZ', which is smaller where there are more columns than rows."""
    values, sides = np.linalg.eigh(centred @ centred.T)
    is_kept = values > values[-1] * LEAST_VALUE
    values, sides = values[is_kept], sides[:, is_kept]
    return values, (centred.T @ sides) / np.sqrt(values)
