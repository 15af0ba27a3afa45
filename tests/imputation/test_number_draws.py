"""Draws of numbers within their bins, beside products that are normalised directly."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from baytree.imputation import number_draws
from baytree.imputation.missing_cells import MissingCells, TableRows
from baytree.imputation.number_draws import (
    _group_probabilities,
    draw_numbers,
    fit_group_weights,
)
from baytree.imputation.regressions import (
    ModelWeights,
    NumberColumns,
    Regressions,
    Spectrum,
    VariableColumns,
)
from baytree.tables.bins import fit_bins

N_ROWS, SPREAD = 2_000, 0.4


@pytest.fixture(scope="module")
def pair():
    """Two numbers that depend on each other, one of them skewed, with their bins."""
    random = np.random.default_rng(0)
    first = random.normal(3, 2, N_ROWS)
    values = np.column_stack([first, np.exp(0.3 * first + random.normal(0, 0.2, N_ROWS))])
    bins = {at: fit_bins(values[:, at], 3, "quantile") for at in range(2)}
    codes = np.column_stack([bins[at].codes(values[:, at]) for at in range(2)])
    rows = TableRows(np.asfortranarray(codes.astype(np.int32)), values)
    own = NumberColumns.of(bins, rows)
    return rows, NumberColumns(bins, own.means, own.deviations, np.full(2, SPREAD))


def expected_probabilities(numbers, column, code, predicted):
    """Counts times the density of the residual, over that of the number by itself."""
    found = []
    for group in numbers.bins[column].contents.groups[code]:
        centre = (group.mean - numbers.means[column]) / numbers.deviations[column]
        found.append(group.n * norm.pdf(centre, predicted, SPREAD) / norm.pdf(centre))
    return np.transpose(found / sum(found))


def test_groups_are_as_probable_as_their_counts_times_the_likelihood(pair):
    _, numbers = pair
    predicted = np.array([-1.0, 0.3, 2.0])
    for column in range(2):
        for code, groups in enumerate(numbers.contents(column).groups_of_bins):
            found = _group_probabilities(numbers, column, groups, predicted)
            expected = expected_probabilities(numbers, column, code, predicted)
            np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("n_scalings", "tolerance"), [(number_draws.N_SCALINGS, 0.02), (300, 1e-4)]
)
def test_with_weights_each_group_gets_its_share_on_average(
    pair, monkeypatch, n_scalings, tolerance
):
    monkeypatch.setattr(number_draws, "N_SCALINGS", n_scalings)
    rows, numbers = pair
    random = np.random.default_rng(1)
    standardised = np.column_stack(
        [numbers.standardised(at, rows.numbers[:, at]) for at in range(2)]
    )
    predicted = standardised + random.normal(0, SPREAD, standardised.shape)
    weights = fit_group_weights(numbers, rows.codes, predicted)
    for column in range(2):
        contents = numbers.contents(column)
        for code, groups in enumerate(contents.groups_of_bins):
            own = predicted[rows.codes[:, column] == code, column]
            products = expected_probabilities(numbers, column, code, own)
            products *= weights[column][groups]
            means = (products / products.sum(axis=1, keepdims=True)).mean(axis=0)
            np.testing.assert_allclose(means, contents.shares[groups], atol=tolerance)


@pytest.fixture(scope="module")
def regressions(pair):
    rows, numbers = pair
    columns = VariableColumns(np.array([3, 3], dtype=np.int32), numbers)
    missing = MissingCells.of(rows.codes, columns.arities)
    indicators = columns.indicators(rows, missing, np.zeros(0))
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(1.0)
    random = np.random.default_rng(2)
    weights = tuple(
        random.uniform(0.1, 1, len(numbers.contents(column).shares)) for column in range(2)
    )
    return Regressions(columns, matrix, ModelWeights(1, 0, (0, 0), (1, 1)), weights)


def drawn_seconds(regressions, rows, first, code, n_draws):
    """Draw the second number of a row again and again, given the first and its bin."""
    missing = TableRows(
        np.tile(np.array([[rows.codes[first, 0], -1]], dtype=np.int32), (n_draws, 1)),
        np.tile([[rows.numbers[first, 0], np.nan]], (n_draws, 1)),
    )
    completed = np.asfortranarray(np.where(missing.codes < 0, np.int32(code), missing.codes))
    start = {0: np.full(n_draws, np.nan), 1: np.zeros(n_draws)}
    return draw_numbers(regressions, missing, completed, start, np.random.RandomState(0))[1]


@pytest.mark.parametrize("code", [0, 1, 2])
def test_draws_within_a_bin_have_the_normalised_product(pair, regressions, code):
    rows, numbers = pair
    given = (rows.numbers[:, 0] - numbers.means[0]) / numbers.deviations[0]
    second = (rows.numbers[:, 1] - numbers.means[1]) / numbers.deviations[1]
    predicted = given[5] * (given @ second) / (given @ given + 1.0)  # ridge on one number
    product = expected_probabilities(numbers, 1, code, predicted)
    groups = numbers.bins[1].contents.groups[code]
    slices = numbers.contents(1).groups_of_bins[code]
    product *= regressions.group_weights[1][slices]
    product /= product.sum()
    drawn = drawn_seconds(regressions, rows, 5, code, 20_000)
    counts = [((group.low <= drawn) & (drawn <= group.high)).mean() for group in groups]
    assert sum(counts) == pytest.approx(1)
    np.testing.assert_allclose(counts, product, atol=0.012)  # 3.4 standard errors


def test_observed_numbers_and_the_first_draws_stay_as_they_are(pair, regressions):
    rows, _ = pair
    codes = rows.codes.copy(order="F")
    codes[::7, 1] = -1
    start = {0: np.full(N_ROWS, np.nan), 1: np.full(N_ROWS, np.nan)}
    shown = rows.with_codes(codes)
    drawn = draw_numbers(regressions, shown, rows.codes, start, np.random.RandomState(0))
    assert np.isnan(start[1]).all()
    assert (np.isnan(drawn[1]) == (codes[:, 1] >= 0)).all()
    bins = regressions.columns.numbers.bins[1]
    again = bins.codes(drawn[1][::7])
    assert (again == rows.codes[::7, 1]).all()


def test_groups_that_are_all_impossible_draw_from_the_bin_nonetheless(pair, regressions):
    rows, _ = pair
    least = tuple(np.full(len(own), 5e-324) for own in regressions.group_weights)
    impossible = Regressions(regressions.columns, regressions.matrix, regressions.weights, least)
    bins = regressions.columns.numbers.bins[1]
    drawn = drawn_seconds(impossible, rows, 5, 2, 50)
    assert (bins.codes(drawn) == 2).all()
