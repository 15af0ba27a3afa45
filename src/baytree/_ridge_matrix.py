"""Ridge regressions [ridge] of all columns of a table on the others, out of one matrix.

With Z for the centred rows and c for the penalty, let M be the inverse of Z'Z + c. The residuals of
columns J, regressed on all others, are those of Z M in J times the inverse of M in J and J; and the
row itself counts among those that the regression was fitted to by its leverage, so that without it
they would be larger by 1 / (1 - leverage) [press].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from baytree._gap_cells import Floats, GapCells, Positions
from baytree._state_columns import StateColumns, distributions_of
from baytree._work_aside import work_aside

MOST_LEVERAGE = 0.999
LEAST_VALUE = 1e-12  # of an eigenvalue, beside the largest


@dataclass(frozen=True, eq=False)
class RidgeMatrix:
    """The inverse of Z'Z + c as (1 - F'F) / c, with means of the columns."""

    means: Floats
    factor: npt.NDArray[np.floating[Any]]  # F
    penalty: float  # c

    def predicted(
        self, columns: StateColumns, indicators: Floats, gaps: GapCells, *, without_own_rows: bool
    ) -> Floats:
        """Return distributions of the gaps of rows, given the indicators of all other variables.

        If the rows are among those that the matrix was made of, it can be without each of them.
        """
        centred = indicators - self.means
        products = self._products(centred)
        leverages = (products * centred).sum(axis=1)
        predicted = np.ones(gaps.n_entries)
        for cells, entries in gaps.by_arity():
            own = columns.of(gaps.variables[cells], entries.shape[1])
            at = (gaps.rows[cells][:, None], own)
            residuals = np.einsum("ki,kij->kj", products[at], self._inverses(own))
            if without_own_rows:
                leverage = leverages[gaps.rows[cells]] - (residuals * products[at]).sum(axis=1)
                residuals /= 1 - np.minimum(leverage, MOST_LEVERAGE)[:, None]
            predicted[entries] = distributions_of(indicators[at] - residuals)
        return predicted

    def is_sound(self, columns: StateColumns) -> bool:
        """Return whether the part of each variable can be inverted."""
        for arity in np.unique(columns.arities[columns.arities > 1]):
            own = columns.of(np.flatnonzero(columns.arities == arity), int(arity))
            if (np.linalg.eigvalsh(self._parts(own[:, 0], own.shape[1])) <= 0).any():
                return False
        return True

    def _products(self, centred: Floats) -> Floats:
        with one_blas_thread():
            return np.asarray((centred - (centred @ self.factor.T) @ self.factor) / self.penalty)

    def _inverses(self, columns: Positions) -> Floats:
        """Return the inverse of that part of the matrix which each row of columns has."""
        firsts, line = np.unique(columns[:, 0], return_inverse=True)
        parts = self._parts(firsts, columns.shape[1])
        return np.asarray(np.linalg.inv(parts)[line] * self.penalty)

    def _parts(self, firsts: Positions, width: int) -> Floats:
        """Return c times the part of the matrix that some columns have, for each first column."""
        factors = self.factor[:, firsts[:, None] + np.arange(width)].astype(np.float64)
        return np.asarray(np.eye(width) - np.einsum("rgi,rgj->gij", factors, factors))


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues of Z'Z for the centred rows Z, as far as they are not zero, with their axes."""

    means: Floats
    values: Floats
    axes: Floats  # a column each
    mean_square: float  # of a centred cell
    n_rows: int

    @classmethod
    def of(cls, rows: Floats, deadline: float) -> Spectrum:
        """Return that of rows; a deadline raises TimeoutError, and Ctrl-C KeyboardInterrupt."""
        means = rows.mean(axis=0)
        centred = rows - means
        is_long = len(rows) >= rows.shape[1]
        decompose = _long_decomposition if is_long else _wide_decomposition
        values, axes = work_aside(_in_one_thread(decompose, centred), deadline)
        return cls(means, values, axes, float(np.mean(centred**2)), len(rows))

    def matrix(self, penalty: float) -> RidgeMatrix:
        """Return the matrix with a penalty in units of the mean variance of a column."""
        added = penalty * self.n_rows * self.mean_square
        factor = (self.axes * np.sqrt(self.values / (self.values + added))).T
        return RidgeMatrix(self.means, factor, float(added))


def _long_decomposition(centred: Floats) -> tuple[Floats, Floats]:
    values, axes = np.linalg.eigh(centred.T @ centred)
    return np.maximum(values, 0.0), axes


def _wide_decomposition(centred: Floats) -> tuple[Floats, Floats]:
    """Decompose ZZ', which is smaller where there are more columns than rows."""
    values, sides = np.linalg.eigh(centred @ centred.T)
    is_kept = values > values[-1] * LEAST_VALUE
    values, sides = values[is_kept], sides[:, is_kept]
    return values, (centred.T @ sides) / np.sqrt(values)


def _in_one_thread(
    decompose: Callable[[Floats], tuple[Floats, Floats]], centred: Floats
) -> Callable[[], tuple[Floats, Floats]]:
    def decomposed() -> tuple[Floats, Floats]:
        with one_blas_thread():
            return decompose(centred)

    return decomposed


def one_blas_thread() -> Any:
    """Let linear algebra have one thread: sums in another order would differ in their last bits."""
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
