"""How many rows are copies: known in tables that are made so."""

import math
import time

import numpy as np
import pytest

from baytree import _core
from baytree.imputation import copy_fit as _copy_estimation
from baytree.imputation.copies import ERROR_RATES
from baytree.imputation.copy_fit import best_offset, estimated_copies, estimated_shares

ARITIES = np.full(40, 3, dtype=np.int32)


def table_with_copies(n_rows, share, rate, seed=0):
    """Rows of independent cells; some are copies of others, with cells drawn anew at a rate."""
    random = np.random.default_rng(seed)
    codes = random.integers(3, size=(n_rows, 40)).astype(np.int32)
    n_copies = int(share * n_rows)
    copied = random.choice(np.arange(n_copies, n_rows), n_copies, replace=False)
    is_anew = random.random((n_copies, 40)) < rate
    codes[:n_copies] = np.where(is_anew, codes[:n_copies], codes[copied])
    codes[random.random(codes.shape) < 0.05] = -1
    return np.asfortranarray(codes)


class EvenNetwork:
    """Knows all there is to know but the copies."""

    def log_likelihoods(self, codes):
        return (codes >= 0).sum(axis=1) * math.log(1 / 3)

    def log_probabilities_by_networks(self, codes, shown, is_hidden):
        assert (np.where(is_hidden, -1, codes) == shown).all()
        return np.full(is_hidden.sum(), math.log(1 / 3)), self.log_likelihoods(shown)


def estimated(codes, **options):
    given = {"seed": 0, "deadline": math.inf, "n_jobs": 1} | options
    return estimated_copies(codes, ARITIES, EvenNetwork(), **given)


@pytest.mark.parametrize("rate", ERROR_RATES[1:])
def test_shares_and_rates_of_errors_are_found(rate):
    found = estimated(table_with_copies(800, 0.2, rate))
    # Of a pair, each is like the other: the rows that were copied count too.
    assert found.copied_share == pytest.approx(0.4, abs=0.05)
    shares = found.shares
    assert shares[1:].sum() == pytest.approx(0.4, abs=0.05)
    mean_rate = (shares[1:] * ERROR_RATES).sum() / shares[1:].sum()
    assert mean_rate == pytest.approx(rate, rel=0.35)


def test_tables_without_copies_have_none():
    assert estimated(table_with_copies(800, 0.0, 0.0)) is None


def test_donors_that_are_wrong_about_hidden_cells_speak_against_copies():
    """Each row is there twice, but for three cells; those that are hidden are such ones."""
    random = np.random.default_rng(0)
    half = random.integers(3, size=(300, 40))
    other = half.copy()
    other[:, :3] = (half[:, :3] + 1) % 3
    codes = np.asfortranarray(np.vstack([half, other]), dtype=np.int32)
    assert estimated(codes) is not None

    class First:
        """Hides as estimation does, but in the first cells alone."""

        def random(self, shape):
            return np.where(np.arange(shape[1]) < 3, 0.0, 1.0) * np.ones(shape)

    work = _copy_estimation._Estimation(EvenNetwork(), math.inf, 1)
    copies = estimated(codes)
    assert work.offset(copies, np.arange(600, dtype=np.int32), First()) is None


def test_an_offset_makes_hidden_cells_most_probable():
    random = np.random.default_rng(1)
    is_copy = random.random(4000) < 0.2
    # Donors are right in copies alone; the likelihood takes too many rows for copies.
    right = np.where(is_copy, 0.99, np.where(random.random(4000) < 0.3, 0.99, 0.005))
    of_network = np.where(is_copy, -8.0, random.uniform(-4, 0, 4000))
    even = np.full(4000, math.log(1 / 3))
    offset = best_offset(of_network, even, np.zeros(4000), np.log(right))

    def gain(offset):
        weights = np.exp(of_network + offset)
        return np.log((weights / 3 + right) / (weights + 1) * 3).sum()

    assert 0 < offset < 8
    assert gain(offset) > max(gain(other) for other in range(20)) - 1.001
    assert best_offset(of_network, even, np.zeros(4000), np.log(np.full(4000, 0.3))) is None
    assert best_offset(*[np.zeros(0)] * 4) is None


def test_cells_that_networks_hold_impossible_do_not_decide_alone():
    of_cells = np.full(2000, math.log(1 / 3))
    of_cells[0] = -math.inf
    wrong = np.full(2000, math.log(0.01))
    wrong[0] = math.log(0.9)
    assert best_offset(np.zeros(2000), of_cells, np.zeros(2000), wrong) is None


@pytest.mark.parametrize("n_rows", [0, 1])
def test_one_row_has_no_other(n_rows):
    assert estimated(table_with_copies(10, 0.0, 0.0)[:n_rows]) is None


def test_large_tables_have_donors_drawn_at_random(monkeypatch):
    codes = table_with_copies(500, 0.2, 0.01)
    monkeypatch.setattr(_copy_estimation, "MAX_DONORS", 300)
    donors = estimated(codes).donors
    assert len(donors) == 300
    whole = {tuple(row) for row in codes.tolist()}
    assert all(tuple(row) in whole for row in donors.tolist())
    monkeypatch.setattr(_copy_estimation, "MAX_CELLS", 200 * 40)
    assert len(estimated(codes).donors) == 200


def test_few_rows_of_a_large_table_are_enough(monkeypatch):
    codes = table_with_copies(800, 0.2, 0.01)
    monkeypatch.setattr(_copy_estimation, "MAX_ROWS", 200)
    assert estimated(codes).copied_share == pytest.approx(0.4, abs=0.1)


def test_the_same_on_any_number_of_threads():
    codes = table_with_copies(400, 0.2, 0.03)
    one, two = estimated(codes, n_jobs=1), estimated(codes, n_jobs=3)
    np.testing.assert_array_equal(one.shares, two.shares)


def test_a_deadline_ends_it():
    with pytest.raises(TimeoutError):
        estimated(table_with_copies(100, 0.2, 0.03), deadline=time.monotonic() - 1)


def test_ctrl_c_ends_it(monkeypatch):
    class Interrupted(_core.RunControl):
        is_interrupted = True

    monkeypatch.setattr(_copy_estimation, "run_control", lambda *_: Interrupted())
    with pytest.raises(KeyboardInterrupt):
        estimated(table_with_copies(100, 0.2, 0.03))


def test_shares_are_most_probable_with_a_row_spread_over_all():
    densities = np.random.default_rng(4).normal(0, 2, (500, 3))
    found = estimated_shares(densities)
    assert found.sum() == pytest.approx(1)

    def log_posterior(shares):
        return np.log(np.exp(densities) @ shares).sum() + np.log(shares).sum() / 3

    for other in np.random.default_rng(5).dirichlet(np.ones(3), 300):
        assert log_posterior(found) > log_posterior(other) - 0.1


def test_shares_of_rows_that_the_network_holds_impossible():
    densities = np.column_stack([np.full(50, -np.inf), np.full(50, -3.0)])
    np.testing.assert_allclose(estimated_shares(densities), [0.5 / 51, 50.5 / 51])


def test_cells_that_no_donor_has_say_nothing_about_copies():
    nothing, lowest = np.full(50, -np.inf), np.full(50, -1e300)
    assert best_offset(lowest, np.full(50, -1.0), nothing, nothing) is None
