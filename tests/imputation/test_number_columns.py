"""Numbers in regressions, beside scikit-learn's regressions and scipy's distributions."""

import math

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.stats import norm
from sklearn.linear_model import Ridge

from baytree.imputation import regression_fit
from baytree.imputation.missing_cells import MissingCells, TableRows
from baytree.imputation.regression_fit import Fold, fit_regressions, hide_some_cells
from baytree.imputation.regressions import (
    MIN_FRACTION,
    ModelWeights,
    NumberColumns,
    Prediction,
    Regressions,
    Spectrum,
    VariableColumns,
    residual_spreads,
)
from baytree.tables.bins import fit_bins

N_ROWS, PENALTY = 40, 3.0
NUMBERS = (1, 3)  # variables


@pytest.fixture
def table():
    """Rows of a number among states and another one, and distributions of missing cells."""
    random = np.random.default_rng(0)
    first = random.normal(5, 2, N_ROWS)
    numbers = np.column_stack([first, 100 * first + random.normal(0, 200, N_ROWS)])
    bins = {
        variable: fit_bins(own, 4, "quantile")
        for variable, own in zip(NUMBERS, numbers.T, strict=True)
    }
    codes = np.column_stack(
        [
            first > 5,
            bins[1].codes(numbers[:, 0]),
            random.integers(3, size=N_ROWS),
            bins[3].codes(numbers[:, 1]),
        ]
    ).astype(np.int32)
    codes[random.random(codes.shape) < 0.2] = -1
    rows = TableRows(codes, np.where(codes[:, NUMBERS] >= 0, numbers, np.nan))
    arities = np.array([2, 4, 3, 4], dtype=np.int32)
    columns = VariableColumns(arities, NumberColumns.of(bins, rows))
    missing = MissingCells.of(codes, arities)
    return rows, columns, missing, missing.normalize(random.normal(size=missing.n_entries))


def ridge_of(indicators, column, row=None):
    """Fit the regression of a column on all others, without a row if there is one."""
    centred = indicators - indicators.mean(axis=0)
    others = np.delete(centred, column, axis=1)
    rows = np.arange(len(centred)) if row is None else np.delete(np.arange(len(centred)), row)
    ridge = Ridge(PENALTY, fit_intercept=False).fit(others[rows], centred[rows, column])
    return ridge.predict(others) + indicators[:, column].mean()


def test_numbers_are_standardised_and_missing_ones_get_their_means(table):
    rows, columns, missing, distributions = table
    found = columns.indicators(rows, missing, distributions)
    for at, variable in enumerate(NUMBERS):
        own = rows.numbers[:, at]
        mean, deviation = np.nanmean(own), np.nanstd(own)
        bins = columns.numbers.bins[variable]
        expected = (own - mean) / deviation
        for row, start in zip(missing.rows, missing.starts, strict=True):
            if missing.variables[missing.starts == start] == variable:
                number = distributions[start : start + 4] @ bins.means
                expected[row] = (number - mean) / deviation
        np.testing.assert_allclose(found[:, columns.firsts[variable]], expected, atol=1e-9)
        restored = columns.numbers.restored(at, expected)
        np.testing.assert_allclose(restored[~np.isnan(own)], own[~np.isnan(own)], rtol=1e-12)


@pytest.mark.parametrize("without_own_rows", [False, True])
def test_predicted_numbers_are_those_of_single_regressions(table, without_own_rows):
    rows, columns, missing, distributions = table
    indicators = columns.indicators(rows, missing, distributions)
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(PENALTY)
    own_penalty = PENALTY if without_own_rows else None
    found = matrix.predict(columns, indicators, missing, own_penalty)
    is_number = np.isin(missing.variables, NUMBERS)
    assert np.isnan(found.numbers[~is_number]).all()
    for cell in np.flatnonzero(is_number):
        row, variable = missing.rows[cell], missing.variables[cell]
        left_out = row if without_own_rows else None
        expected = ridge_of(indicators, columns.firsts[variable], left_out)[row]
        assert found.numbers[cell] == pytest.approx(expected)


