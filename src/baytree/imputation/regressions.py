"""Regressions of every variable on all others, and what they and networks say together.

A network of bounded treewidth holds the few strongest dependences of a variable. Where many weak
ones add up, as in ratings of a hundred films, a linear regression on all other variables sees more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from baytree.imputation.one_hot import StateColumns
from baytree.imputation.ridge_matrix import RidgeMatrix
from baytree.runtime.blas_threads import one_blas_thread
from baytree.tables.cell_distributions import Floats, GapCells
from baytree.tables.encoding import StateCodes

LEAST_OF_NETWORKS = 1e-4  # probability of a state that networks hold impossible
MOST_WEIGHT = 10.0  # with it, no probability falls below what a double can hold
CELLS_AT_ONCE = 2**21  # of indicators; a fraction of a second between two looks for Ctrl-C


@dataclass(frozen=True)
class PoolWeights:
    """Exponents of the two distributions whose product is taken for each cell [log-pool]."""

    of_networks: float
    of_regressions: float

    def pooled(self, gaps: GapCells, of_networks: Floats, of_regressions: Floats) -> Floats:
        """Return the products of distributions, which sum to one again."""
        logarithms = self.of_networks * np.log(np.maximum(of_networks, LEAST_OF_NETWORKS))
        logarithms += self.of_regressions * np.log(of_regressions)
        return gaps.normalised(logarithms)


NETWORKS_ALONE = PoolWeights(1.0, 0.0)


@dataclass(frozen=True, eq=False)
class StateRegressions:
    """Fitted regressions, and how much they are worth beside networks."""

    arities: StateCodes
    matrix: RidgeMatrix
    weights: PoolWeights

    def pooled(self, codes: StateCodes, of_networks: Floats) -> Floats:
        """Return the distributions of all gaps, given those of networks, by row and variable."""
        pooled = of_networks.copy()
        n_missing = (codes < 0) @ self.arities  # entries of each row
        rows, ends = np.flatnonzero(n_missing), np.cumsum(n_missing)
        matrix = replace(self.matrix, factor=self.matrix.factor.astype(np.float64))
        n_at_once = max(CELLS_AT_ONCE // max(len(matrix.means), 1), 1)
        for first in range(0, len(rows), n_at_once):
            some = rows[first : first + n_at_once]
            own = slice(ends[some[0]] - n_missing[some[0]], ends[some[-1]])
            pooled[own] = self._pooled(codes[some], of_networks[own], matrix)
        return pooled

    def _pooled(self, codes: StateCodes, of_networks: Floats, matrix: RidgeMatrix) -> Floats:
        columns, gaps = StateColumns(self.arities), GapCells.missing_in(codes, self.arities)
        indicators = columns.indicators(codes, gaps, of_networks)
        with one_blas_thread():
            predicted = matrix.predicted(columns, indicators, gaps)
        pooled = self.weights.pooled(gaps, of_networks, predicted)
        has_columns = np.repeat(columns.has_columns[gaps.variables], gaps.arities)
        return np.where(has_columns, pooled, of_networks)
