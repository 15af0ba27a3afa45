import math

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from baytree.imputation import regressions as _state_regressions
from baytree.imputation.one_hot import MAX_STATES, StateColumns, distributions_of
from baytree.imputation.regressions import PoolWeights, StateRegressions
from baytree.imputation.ridge_matrix import Spectrum
from baytree.tables.cell_distributions import GapCells

ARITIES = np.array([2, 3, 1, 2, 4], dtype=np.int32)
PENALTY = 3.0


@pytest.fixture
def table():
    """Codes with gaps, distributions of these, and regressions on the rows."""
    random = np.random.default_rng(0)
    codes = np.column_stack([random.integers(a, size=30) for a in ARITIES]).astype(np.int32)
    codes[random.random(codes.shape) < 0.3] = -1
    gaps, columns = GapCells.missing_in(codes, ARITIES), StateColumns(ARITIES)
    of_networks = gaps.normalised(random.normal(size=gaps.n_entries))
    indicators = columns.indicators(codes, gaps, of_networks)
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(PENALTY)
    return codes, of_networks, StateRegressions(ARITIES, matrix, PoolWeights(0.5, 2.0))


def test_weights_are_exponents_of_distributions():
    gaps = GapCells.missing_in(np.array([[-1]], dtype=np.int32), np.array([3], dtype=np.int32))
    one, two = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.3, 0.1])
    product = one**0.5 * two**2
    found = PoolWeights(0.5, 2.0).pooled(gaps, one, two)
    np.testing.assert_allclose(found, product / product.sum())


def test_networks_that_hold_a_state_impossible_can_be_overruled():
    gaps = GapCells.missing_in(np.array([[-1]], dtype=np.int32), np.array([2], dtype=np.int32))
    found = PoolWeights(0.1, 3.0).pooled(gaps, np.array([1.0, 0.0]), np.array([0.1, 0.9]))
    assert found[1] > 0.9


def test_each_gap_has_the_product_for_its_own_row(table):
    """Regress on all other columns, one gap after the other, with scikit-learn."""
    codes, of_networks, regressions = table
    gaps, columns = GapCells.missing_in(codes, ARITIES), StateColumns(ARITIES)
    indicators = columns.indicators(codes, gaps, of_networks)
    expected = of_networks.copy()
    for cell, start in enumerate(gaps.starts):
        if gaps.arities[cell] == 1:
            continue
        own = columns.places(gaps.variables[[cell]])[0]
        others = np.delete(indicators, own, axis=1)
        ridge = Ridge(PENALTY).fit(others, indicators[:, own])
        predicted = ridge.predict(others[[gaps.rows[cell]]]).reshape(1, -1)
        entries = slice(start, start + gaps.arities[cell])
        product = of_networks[entries] ** 0.5 * distributions_of(predicted)[0] ** 2
        expected[entries] = product / product.sum()
    np.testing.assert_allclose(regressions.pooled(codes, of_networks), expected, atol=1e-9)


def test_variables_of_very_many_states_are_left_to_networks(table):
    arities = np.array([2, MAX_STATES + 1], dtype=np.int32)
    codes = np.array([[0, -1], [1, 3], [-1, 5]], dtype=np.int32)
    columns, gaps = StateColumns(arities), GapCells.missing_in(codes, arities)
    of_networks = gaps.normalised(np.random.default_rng(0).normal(size=gaps.n_entries))
    indicators = columns.indicators(codes, gaps, of_networks)
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(1.0)
    found = StateRegressions(arities, matrix, PoolWeights(0.5, 2.0)).pooled(codes, of_networks)
    assert found[: MAX_STATES + 1].tolist() == of_networks[: MAX_STATES + 1].tolist()
    assert found[-1] != of_networks[-1]


def test_rows_may_come_one_by_one(table, monkeypatch):
    codes, of_networks, regressions = table
    together = regressions.pooled(codes, of_networks)
    monkeypatch.setattr(_state_regressions, "CELLS_AT_ONCE", 1)
    np.testing.assert_allclose(regressions.pooled(codes, of_networks), together, atol=1e-12)


def test_a_complete_table_has_nothing_to_pool(table):
    codes = np.zeros((3, len(ARITIES)), dtype=np.int32)
    assert table[2].pooled(codes, np.zeros(0)).tolist() == []
