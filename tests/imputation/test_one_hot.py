import numpy as np
import pytest

from baytree.imputation.one_hot import MAX_STATES, StateColumns, distributions_of
from baytree.tables.cell_distributions import GapCells

ARITIES = np.array([3, 2, 1, 4], dtype=np.int32)
CODES = np.array([[2, 1, 0, 3], [0, -1, 0, -1], [-1, 0, -1, 1]], dtype=np.int32)


def test_two_states_have_one_column_and_constants_have_none():
    columns = StateColumns(ARITIES)
    assert columns.n_columns == 8
    assert columns.places(np.array([0])).tolist() == [[0, 1, 2]]
    assert columns.places(np.array([1])).tolist() == [[3]]
    assert columns.places(np.array([3])).tolist() == [[4, 5, 6, 7]]


def test_observed_states_are_indicated_and_gaps_have_their_probabilities():
    gaps = GapCells.missing_in(CODES, ARITIES)
    distributions = np.array([0.3, 0.7, 0.1, 0.2, 0.3, 0.4, 0.5, 0.25, 0.25, 1.0])
    found = StateColumns(ARITIES).indicators(CODES, gaps, distributions)
    assert found.tolist() == [
        [0, 0, 1, 1, 0, 0, 0, 1],
        [1, 0, 0, 0.7, 0.1, 0.2, 0.3, 0.4],
        [0.5, 0.25, 0.25, 0, 0, 1, 0, 0],
    ]


def test_variables_of_very_many_states_are_left_out():
    arities = np.array([2, MAX_STATES + 1, 3], dtype=np.int32)
    columns = StateColumns(arities)
    assert columns.has_columns.tolist() == [True, False, True]
    codes = np.array([[1, -1, 2], [0, 50, -1]], dtype=np.int32)
    gaps = GapCells.missing_in(codes, arities)
    distributions = np.concatenate([np.zeros(MAX_STATES + 1), [0.2, 0.3, 0.5]])
    found = columns.indicators(codes, gaps, distributions)
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
    np.testing.assert_allclose(distributions_of(np.array([predicted])), [expected])
