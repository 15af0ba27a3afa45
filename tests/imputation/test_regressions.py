"""All regressions out of one matrix, beside those that scikit-learn fits one by one."""

import math
import time

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from baytree.imputation import regressions as _regressions
from baytree.imputation.missing_cells import MissingCells, TableRows
from baytree.imputation.regressions import (
    MAX_STATES,
    ModelWeights,
    Regressions,
    Spectrum,
    VariableColumns,
    to_distributions,
)

SOME = np.array([3, 2, 1, 4], dtype=np.int32)
CODES = np.array([[2, 1, 0, 3], [0, -1, 0, -1], [-1, 0, -1, 1]], dtype=np.int32)


def rows_of(codes):
    """Rows without numbers."""
    return TableRows(codes, np.zeros((len(codes), 0)))


def test_two_states_have_one_column_and_constants_have_none():
    columns = VariableColumns(SOME)
    assert columns.n_columns == 8
    assert columns.places(np.array([0])).tolist() == [[0, 1, 2]]
    assert columns.places(np.array([1])).tolist() == [[3]]
    assert columns.places(np.array([3])).tolist() == [[4, 5, 6, 7]]


def test_observed_states_are_one_hot_and_missing_cells_have_probabilities():
    missing = MissingCells.of(CODES, SOME)
    distributions = np.array([0.3, 0.7, 0.1, 0.2, 0.3, 0.4, 0.5, 0.25, 0.25, 1.0])
    found = VariableColumns(SOME).indicators(rows_of(CODES), missing, distributions)
    assert found.tolist() == [
        [0, 0, 1, 1, 0, 0, 0, 1],
        [1, 0, 0, 0.7, 0.1, 0.2, 0.3, 0.4],
        [0.5, 0.25, 0.25, 0, 0, 1, 0, 0],
    ]


def test_variables_of_very_many_states_have_no_columns():
    arities = np.array([2, MAX_STATES + 1, 3], dtype=np.int32)
    columns = VariableColumns(arities)
    assert columns.has_columns.tolist() == [True, False, True]
    codes = np.array([[1, -1, 2], [0, 50, -1]], dtype=np.int32)
    found = columns.indicators(
        rows_of(codes), MissingCells.of(codes, arities), np.array([0.2, 0.3, 0.5])
    )
    assert found.tolist() == [[1, 0, 0, 1], [0, 0.2, 0.3, 0.5]]


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        ([0.7], [0.3, 0.7]),
        ([-0.5], [1.5 / 1.51, 0.01 / 1.51]),
        ([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]),
        ([1.2, -0.3, 0.1, 0.2], [1.2 / 1.505, 0.005 / 1.505, 0.1 / 1.505, 0.2 / 1.505]),
    ],
)
def test_no_predicted_state_is_impossible(predicted, expected):
    np.testing.assert_allclose(to_distributions(np.array([predicted])), [expected])


N_ROWS = 40
LONG = np.array([2, 3, 2, 4, 1, 2], dtype=np.int32)
WIDE = np.array([2, 3, 4] * 9, dtype=np.int32)  # more columns than rows


@pytest.fixture(params=[LONG, WIDE], ids=["long", "wide"])
def rows(request):
    """Columns, indicators, and missing cells with some distributions."""
    arities, random = request.param, np.random.default_rng(0)
    codes = np.column_stack([random.integers(a, size=N_ROWS) for a in arities]).astype(np.int32)
    codes[random.random(codes.shape) < 0.2] = -1
    missing, columns = MissingCells.of(codes, arities), VariableColumns(arities)
    distributions = missing.normalize(random.normal(size=missing.n_entries))
    return columns, columns.indicators(rows_of(codes), missing, distributions), missing


def predicted_by_ridge(columns, indicators, missing, penalty, *, without_own_rows):
    """Fit a regression for every missing cell, with and without its row."""
    means, found = indicators.mean(axis=0), []
    for row, variable, arity in zip(missing.rows, missing.variables, missing.arities, strict=True):
        if arity == 1:
            found.append([1.0])
            continue
        own = columns.places(np.array([variable]))[0]
        others = np.setdiff1d(np.arange(columns.n_columns), own)
        centred = indicators - means
        fitted = np.delete(centred, row, axis=0) if without_own_rows else centred
        ridge = Ridge(penalty, fit_intercept=False).fit(fitted[:, others], fitted[:, own])
        predicted = np.ravel(ridge.predict(centred[[row]][:, others])) + means[own]
        found.append(to_distributions(predicted[None])[0])
    return np.concatenate(found)


@pytest.mark.parametrize("without_own_rows", [False, True])
@pytest.mark.parametrize("in_variances", [0.1, 3.0])
def test_predictions_are_those_of_single_regressions(rows, in_variances, without_own_rows):
    columns, indicators, missing = rows
    spectrum = Spectrum.of_rows(indicators, math.inf)
    penalty = spectrum.penalty(in_variances)
    own = penalty if without_own_rows else None
    found = spectrum.matrix(penalty).predict(columns, indicators, missing, own).distributions
    expected = predicted_by_ridge(
        columns, indicators, missing, penalty, without_own_rows=without_own_rows
    )
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_penalties_are_in_mean_variances_of_a_column(rows):
    indicators = rows[1]
    penalty = Spectrum.of_rows(indicators, math.inf).penalty(0.5)
    assert penalty == pytest.approx(0.5 * N_ROWS * indicators.var(axis=0).mean())


