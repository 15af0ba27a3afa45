"""All regressions out of one matrix, beside those that scikit-learn fits one by one."""

import math
import time

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from baytree.imputation import ridge_matrix as _ridge_matrix
from baytree.imputation.one_hot import MAX_STATES, StateColumns, distributions_of
from baytree.imputation.ridge_matrix import Spectrum
from baytree.tables.cell_distributions import GapCells

N_ROWS = 40
ARITIES = np.array([2, 3, 2, 4, 1, 2], dtype=np.int32)
WIDE = np.array([2, 3, 4] * 9, dtype=np.int32)  # more columns than rows


@pytest.fixture(params=[ARITIES, WIDE], ids=["long", "wide"])
def rows(request):
    """Columns, indicators, and gaps whose cells have some distribution."""
    arities, random = request.param, np.random.default_rng(0)
    codes = np.column_stack([random.integers(a, size=N_ROWS) for a in arities]).astype(np.int32)
    codes[random.random(codes.shape) < 0.2] = -1
    gaps, columns = GapCells.missing_in(codes, arities), StateColumns(arities)
    distributions = gaps.normalised(random.normal(size=gaps.n_entries))
    return columns, columns.indicators(codes, gaps, distributions), gaps


def predicted_by_ridge(columns, indicators, gaps, penalty, *, without_own_rows):
    """Fit a regression for every gap, with and without its row."""
    means, found = indicators.mean(axis=0), []
    for row, variable, arity in zip(gaps.rows, gaps.variables, gaps.arities, strict=True):
        if arity == 1:
            found.append([1.0])
            continue
        own = columns.places(np.array([variable]))[0]
        others = np.setdiff1d(np.arange(columns.n_columns), own)
        centred = indicators - means
        fitted = np.delete(centred, row, axis=0) if without_own_rows else centred
        ridge = Ridge(penalty, fit_intercept=False).fit(fitted[:, others], fitted[:, own])
        predicted = np.ravel(ridge.predict(centred[[row]][:, others])) + means[own]
        found.append(distributions_of(predicted[None])[0])
    return np.concatenate(found)


@pytest.mark.parametrize("without_own_rows", [False, True])
@pytest.mark.parametrize("in_variances", [0.1, 3.0])
def test_predictions_are_those_of_single_regressions(rows, in_variances, without_own_rows):
    columns, indicators, gaps = rows
    spectrum = Spectrum.of_rows(indicators, math.inf)
    penalty = spectrum.penalty(in_variances)
    own = penalty if without_own_rows else None
    found = spectrum.matrix(penalty).predicted(columns, indicators, gaps, own)
    expected = predicted_by_ridge(
        columns, indicators, gaps, penalty, without_own_rows=without_own_rows
    )
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_penalties_are_in_mean_variances_of_a_column(rows):
    indicators = rows[1]
    penalty = Spectrum.of_rows(indicators, math.inf).penalty(0.5)
    assert penalty == pytest.approx(0.5 * N_ROWS * indicators.var(axis=0).mean())


def test_rows_may_come_one_by_one(rows, monkeypatch):
    columns, indicators, gaps = rows
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(1.0)
    together = matrix.predicted(columns, indicators, gaps)
    monkeypatch.setattr(_ridge_matrix, "PRODUCTS_AT_ONCE", 1)
    np.testing.assert_allclose(matrix.predicted(columns, indicators, gaps), together, atol=1e-12)


def test_variables_of_very_many_states_have_even_probabilities():
    arities = np.array([2, 2, MAX_STATES + 1], dtype=np.int32)
    codes = np.array([[0, 1, 3], [1, 1, -1], [1, 0, 5]], dtype=np.int32)
    gaps, columns = GapCells.missing_in(codes, arities), StateColumns(arities)
    indicators = columns.indicators(codes, gaps, np.zeros(MAX_STATES + 1))
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(1.0)
    np.testing.assert_allclose(matrix.predicted(columns, indicators, gaps), 1 / (MAX_STATES + 1))


def test_what_is_no_inverse_is_told(rows):
    columns, indicators, _ = rows
    matrix = Spectrum.of_rows(indicators, math.inf).matrix(1.0)
    assert matrix.is_sound(columns)
    matrix.factor[0, 0] = 1.0
    assert not matrix.is_sound(columns)


def test_a_deadline_that_has_passed_ends_it():
    with pytest.raises(TimeoutError):
        Spectrum.of_rows(np.random.default_rng(0).random((500, 400)), time.monotonic() - 1)
