import numpy as np
import pytest

from baytree.imputation.missing_cells import MAX_STATES, MissingCells

ARITIES = np.array([2, 3, 1], dtype=np.int32)
CODES = np.array([[0, -1, 0], [1, 2, 0], [-1, -1, -1]], dtype=np.int32)


def test_missing_cells_come_by_row_then_by_variable():
    missing = MissingCells.of(CODES, ARITIES)
    assert missing.rows.tolist() == [0, 2, 2, 2]
    assert missing.variables.tolist() == [1, 0, 1, 2]
    assert missing.starts.tolist() == [0, 3, 5, 8]
    assert missing.n_entries == 9


def test_cells_of_one_arity_are_found_together_and_constants_never():
    found = [(c.tolist(), e.tolist()) for c, e in MissingCells.of(CODES, ARITIES).by_arity()]
    assert found == [([1], [[3, 4]]), ([0, 2], [[0, 1, 2], [5, 6, 7]])]


def test_a_subset_knows_where_its_distributions_are():
    missing, cells = MissingCells.of(CODES, ARITIES), np.array([1, 3])
    assert missing.subset(cells).variables.tolist() == [0, 2]
    assert missing.entries_of(cells).tolist() == [3, 4, 8]


def test_logarithms_become_distributions_however_far_from_zero():
    missing = MissingCells.of(CODES, ARITIES)
    logarithms = np.log([1, 1, 2, 3, 1, 1, 0.5, 0.5, 7]) - 2000
    expected = [0.25, 0.25, 0.5, 0.75, 0.25, 0.5, 0.25, 0.25, 1]
    np.testing.assert_allclose(missing.normalize(logarithms), expected)


def test_a_complete_table_has_no_distributions():
    missing = MissingCells.of(CODES[1:2], ARITIES)
    assert missing.normalize(np.zeros(0)).tolist() == []


def test_modes_are_the_first_of_the_most_probable_states():
    cells = MissingCells.of(CODES, ARITIES)
    distributions = np.array([0.4, 0.2, 0.4, 0.5, 0.5, 0.1, 0.3, 0.6, 1.0])
    assert cells.most_probable_states(distributions).tolist() == [0, 0, 2, 0]


def test_cells_of_many_states_are_left_out_unless_they_are_asked_for():
    arities = np.array([2, MAX_STATES + 1, MAX_STATES], dtype=np.int32)
    assert MissingCells.of(CODES, arities).variables.tolist() == [0, 2]
    assert MissingCells.of(CODES, arities, max_states=None).variables.tolist() == [1, 0, 1, 2]


def test_cells_of_few_states_have_some_of_the_entries():
    is_few, entries = MissingCells.of(CODES, ARITIES).few_states(2)
    assert is_few.tolist() == [False, True, False, True]
    assert np.flatnonzero(entries).tolist() == [3, 4, 8]


@pytest.mark.parametrize(
    ("rows", "cells", "entries"),
    [((0, 0), (0, 1), (0, 3)), ((0, 2), (0, 4), (0, 9)), ((2, 2), (1, 4), (3, 9))],
)
def test_cells_and_entries_of_some_rows_are_next_to_each_other(rows, cells, entries):
    found = MissingCells.of(CODES, ARITIES).of_rows(*rows)
    assert found == (slice(*cells), slice(*entries))
