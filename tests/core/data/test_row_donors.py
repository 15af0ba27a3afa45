"""Rows that others may be copies of, held to densities that are multiplied cell by cell."""

import numpy as np
import pytest

from baytree import _core, _core_testing

RATES = [0.01, 0.2]


def random_table(n_rows, arities, seed, share_of_gaps=0.2):
    random = np.random.default_rng(seed)
    codes = random.integers(arities, size=(n_rows, len(arities)))
    is_gap = random.random(codes.shape) < share_of_gaps
    return np.asfortranarray(np.where(is_gap, -1, codes), dtype=np.int32)


def distributions(arities, seed=9):
    random = np.random.default_rng(seed)
    return [random.dirichlet(np.ones(arity)) for arity in arities]


def donor_search(donors, arities, *, instruction_set=None, probabilities=None):
    own = distributions(arities) if probabilities is None else probabilities
    return _core.DonorSearch(
        donors,
        arities=arities,
        probabilities=np.concatenate(own),
        error_rates=RATES,
        instruction_set=instruction_set,
    )


def find(rows, donors, arities, *, own=None, must_help=False, n_donors=4, n_threads=1, **given):
    control = given.pop("control", None) or _core.RunControl()
    found, densities = donor_search(donors, arities, **given).find(
        rows, own=own, must_help=must_help, n_donors=n_donors, n_threads=n_threads, control=control
    )
    n_found = min(n_donors, len(donors) - (own is not None))
    return found.reshape(-1, n_found), densities.reshape(-1, n_found, len(RATES))


def log_density(row, donor, arities, rate):
    """Log probability of the observed cells of a row, each kept or drawn anew."""
    total = 0.0
    for state, theirs, own in zip(row, donor, distributions(arities), strict=True):
        if state >= 0:
            is_kept = float(theirs == state)
            total += np.log(own[state] if theirs < 0 else (1 - rate) * is_kept + rate * own[state])
    return total


def test_densities_are_products_over_the_cells():
    arities = [2, 3, 4, 2, 3]
    rows, donors = random_table(12, arities, 0), random_table(6, arities, 1)
    found, densities = find(rows, donors, arities, n_donors=6)
    for row, own_donors, own_densities in zip(rows, found, densities, strict=True):
        expected = [[log_density(row, donors[d], arities, r) for r in RATES] for d in own_donors]
        np.testing.assert_allclose(own_densities, expected, rtol=1e-12, atol=1e-12)
        assert sorted(own_donors) == list(range(6))


