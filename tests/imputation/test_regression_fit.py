import math
import time

import numpy as np
import pytest

from baytree.imputation import regression_fit
from baytree.imputation.missing_cells import MissingCells, TableRows, hold_out_cells
from baytree.imputation.regression_fit import (
    Fold,
    choose_training_rows,
    fit_regressions,
    hide_some_cells,
)
from baytree.imputation.regressions import ModelWeights, VariableColumns

N_ROWS, N_VARIABLES = 400, 30
ARITIES = np.full(N_VARIABLES, 2, dtype=np.int32)


def answers(strength):
    """Variables that depend on one hidden factor, some more than others."""
    random = np.random.default_rng(0)
    odds = strength * random.normal(size=(N_ROWS, 1)) * random.normal(size=N_VARIABLES)
    return (random.random((N_ROWS, N_VARIABLES)) < 1 / (1 + np.exp(-odds))).astype(np.int32)


def frequencies(codes):
    """Distributions of missing cells by the frequencies of states: a network without arcs."""
    missing = MissingCells.of(codes, ARITIES)
    ones = (codes == 1).sum(axis=0) / (codes >= 0).sum(axis=0)
    return np.column_stack([1 - ones, ones])[missing.variables].ravel()


COLUMNS = VariableColumns(ARITIES)


def rows_of(codes):
    """Rows without numbers."""
    return TableRows(codes, np.zeros((len(codes), 0)))


def folds_of(codes):
    return hide_some_cells(codes, COLUMNS, seed=0)


def without(codes):
    return folds_of(codes)[0]


def estimated(codes, deadline=math.inf):
    folds = [Fold(shown, frequencies(shown)) for shown in folds_of(codes)]
    return fit_regressions(rows_of(codes), folds, COLUMNS, deadline)


def predicted(regressions, codes, by_networks):
    """Probabilities of 1 in the missing cells."""
    return regressions.predict(rows_of(codes), by_networks).distributions.reshape(-1, 2)[:, 1]


def test_weak_dependences_that_add_up_speak_for_regressions():
    codes = answers(2.0)
    regressions = estimated(codes[:300])
    assert regressions.weights.regressions > 0.5
    new = codes[300:].copy()
    new[:, ::5] = -1
    ones = predicted(regressions, new, np.full(2 * (new < 0).sum(), 0.5))
    assert ((ones > 0.5) == codes[300:][new < 0]).mean() > 0.6


def test_where_nothing_depends_on_anything_there_are_none():
    assert estimated(answers(0.0)) is None


def test_there_are_no_regressions_beside_networks_that_predict_all_cells():
    codes = np.repeat(answers(0.0)[:, :1], N_VARIABLES, axis=1)
    shown = without(codes)
    missing = MissingCells.of(shown, ARITIES)
    known = codes[missing.rows, missing.variables]
    sure = np.column_stack([1 - known, known]).ravel().astype(float)
    assert fit_regressions(rows_of(codes), [Fold(shown, sure)], COLUMNS, math.inf) is None


def test_few_cells_cannot_be_held_out():
    assert folds_of(answers(2.0)[:1]) == []


def test_cells_of_constants_and_of_very_many_states_cannot_weigh_regressions():
    codes = np.zeros((150, 3), dtype=np.int32)
    assert hide_some_cells(codes, VariableColumns(np.array([1, 1, 500], dtype=np.int32)), 0) == []
    assert hide_some_cells(codes, VariableColumns(np.array([1, 2, 500], dtype=np.int32)), 0) == []
    assert hide_some_cells(codes, VariableColumns(np.array([3, 2, 500], dtype=np.int32)), 0)


