import numpy as np
import pytest
from hypothesis import given

from baytree import _core
from core_calls import core_dataset
from table_strategies import coded_tables


@given(table=coded_tables())
def test_equal_rows_are_stored_once_and_rows_of_no_weight_never(table):
    dataset = core_dataset(table.codes, table.arities, table.weights)
    weights = np.ones(len(table.codes)) if table.weights is None else table.weights
    assert dataset.n_distinct_rows == len(np.unique(table.codes[weights > 0], axis=0))
    assert dataset.n_rows == len(table.codes)
    assert dataset.n_variables == len(table.arities)
    assert dataset.total_weight == pytest.approx(weights.sum(), rel=1e-12)


@pytest.mark.parametrize("arity", [1, 2, 254, 255, 256, 65_535])
def test_a_missing_cell_is_no_state_at_any_arity(arity):
    codes = np.array([[arity - 1], [-1], [arity - 1], [-1]])
    assert core_dataset(codes, [arity]).n_distinct_rows == 2


@pytest.mark.parametrize(
    ("codes", "arities", "weights", "message"),
    [
        ([[2]], [2], None, "code of variable 0"),
        ([[0, -2]], [2, 2], None, "code of variable 1"),
        ([[0]], [0], None, "arity of variable 0"),
        ([[0]], [-3], None, "arity of variable 0"),
        ([[0, 0]], [2, 65_536], None, "arity of variable 1"),
        ([[0]], [2, 2], None, "n_rows values for every variable"),
        (np.empty((0, 1)), [2], None, "at least one row"),
        (np.empty((1, 0)), [], None, "at least one row"),
        ([[0], [1]], [2], [1.0], "one value a row"),
        ([[0], [1]], [2], [1.0, -1.0], "not negative"),
        ([[0], [1]], [2], [1.0, np.nan], "finite"),
        ([[0], [1]], [2], [1.0, np.inf], "finite"),
        ([[0], [1]], [2], [0.0, 0.0], "positive"),
    ],
)
def test_what_is_out_of_bounds_is_refused(codes, arities, weights, message):
    with pytest.raises(ValueError, match=message):
        core_dataset(codes, arities, weights)


@pytest.mark.parametrize("order", ["C", "F"])
def test_codes_may_lie_in_memory_by_row_or_by_column(order):
    codes = np.array([[0, 1], [0, 1], [1, 0]], dtype=np.int32, order=order)
    dataset = _core.Dataset(codes, np.array([2, 2], dtype=np.int32))
    assert dataset.n_distinct_rows == 2