def test_residuals_of_numbers_are_those_without_their_own_rows(table):
    rows, columns, missing, distributions = table
    indicators = columns.indicators(rows, missing, distributions)
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(PENALTY)
    found = matrix.number_residuals(columns, indicators, PENALTY)
    for at, variable in enumerate(NUMBERS):
        column = columns.firsts[variable]
        expected = [
            indicators[row, column] - ridge_of(indicators, column, row)[row]
            for row in range(N_ROWS)
        ]
        np.testing.assert_allclose(found[:, at], expected, atol=1e-9)
        together = matrix.predict_column(indicators, int(column))
        np.testing.assert_allclose(together, ridge_of(indicators, column), atol=1e-9)


def test_spreads_are_root_mean_squares_of_observed_residuals():
    residuals = np.array([[3.0, 1.0, 9.0], [4.0, 1.0, 9.0], [7.0, 1.0, 9.0]])
    is_observed = np.array([[True, True, False], [True, False, False], [False, False, False]])
    found = residual_spreads(residuals, is_observed)
    np.testing.assert_allclose(found, [math.sqrt(12.5), 1, 1])
    assert residual_spreads(np.zeros((3, 3)), is_observed)[0] > 0


def test_probabilities_of_bins_are_those_of_normal_residuals(table):
    columns = table[1]
    numbers = NumberColumns(
        columns.numbers.bins, columns.numbers.means, columns.numbers.deviations, np.full(2, 0.5)
    )
    predicted = np.array([-1.0, 0.2, 7.0])
    for at, variable in enumerate(NUMBERS):
        inner = (np.array(numbers.bins[variable].edges[1:-1]) - numbers.means[at]) / (
            numbers.deviations[at]
        )
        for number, found in zip(predicted, numbers.distributions(at, predicted), strict=True):
            below = [0.0, *norm(number, 0.5).cdf(inner), 1.0]
            masses = np.maximum(np.diff(below), MIN_FRACTION / 4)
            np.testing.assert_allclose(found, masses / masses.sum(), atol=1e-12)


def test_missing_numbers_are_predicted_again_from_the_others_that_are_missing(table):
    """By scikit-learn: once from means by networks, then from the weighted sums of both."""
    rows, columns, missing, distributions = table
    indicators = columns.indicators(rows, missing, distributions)
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(PENALTY)
    weights = ModelWeights(1.0, 0.0, (0.3, 0.2), (0.6, 0.9))
    found = Regressions(columns, matrix, weights).predict(rows, distributions)
    np.testing.assert_allclose(found.distributions, distributions, atol=1e-12)
    fitted, places = indicators.copy(), columns.firsts[list(NUMBERS)]
    coefficients = []
    for place in places:
        others = np.delete(fitted, place, axis=1)
        coefficients.append(Ridge(PENALTY).fit(others, fitted[:, place]))
    filled, is_missing = indicators, rows.codes[:, NUMBERS] < 0
    for _ in range(2):
        sums = np.column_stack(
            [
                weights.numbers_by_networks[at] * indicators[:, place]
                + weights.numbers_by_regressions[at] * ridge.predict(np.delete(filled, place, 1))
                for at, (place, ridge) in enumerate(zip(places, coefficients, strict=True))
            ]
        )
        filled = filled.copy()
        filled[:, places] = np.where(is_missing, sums, indicators[:, places])
    for cell in np.flatnonzero(np.isin(missing.variables, NUMBERS)):
        at = NUMBERS.index(missing.variables[cell])
        expected = columns.numbers.restored(at, filled[missing.rows[cell], places[at]])
        assert found.numbers[cell] == pytest.approx(expected)


def test_weights_of_numbers_are_nonnegative_least_squares_of_stacked_rows():
    random = np.random.default_rng(0)
    for _ in range(20):
        models, truth = random.normal(size=(12, 2)), random.normal(size=12)
        stacked = np.column_stack([models, truth])
        prior, n_prior = random.random(2), random.integers(0, 30)
        found = regression_fit._least_squares(stacked.T @ stacked, prior, n_prior)
        rows = np.vstack([models, math.sqrt(n_prior) * np.eye(2)])
        sides = np.concatenate([truth, math.sqrt(n_prior) * prior])
        np.testing.assert_allclose(found, lsq_linear(rows, sides, (0, 10)).x, atol=1e-5)


