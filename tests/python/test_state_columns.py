import numpy as np
import pytest

from baytree._gap_cells import GapCells
from baytree._state_columns import StateColumns, distributions_of

ARITIES = np.array([3, 2, 1, 4], dtype=np.int32)
CODES = np.array([[2, 1, 0, 3], [0, -1, 0, -1], [-1, 0, -1, 1]], dtype=np.int32)


def test_two_states_have_one_column_and_constants_have_none():
    columns = StateColumns(ARITIES)
    assert columns.n_columns == 8
    assert columns.of(np.array([0]), 3).tolist() == [[0, 1, 2]]
    assert columns.of(np.array([1]), 2).tolist() == [[3]]
    assert columns.of(np.array([3]), 4).tolist() == [[4, 5, 6, 7]]


def test_observed_states_are_indicated_and_gaps_have_their_probabilities():
    gaps = GapCells.of(CODES, ARITIES)
    distributions = np.array([0.3, 0.7, 0.1, 0.2, 0.3, 0.4, 0.5, 0.25, 0.25, 1.0])
    found = StateColumns(ARITIES).indicators(CODES, gaps, distributions)
    assert found.tolist() == [
        [0, 0, 1, 1, 0, 0, 0, 1],
        [1, 0, 0, 0.7, 0.1, 0.2, 0.3, 0.4],
        [0.5, 0.25, 0.25, 0, 0, 1, 0, 0],
    ]


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        ([0.7], [0.3, 0.7]),
        ([-0.5], [1.5 / 1.51, 0.01 / 1.51]),
        ([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]),
        ([1.2, -0.3, 0.1], [1.2 / 1.31, 0.01 / 1.31, 0.1 / 1.31]),
    ],
)
def test_no_predicted_state_is_impossible(predicted, expected):
    np.testing.assert_allclose(distributions_of(np.array([predicted])), [expected])