@pytest.mark.parametrize(("n_variables", "n_donors"), [(7, 300), (150, 40), (3, 5000)])
def test_donors_are_the_most_probable_ones(n_variables, n_donors):
    arities = [2, 3] * (n_variables // 2) + [2] * (n_variables % 2)
    donors = random_table(n_donors, arities, 2)
    random = np.random.default_rng(3)
    chosen = random.integers(n_donors, size=20)
    is_other = random.random((20, n_variables)) < 0.1
    rows = np.where(is_other, random_table(20, arities, 4), donors[chosen])
    found, _ = find(np.asfortranarray(rows), donors, arities, n_donors=1)
    for row, best in zip(rows, found[:, 0], strict=True):
        # The rate of errors at which they are ranked; weights are rounded.
        densities = [log_density(row, donor, arities, 0.05) for donor in donors]
        assert densities[best] > max(densities) - 0.01 * n_variables


def test_the_best_come_first_and_of_equal_ones_the_first():
    donors = np.array([[0, 0], [1, 1], [0, 1], [1, 1], [-1, 1]], dtype=np.int32, order="F")
    found, _ = find(np.array([[1, 1]], dtype=np.int32, order="F"), donors, [2, 2], n_donors=5)
    assert found.tolist()[0][:2] == [1, 3]
    assert found.tolist()[0][-1] == 0


def test_a_row_is_not_its_own_donor():
    arities = [2] * 30
    donors = random_table(25, arities, 5, share_of_gaps=0.0)
    every = np.arange(25, dtype=np.int32)
    assert find(donors, donors, arities)[0][:, 0].tolist() == every.tolist()
    found = find(donors, donors, arities, own=every, n_donors=99)[0]
    assert found.shape == (25, 24)
    assert not (found == every[:, None]).any()


def test_states_beyond_those_that_are_ranked_exactly():
    arities = [70_000, 2]
    donors = np.array([[1, 0], [1 + 2**15, 0], [69_999, 0]], dtype=np.int32, order="F")
    found, densities = find(donors, donors, arities, n_donors=2)
    best = np.take_along_axis(found, densities[:, :, 0].argmax(axis=1)[:, None], 1)[:, 0]
    assert best.tolist() == [0, 1, 2]


def test_threads_do_not_matter():
    arities = [3] * 20
    rows, donors = random_table(200, arities, 6), random_table(300, arities, 7)
    for one, two in zip(
        find(rows, donors, arities), find(rows, donors, arities, n_threads=3), strict=True
    ):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("instruction_set", _core_testing.instruction_sets())
def test_every_instruction_set_finds_the_same(instruction_set):
    arities = [2, 3, 5] * 40
    rows, donors = random_table(30, arities, 9), random_table(5001, arities, 10)
    found = find(rows, donors, arities, instruction_set=instruction_set)
    for one, two in zip(found, find(rows, donors, arities), strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_stop_request_ends_it():
    control = _core.RunControl()
    control.request_stop()
    rows = random_table(50, [2, 2], 8)
    found, densities = find(rows, rows, [2, 2], control=control)
    assert (found == -1).all()
    assert np.isneginf(densities).all()


@pytest.mark.parametrize("n_variables", [64, 65, 128, 129, 400, 1000])
def test_gains_of_many_cells_do_not_overflow(n_variables):
    """All gains are equal, so that they are as large as they can be."""
    arities = [2] * n_variables
    even = [np.array([0.5, 0.5])] * n_variables
    donors = random_table(50, arities, 11, share_of_gaps=0.0)
    found, _ = find(donors, donors, arities, n_donors=1, probabilities=even)
    assert found[:, 0].tolist() == list(range(50))


def test_donors_that_must_help_have_a_cell_that_the_row_lacks():
    donors = np.array([[0, 0, -1], [0, 1, 1], [1, 1, 0], [0, -1, -1]], dtype=np.int32, order="F")
    rows = np.array([[0, 0, -1], [-1, -1, 0], [0, 0, 0]], dtype=np.int32, order="F")
    found, densities = find(rows, donors, [2, 2, 2], must_help=True)
    assert [sorted(row) for row in found.tolist()] == [[-1, -1, 1, 2], [0, 1, 2, 3], [-1] * 4]
    np.testing.assert_array_equal(np.isneginf(densities).all(axis=2), found < 0)


@pytest.mark.parametrize(
    ("rows", "own", "message"),
    [
        ([[0, 2]], None, "not a state"),
        ([[0, -2]], None, "not a state"),
        ([[0]], None, "column for every variable"),
        ([[0, 0]], [3], "itself"),
        ([[0, 0]], [-1], "itself"),
        ([[0, 0]], [0, 0], "itself"),
    ],
)
def test_what_cannot_be_is_refused(rows, own, message):
    donors = np.zeros((3, 2), dtype=np.int32, order="F")
    given = None if own is None else np.array(own, dtype=np.int32)
    with pytest.raises(ValueError, match=message):
        find(np.array(rows, dtype=np.int32, order="F"), donors, [2, 2], own=given)


@pytest.mark.parametrize(
    ("arities", "probabilities"),
    [([2, 2], np.ones(3)), ([0, 0], np.ones(0)), ([2, 2], np.array([1, 0, 0.5, 0.5]))],
)
def test_a_state_without_a_probability_is_refused(arities, probabilities):
    donors = np.full((3, 2), -1, dtype=np.int32, order="F")
    with pytest.raises(ValueError, match="every state needs a probability"):
        _core.DonorSearch(donors, arities=arities, probabilities=probabilities, error_rates=RATES)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_a_rate_of_errors_that_cannot_be_is_refused(rate):
    donors = np.zeros((3, 1), dtype=np.int32, order="F")
    with pytest.raises(ValueError, match="a rate of errors must be between 0 and 1"):
        _core.DonorSearch(donors, arities=[1], probabilities=np.ones(1), error_rates=[rate])