def test_weights_of_numbers_are_those_of_held_out_ones(table, monkeypatch):
    """The sums of squares over folds give what the held-out numbers in one table give."""
    rows, columns, *_ = table
    monkeypatch.setattr(regression_fit, "PRIOR_CELLS", 0)
    folds, predictions, models = [], [], {at: [] for at in range(2)}
    random = np.random.default_rng(1)
    for hidden in (slice(0, 15), slice(15, 30)):
        codes = rows.codes.copy(order="F")
        codes[hidden, 1:] = -1
        missing = MissingCells.of(codes, columns.arities)
        by_networks = missing.normalize(random.normal(size=missing.n_entries))
        own = regression_fit._CompletedRows.of_fold(
            columns, rows, Fold(codes, by_networks), math.inf
        )
        numbers = random.normal(size=len(own.held_out))
        folds.append(own)
        predictions.append(Prediction(np.zeros(0), numbers, numbers))
        for number, cell in zip(numbers, own.held_out, strict=True):
            row, variable = missing.rows[cell], missing.variables[cell]
            if variable in NUMBERS:
                at = NUMBERS.index(variable)
                distribution = by_networks[missing.starts[cell] :][:4]
                units = columns.numbers
                mean = distribution @ units.bins[variable].means
                truth = rows.numbers[row, at]
                standardised = (np.array([mean, truth]) - units.means[at]) / units.deviations[at]
                models[at].append([standardised[0], number, standardised[1]])
    found, error = regression_fit._weigh_numbers(folds, predictions, ModelWeights(1.0, 1.0))
    expected_error = 0.0
    for at, stacked in models.items():
        *pair, truth = np.array(stacked).T
        solution = lsq_linear(np.column_stack(pair), truth, (0, 10))
        weights = [found.numbers_by_networks[at], found.numbers_by_regressions[at]]
        np.testing.assert_allclose(weights, solution.x, atol=1e-4)
        expected_error += 2 * solution.cost
    assert error == pytest.approx(expected_error, rel=1e-4)


def test_numbers_of_new_rows_may_be_as_large_as_can_be(table):
    numbers = table[1].numbers
    for column in range(2):
        found = numbers.standardised(column, np.array([1.7e308, -1.7e308, np.nan]))
        assert np.isfinite(found[:2]).all()
        assert np.isnan(found[2])


def test_folds_without_a_held_out_cell_have_no_regressions(table):
    rows, columns, _, distributions = table
    fold = Fold(rows.codes, distributions)
    assert fit_regressions(rows, [fold], columns, math.inf) is None


def test_frequencies_of_states_come_with_weights_of_numbers_at_their_own_penalty():
    """Networks that hold the truth to be improbable lose to frequencies."""
    random = np.random.default_rng(0)
    number = random.normal(size=400)
    bins = fit_bins(number, 4, "quantile")
    codes = np.column_stack([bins.codes(number), *random.integers(2, size=(3, 400))])
    codes = np.asfortranarray(codes.astype(np.int32))
    rows = TableRows(codes, number[:, None])
    columns = VariableColumns(
        np.array([4, 2, 2, 2], dtype=np.int32), NumberColumns.of({0: bins}, rows)
    )
    folds = []
    for shown in hide_some_cells(codes, columns, seed=0):
        missing = MissingCells.of(shown, columns.arities)
        by_networks = missing.normalize(random.normal(size=missing.n_entries))
        own = Fold(shown, by_networks)
        folds.append(regression_fit._CompletedRows.of_fold(columns, rows, own, math.inf))
    penalty, weights = regression_fit._choose_penalty(folds, [1.0], math.inf)
    assert (penalty, weights.networks) == (regression_fit.FREQUENCIES_ALONE, 0.0)
    (predicted,) = regression_fit._predictions(folds, [penalty], math.inf, n_threads=1)
    expected, _ = regression_fit._weigh_numbers(folds, predicted, weights)
    assert weights == expected


def test_variables_of_more_bins_than_states_are_left_to_networks():
    number = np.random.default_rng(0).normal(size=300)
    bins = fit_bins(number, 100, "quantile")
    codes = np.column_stack([bins.codes(number), number > 0]).astype(np.int32)
    rows = TableRows(codes, number[:, None])
    columns = VariableColumns(np.array([100, 2], dtype=np.int32), NumberColumns.of({0: bins}, rows))
    assert columns.n_columns == 1
    assert columns.number_columns == []
    assert hide_some_cells(codes, columns, seed=0)