def test_predicted_rows_may_come_one_by_one(rows, monkeypatch):
    columns, indicators, missing = rows
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(1.0)
    together = matrix.predict(columns, indicators, missing).distributions
    monkeypatch.setattr(_regressions, "PRODUCTS_PER_BATCH", 1)
    np.testing.assert_allclose(
        matrix.predict(columns, indicators, missing)[0], together, atol=1e-12
    )


def test_a_matrix_that_is_no_inverse_is_found(rows):
    columns, indicators, _ = rows
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(1.0)
    assert matrix.is_sound(columns)
    matrix.factor[0, 0] = 1.0
    assert not matrix.is_sound(columns)


def test_a_deadline_that_has_passed_ends_it():
    with pytest.raises(TimeoutError):
        Spectrum.of_rows(np.random.default_rng(0).random((500, 400)), time.monotonic() - 1)


ARITIES = np.array([2, 3, 1, 2, 4], dtype=np.int32)
PENALTY = 3.0


@pytest.fixture
def table():
    """Codes with missing, distributions of these, and regressions on the rows."""
    random = np.random.default_rng(0)
    codes = np.column_stack([random.integers(a, size=30) for a in ARITIES]).astype(np.int32)
    codes[random.random(codes.shape) < 0.3] = -1
    missing, columns = MissingCells.of(codes, ARITIES), VariableColumns(ARITIES)
    of_networks = missing.normalize(random.normal(size=missing.n_entries))
    indicators = columns.indicators(rows_of(codes), missing, of_networks)
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(PENALTY)
    return codes, of_networks, Regressions(VariableColumns(ARITIES), matrix, ModelWeights(0.5, 2.0))


def test_weights_are_exponents_of_distributions():
    missing = MissingCells.of(np.array([[-1]], dtype=np.int32), np.array([3], dtype=np.int32))
    one, two = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.3, 0.1])
    product = one**0.5 * two**2
    found = ModelWeights(0.5, 2.0).pool(missing, one, two)
    np.testing.assert_allclose(found, product / product.sum())


def test_networks_that_hold_a_state_impossible_can_be_overruled():
    missing = MissingCells.of(np.array([[-1]], dtype=np.int32), np.array([2], dtype=np.int32))
    found = ModelWeights(0.1, 3.0).pool(missing, np.array([1.0, 0.0]), np.array([0.1, 0.9]))
    assert found[1] > 0.9


def test_each_missing_cell_has_the_product_for_its_own_row(table):
    """Regress on all other columns, one missing cell after the other, with scikit-learn."""
    codes, of_networks, regressions = table
    missing, columns = MissingCells.of(codes, ARITIES), VariableColumns(ARITIES)
    indicators = columns.indicators(rows_of(codes), missing, of_networks)
    expected = of_networks.copy()
    for cell, start in enumerate(missing.starts):
        if missing.arities[cell] == 1:
            continue
        own = columns.places(missing.variables[[cell]])[0]
        others = np.delete(indicators, own, axis=1)
        ridge = Ridge(PENALTY).fit(others, indicators[:, own])
        predicted = ridge.predict(others[[missing.rows[cell]]]).reshape(1, -1)
        entries = slice(start, start + missing.arities[cell])
        product = of_networks[entries] ** 0.5 * to_distributions(predicted)[0] ** 2
        expected[entries] = product / product.sum()
    np.testing.assert_allclose(
        regressions.predict(rows_of(codes), of_networks).distributions, expected, atol=1e-9
    )


def test_variables_of_very_many_states_are_left_to_networks(table):
    arities = np.array([2, MAX_STATES + 1], dtype=np.int32)
    codes = np.array([[0, -1], [1, 3], [-1, 5]], dtype=np.int32)
    columns, missing = VariableColumns(arities), MissingCells.of(codes, arities)
    of_networks = missing.normalize(np.random.default_rng(0).normal(size=missing.n_entries))
    indicators = columns.indicators(rows_of(codes), missing, of_networks)
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(1.0)
    found = Regressions(columns, matrix, ModelWeights(0.5, 2.0)).predict(
        rows_of(codes), of_networks
    )[0]
    assert len(found) == 2
    assert found[-1] != of_networks[-1]


def test_rows_may_come_one_by_one(table, monkeypatch):
    codes, of_networks, regressions = table
    together = regressions.predict(rows_of(codes), of_networks).distributions
    monkeypatch.setattr(_regressions, "INDICATORS_PER_BATCH", 1)
    np.testing.assert_allclose(
        regressions.predict(rows_of(codes), of_networks).distributions, together, atol=1e-12
    )


def test_a_complete_table_has_nothing_to_pool(table):
    codes = np.zeros((3, len(ARITIES)), dtype=np.int32)
    assert table[2].predict(rows_of(codes), np.zeros(0)).distributions.tolist() == []
