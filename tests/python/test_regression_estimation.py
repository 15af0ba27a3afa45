import math
import time

import numpy as np
import pytest

from baytree import _regression_estimation
from baytree._gap_cells import GapCells
from baytree._regression_estimation import estimated_regressions, without_some_cells

N_ROWS, N_VARIABLES = 400, 30
ARITIES = np.full(N_VARIABLES, 2, dtype=np.int32)


def answers(strength):
    """Answers to questions that all ask for the same thing, the stronger the more."""
    random = np.random.default_rng(0)
    odds = strength * random.normal(size=(N_ROWS, 1)) * random.normal(size=N_VARIABLES)
    return (random.random((N_ROWS, N_VARIABLES)) < 1 / (1 + np.exp(-odds))).astype(np.int32)


def frequencies(codes):
    """Distributions of gaps by the frequencies of states: a network without arcs."""
    gaps = GapCells.of(codes, ARITIES)
    ones = (codes == 1).sum(axis=0) / (codes >= 0).sum(axis=0)
    return np.column_stack([1 - ones, ones])[gaps.variables].ravel()


def estimated(codes, **options):
    shown = without_some_cells(codes, seed=0)
    rest = {"seed": 0, "deadline": math.inf} | options
    return estimated_regressions(codes, shown, ARITIES, frequencies(shown), **rest)


def test_weak_dependences_that_add_up_speak_for_regressions():
    codes = answers(2.0)
    regressions = estimated(codes[:300])
    assert regressions.weights.of_regressions > 0.5
    new = codes[300:].copy()
    new[:, ::5] = -1
    ones = regressions.pooled(new, np.full(2 * (new < 0).sum(), 0.5)).reshape(-1, 2)[:, 1]
    assert ((ones > 0.5) == codes[300:][new < 0]).mean() > 0.6


def test_where_nothing_depends_on_anything_there_are_none():
    assert estimated(answers(0.0)) is None


def test_networks_that_know_all_leave_nothing_to_regressions():
    codes = np.repeat(answers(0.0)[:, :1], N_VARIABLES, axis=1)
    shown = without_some_cells(codes, seed=0)
    gaps = GapCells.of(shown, ARITIES)
    known = codes[gaps.rows, gaps.variables]
    sure = np.column_stack([1 - known, known]).ravel().astype(float)
    found = estimated_regressions(codes, shown, ARITIES, sure, seed=0, deadline=math.inf)
    assert found is None


def test_constant_tables_have_no_regressions():
    codes = np.zeros((50, 3), dtype=np.int32)
    shown = without_some_cells(codes, seed=0)
    arities = np.ones(3, dtype=np.int32)
    ones = np.ones(int((shown < 0).sum()))
    assert estimated_regressions(codes, shown, arities, ones, seed=0, deadline=1e9) is None


@pytest.mark.parametrize("limit", ["MAX_INDICATORS", "MAX_RANK"])
def test_large_tables_are_fitted_by_some_of_their_rows(monkeypatch, limit):
    most = {"MAX_INDICATORS": 100 * N_VARIABLES, "MAX_RANK": 25}[limit]
    monkeypatch.setattr(_regression_estimation, limit, most)
    regressions = estimated(answers(4.0))
    assert len(regressions.matrix.factor) <= 100
    assert regressions.weights.of_regressions > 0


def test_few_rows_of_long_tables_have_cells_hidden(monkeypatch):
    codes = answers(1.0)
    assert 0.03 < (without_some_cells(codes, 0) < 0).mean() < 0.07
    monkeypatch.setattr(_regression_estimation, "MAX_HIDDEN_CELLS", 60)
    is_hidden = without_some_cells(codes, 0) < 0
    assert 50 < is_hidden.sum() <= 60
    assert is_hidden.any(axis=1).sum() < 60


def test_hidden_cells_are_observed_ones():
    codes = answers(1.0)
    codes[:, 3] = -1
    codes[5, 3] = 1
    shown = without_some_cells(codes, 0)
    assert shown[5, 3] == 1
    assert ((shown == codes) | (shown == -1)).all()


def test_a_deadline_that_has_passed_ends_it():
    with pytest.raises(TimeoutError):
        estimated(np.repeat(answers(2.0), 20, axis=0), deadline=time.monotonic() - 1)


def test_weights_are_the_best_ones():
    """No other weights make the hidden cells more probable: by a grid around them."""
    codes = answers(2.0)
    gaps = GapCells.of(without_some_cells(codes, 0), ARITIES)
    states = codes[gaps.rows, gaps.variables]
    random = np.random.default_rng(1)
    of_networks, of_regressions = (
        np.log(gaps.normalised(random.normal(size=gaps.n_entries) + shift))
        for shift in (np.eye(2)[states].ravel(), 0.5 * np.eye(2)[states].ravel())
    )
    cells = _regression_estimation._JudgedCells(gaps, states, of_networks)
    loss, weights = cells.fitted(of_regressions, _regression_estimation.PoolWeights(1, 1))
    for change in ([0.05, 0], [-0.05, 0], [0, 0.05], [0, -0.05]):
        near = np.array([weights.of_networks, weights.of_regressions]) + change
        product = near[0] * of_networks + near[1] * of_regressions
        right = np.log(gaps.normalised(product))[gaps.starts + states]
        assert -right.mean() > loss