def test_missing_cells_of_training_rows_are_predicted_as_if_the_rows_were_new():
    """In wide tables, regressions reproduce what missing cells were filled with: here, nonsense."""
    random = np.random.default_rng(0)
    odds = 4 * random.normal(size=(60, 1)) * random.normal(size=150)
    truth = (random.random(odds.shape) < 1 / (1 + np.exp(-odds))).astype(np.int32)
    codes = np.where(random.random(truth.shape) < 0.1, -1, truth).astype(np.int32)
    shown = np.where(random.random(truth.shape) < 0.1, -1, codes).astype(np.int32)
    wrong = 0.02 + 0.96 * np.stack([truth, 1 - truth], axis=2)
    columns = VariableColumns(np.full(150, 2, dtype=np.int32))
    fold = Fold(shown, wrong[shown < 0].ravel())
    found = fit_regressions(rows_of(codes), [fold], columns, math.inf)
    ones = predicted(found, codes, wrong[codes < 0].ravel())
    assert ((ones > 0.5) == truth[codes < 0]).mean() > 0.7  # 0.59 if filled with the nonsense


@pytest.mark.parametrize(
    ("limit", "most", "n_rows"), [("MAX_INDICATORS", 100 * N_VARIABLES, 100), ("MAX_RANK", 25, 25)]
)
def test_large_tables_are_fitted_by_some_of_their_rows(monkeypatch, limit, most, n_rows):
    codes = answers(4.0)
    shown = codes.copy()
    shown[[3, 300], 2] = -1
    monkeypatch.setattr(regression_fit, limit, most)
    rows = choose_training_rows(codes, [shown], COLUMNS, seed=0)
    assert len(rows) == n_rows
    assert (np.diff(rows) > 0).all()
    assert {3, 300} <= set(rows)


def test_small_tables_are_fitted_by_all_rows():
    codes = answers(1.0)
    assert choose_training_rows(codes, folds_of(codes), COLUMNS, 0).tolist() == list(range(N_ROWS))


def test_few_rows_of_long_tables_have_cells_hidden(monkeypatch):
    codes = answers(1.0)
    assert 0.03 < (without(codes) < 0).mean() < 0.07
    monkeypatch.setattr(regression_fit, "MAX_HELD_OUT_CELLS", 150)
    is_hidden = without(codes) < 0
    assert 100 < is_hidden.sum() < 200
    assert is_hidden.any(axis=1).sum() <= 100


def test_reports_and_tuning_hide_other_cells_by_the_same_seed():
    codes = answers(1.0)
    of_report = hold_out_cells(codes, 0.05, 0)
    shown = without(np.where(of_report, -1, codes).astype(np.int32))
    assert ((shown < 0) & ~of_report).sum() > 300


def test_hold_out_cells_are_observed_ones():
    codes = answers(1.0)
    codes[:, 3] = -1
    codes[5, 3] = 1
    shown = without(codes)
    assert shown[5, 3] == 1
    assert ((shown == codes) | (shown == -1)).all()


def test_a_deadline_that_has_passed_ends_it():
    with pytest.raises(TimeoutError):
        estimated(answers(2.0), deadline=time.monotonic() - 1)


def test_weights_are_the_best_ones():
    """No other weights make the hidden cells more probable: by a grid around them."""
    codes = answers(2.0)
    missing = MissingCells.of(without(codes), ARITIES)
    states = codes[missing.rows, missing.variables]
    random = np.random.default_rng(1)
    of_networks, of_regressions = (
        np.log(missing.normalize(random.normal(size=missing.n_entries) + shift))
        for shift in (np.eye(2)[states].ravel(), 0.5 * np.eye(2)[states].ravel())
    )
    cells = regression_fit._HeldOutCells(missing, states, of_networks)
    loss, weights = cells.fit(of_regressions, start=ModelWeights(1, 1))
    for change in ([0.05, 0], [-0.05, 0], [0, 0.05], [0, -0.05]):
        near = np.array([weights.networks, weights.regressions]) + change
        product = near[0] * of_networks + near[1] * of_regressions
        right = np.log(missing.normalize(product))[missing.starts + states]
        assert -right.mean() > loss
