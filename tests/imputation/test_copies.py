"""Gaps of rows that may be copies, held to sums over everything that can have happened."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from baytree import _core
from baytree.imputation import copies as _row_copies
from baytree.imputation.copies import ERROR_RATES, RowCopies

ARITIES = np.array([2, 3, 2, 2], dtype=np.int32)
SHARES = np.array([0.6, 0.1, 0.0, 0.1, 0.1, 0.1])


@pytest.fixture
def copies():
    donors = [[0, 2, 1, 0], [0, 2, -1, 1], [1, 0, 0, 0], [-1, 1, 0, 1], [1, 1, 1, -1]]
    return RowCopies(np.array(donors, dtype=np.int32, order="F"), ARITIES, SHARES)


@pytest.fixture
def rows():
    given = [[0, 2, -1, -1], [-1, 0, -1, 0], [1, -1, 0, 1], [-1, 1, 0, 1], [0, 0, 0, 0]]
    return np.array([*given, [-1, -1, -1, -1]], dtype=np.int32, order="F")


@pytest.fixture
def of_networks(rows):
    """A distribution for each gap, by row and variable."""
    random = np.random.default_rng(0)
    return np.concatenate([random.dirichlet(np.ones(ARITIES[v])) for v in np.nonzero(rows < 0)[1]])


@pytest.fixture
def log_likelihoods():
    return np.log([0.02, 0.1, 0.05, 1e-4, 0.2, 1.0])


def mixed(copies, rows, of_networks, log_likelihoods):
    return copies.mixed(rows, of_networks, copies.likely(rows, log_likelihoods, n_jobs=1))


def variable_distributions(copies):
    ends = np.cumsum(ARITIES)[:-1]
    return np.split(copies.probabilities, ends)


def density(copies, row, donor, rate):
    """Probability of the observed cells of a row as a copy."""
    product = 1.0
    for state, theirs, own in zip(row, donor, variable_distributions(copies), strict=True):
        if state >= 0 and theirs < 0:
            product *= own[state]
        elif state >= 0:
            product *= (1 - rate) * (theirs == state) + rate * own[state]
    return product


def expected_cell(copies, row, variable, of_network, likelihood):
    """Distribution of a gap: what each origin of the row says, by how probable it is."""
    total = SHARES[0] * likelihood * of_network
    for donor, (weight, rate) in itertools.product(
        copies.donors, zip(SHARES[1:], ERROR_RATES, strict=True)
    ):
        if donor[variable] >= 0:
            own = rate * variable_distributions(copies)[variable]
            own = own + (1 - rate) * (np.arange(ARITIES[variable]) == donor[variable])
            total = total + weight / len(copies.donors) * density(copies, row, donor, rate) * own
    return total / total.sum()


def test_distributions_of_gaps_are_sums_over_networks_and_donors(
    copies, rows, of_networks, log_likelihoods
):
    found = mixed(copies, rows, of_networks, log_likelihoods)
    at = 0
    for row, variable in zip(*np.nonzero(rows < 0), strict=True):
        cell = slice(at, at + ARITIES[variable])
        at = cell.stop
        expected = of_networks[cell]  # of a row in which nothing is observed
        if (rows[row] >= 0).any():
            likelihood = np.exp(log_likelihoods[row])
            expected = expected_cell(copies, rows[row], variable, of_networks[cell], likelihood)
        np.testing.assert_allclose(found[cell], expected, rtol=1e-9)
    assert at == len(found)


def test_variables_have_their_distributions_among_the_donors(copies):
    assert copies.probabilities.sum() == pytest.approx(len(ARITIES))
    second = variable_distributions(copies)[1]
    np.testing.assert_allclose(second, (np.array([1, 2, 2]) + 1 / 3) / 6)


def test_an_offset_speaks_for_the_network(copies, rows, of_networks, log_likelihoods):
    offset = mixed(replace(copies, offset=2.5), rows, of_networks, log_likelihoods)
    expected = mixed(copies, rows, of_networks, log_likelihoods + 2.5)
    np.testing.assert_allclose(offset, expected)


def test_what_donors_say_of_hidden_states_is_what_they_say_of_gaps(copies):
    row = np.array([[0, 2, -1, -1]], dtype=np.int32, order="F")
    compared = copies.compared(row, n_jobs=1, control=_core.RunControl())
    likely = copies.weighted(np.array([0]), compared, np.log([0.02]))
    for variable, state in ((2, 0), (2, 1), (3, 0), (3, 1)):
        of_all, of_right = copies.weights_for_states(
            likely, np.array([0]), np.array([variable]), np.array([state])
        )
        network = np.exp(likely.of_network[0])
        found = (network * 0.5 + np.exp(of_right)) / (network + np.exp(of_all))
        expected = expected_cell(copies, row[0], variable, np.array([0.5, 0.5]), 0.02)
        assert found == pytest.approx(expected[state])


def test_rows_that_the_network_holds_impossible_are_copies(copies, rows, of_networks):
    found = mixed(copies, rows, of_networks, np.full(len(rows), -np.inf))
    assert np.isfinite(found).all()
    assert found[:2].sum() == pytest.approx(1)
    # Its donors are the first two, which differ in the last cell alone, and one of which has it.
    assert found[1] > 0.9


def test_without_a_donor_that_has_the_cell_the_network_is_all_there_is(copies):
    row = np.array([[0, 2, 1, -1]], dtype=np.int32, order="F")
    donors = np.array([[0, 2, 1, -1]] * 3, dtype=np.int32, order="F")
    own = RowCopies(donors, ARITIES, SHARES)
    for likelihood in (-1.0, -1e6, -np.inf):
        found = mixed(own, row, np.array([0.3, 0.7]), np.array([likelihood]))
        np.testing.assert_allclose(found, [0.3, 0.7])


def test_far_likelihoods_do_not_underflow(copies):
    wide = np.zeros((3, 4000), dtype=np.int32, order="F")
    wide[1:, :] = np.random.default_rng(0).integers(2, size=4000)
    wide[2, 7] = 1 - wide[1, 7]
    copies = RowCopies(wide[:2], np.full(4000, 2, dtype=np.int32), SHARES)
    row = wide[2:].copy(order="F")
    row[0, 5] = -1
    found = mixed(copies, row, np.array([0.5, 0.5]), np.array([-2500.0]))
    assert found[wide[1, 5]] > 0.99


def test_a_row_that_most_probably_is_a_copy_takes_over_the_cells_of_its_donor(copies, rows):
    filled = np.where(rows < 0, 0, rows).astype(np.int32)
    surprising = copies.completed(
        rows, filled, copies.likely(rows, np.full(len(rows), -50.0), n_jobs=1)
    )
    assert surprising[0].tolist() == [0, 2, 1, 0]
    assert surprising[1].tolist() == [1, 0, 0, 0]
    assert surprising[5].tolist() == filled[5].tolist()  # nothing to go by
    expected = copies.completed(rows, filled, copies.likely(rows, np.zeros(len(rows)), n_jobs=1))
    np.testing.assert_array_equal(expected, filled)


def test_draws_have_the_distributions_of_the_gaps(copies):
    n_draws = 40_000
    row = np.array([0, 2, 1, -1], dtype=np.int32)
    rows = np.asfortranarray(np.tile(row, (n_draws, 1)))
    likelihood = np.log(0.02)
    random = np.random.default_rng(1)
    of_network = np.array([0.2, 0.8])
    drawn = rows.copy(order="F")
    drawn[:, 3] = random.random(n_draws) < of_network[1]
    likely = copies.likely(rows, np.full(n_draws, likelihood), n_jobs=1)
    copied = copies.drawn(rows, drawn, likely, seed=2)
    found = mixed(copies, rows[:1], of_network, np.array([likelihood]))
    assert abs(found[1] - of_network[1]) > 0.1
    assert copied[:, 3].mean() == pytest.approx(found[1], abs=0.01)
    np.testing.assert_array_equal(copied[:, :3], rows[:, :3])


def test_draws_of_several_gaps_have_their_distributions_though_donors_lack_some():
    """One donor has the first gap, another the second."""
    donors = [[0, 2, 1, -1], [0, 2, -1, 0], [1, 0, 0, 1], [1, 0, 0, 1]]
    copies = RowCopies(np.array(donors, dtype=np.int32, order="F"), ARITIES, SHARES)
    n_draws = 40_000
    rows = np.asfortranarray(np.tile(np.array([0, 2, -1, -1], dtype=np.int32), (n_draws, 1)))
    likely = copies.likely(rows, np.full(n_draws, math.log(0.02)), n_jobs=1)
    drawn = rows.copy(order="F")
    drawn[:, 2:] = np.random.default_rng(1).random((n_draws, 2)) < 0.5
    copied = copies.drawn(rows, drawn, likely, seed=2)
    found = mixed(copies, rows[:1], np.full(4, 0.5), np.log([0.02]))
    assert found[1] > 0.7
    assert found[2] > 0.7
    assert copied[:, 2].mean() == pytest.approx(found[1], abs=0.01)
    assert copied[:, 3].mean() == pytest.approx(found[3], abs=0.01)


@pytest.mark.parametrize("rows", [np.zeros((3, 4)), np.full((2, 4), -1), np.zeros((0, 4))])
def test_rows_without_anything_to_copy_stay_as_they_are(copies, rows):
    codes = np.asfortranarray(rows, dtype=np.int32)
    likely = copies.likely(codes, np.zeros(len(codes)), n_jobs=1)
    assert len(likely.rows) == 0
    filled = np.zeros_like(codes)
    np.testing.assert_array_equal(copies.drawn(codes, filled, likely, seed=0), filled)
    np.testing.assert_array_equal(copies.completed(codes, filled, likely), filled)


def test_rows_are_compared_some_at_a_time(copies, rows, of_networks, log_likelihoods, monkeypatch):
    at_once = mixed(copies, rows, of_networks, log_likelihoods)
    monkeypatch.setattr(_row_copies, "ROWS_AT_ONCE", 2)
    np.testing.assert_array_equal(mixed(copies, rows, of_networks, log_likelihoods), at_once)


def test_donors_that_lack_the_cell_leave_room_for_those_that_have_it():
    donors = np.array([[0, 2, 1, -1]] * 40 + [[0, 2, 1, 1]] * 20, dtype=np.int32, order="F")
    copies = RowCopies(donors, ARITIES, SHARES)
    row = np.array([[0, 2, 1, -1]], dtype=np.int32, order="F")
    assert mixed(copies, row, np.array([0.5, 0.5]), np.array([-20.0]))[1] > 0.9


def test_ctrl_c_ends_the_comparison(copies, rows, monkeypatch):
    class Interrupted(_core.RunControl):
        is_interrupted = True

    monkeypatch.setattr(_row_copies, "run_control", lambda *_: Interrupted())
    with pytest.raises(KeyboardInterrupt):
        copies.likely(rows, np.zeros(len(rows)), n_jobs=1)


def test_errors_of_copies_are_drawn_from_their_variables(copies):
    variables = np.repeat(np.arange(4), 20_000)
    states = copies._drawn_states(variables, np.random.default_rng(3))
    for variable, own in enumerate(variable_distributions(copies)):
        shares = np.bincount(states[variables == variable], minlength=len(own)) / 20_000
        np.testing.assert_allclose(shares, own, atol=0.015)
