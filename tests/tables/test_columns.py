"""Cells of one variable to states, whatever they are."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree.exceptions import TableError
from encoded_tables import encode_states
from warning_marks import may_hold_identifiers


def states_of(table):
    encoding, codes = encode_states(table)
    return encoding.states(encoding.variables[0]), codes[:, 0].tolist()


# Arrays


@pytest.mark.parametrize(
    ("table", "states", "codes"),
    [
        (np.array([[3], [1], [3]], dtype=np.uint8), (1, 3), [1, 0, 1]),
        (np.array([[-128], [127], [127]], dtype=np.int8), (-128, 127), [0, 1, 1]),
        (
            np.array([[2**64 - 1], [2**64 - 2], [2**64 - 1]], dtype=np.uint64),
            (2**64 - 2, 2**64 - 1),
            [1, 0, 1],
        ),
        (np.array([[-(2**63)], [2**63 - 1], [-(2**63)]]), (-(2**63), 2**63 - 1), [0, 1, 0]),
        (np.array([[True], [False], [True]]), (False, True), [1, 0, 1]),
        (np.array([[True], [True]]), (True,), [0, 0]),
        (np.array([["b"], ["a"], ["b"]]), ("a", "b"), [1, 0, 1]),
        (np.array([[b"b"], [b"a"], [b"a"]]), (b"a", b"b"), [1, 0, 0]),
        (np.array([["b"], [None], [np.nan], ["a"]], dtype=object), ("a", "b"), [1, -1, -1, 0]),
        (np.array([["b"], [pd.NA], [pd.NaT]], dtype=object), ("b",), [0, -1, -1]),
        (np.array([[2.0], [np.nan], [1.0]]), (1, 2), [1, -1, 0]),
        (
            np.array([["2020-01-01"], ["NaT"]], dtype="datetime64[D]"),
            (np.datetime64("2020-01-01"),),
            [0, -1],
        ),
    ],
)
def test_numpy_states_and_codes(table, states, codes):
    assert states_of(table) == (states, codes)
    encoding, all_codes = encode_states(table)
    decoded = encoding.decode(all_codes)
    assert decoded.dtype == table.dtype
    observed = all_codes >= 0
    assert decoded[observed].tolist() == table[observed].tolist()
    assert pd.isna(decoded[~observed]).all()


def test_masked_cells_are_missing_and_come_back_masked():
    table = np.ma.MaskedArray([[1, 5], [9, 5], [2, 6]], mask=[[0, 0], [1, 0], [0, 1]])
    encoding, codes = encode_states(table)
    assert encoding.states("x0") == (1, 2)
    assert codes.tolist() == [[0, 0], [-1, 0], [1, -1]]
    decoded = encoding.decode(codes)
    assert decoded.dtype == table.dtype
    assert decoded.tolist() == table.tolist()


def test_masked_text_and_dates_do_not_become_states():
    text = np.ma.MaskedArray([["a"], ["z"]], mask=[[0], [1]])
    dates = np.ma.MaskedArray(
        np.array([["2020-01-01"], ["2021-01-01"]], dtype="datetime64[D]"), mask=[[1], [0]]
    )
    assert states_of(text) == (("a",), [0, -1])
    assert states_of(dates) == ((np.datetime64("2021-01-01"),), [-1, 0])


# Labels


def test_numbers_truth_values_and_text_are_different_states():
    table = pd.DataFrame({"v": pd.Series([1, True, "1", 1.0, False, 0], dtype=object)})
    states, codes = states_of(table)
    assert states == (False, True, 0, 1, "1")
    assert [type(state) for state in states] == [bool, bool, int, int, str]
    assert codes == [3, 1, 4, 3, 0, 2]


def test_mixed_labels_are_ordered_by_type_and_then_by_themselves():
    table = np.array([["b"], [10], [(1, 2)], ["a"], [9.5], [b"x"], ["b"]], dtype=object)
    table[2, 0] = (1, 2)
    assert states_of(table)[0] == (b"x", 9.5, 10, "a", "b", (1, 2))


@given(
    st.lists(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(-3, 3),
            st.integers(-3, 3).map(float),
            st.sampled_from(["1", "0", "", "True", "nan", "é"]),
        ),
        min_size=1,
        max_size=20,
    )
)
@settings(deadline=None)
@may_hold_identifiers
def test_two_cells_share_a_code_exactly_when_they_mean_the_same(cells):
    def meaning(cell):
        if isinstance(cell, (bool, str)):
            return (type(cell).__name__, cell)
        return ("number", cell)

    column = np.empty((len(cells), 1), dtype=object)
    column[:, 0] = cells
    _, codes = encode_states(column, missing_words=[])
    for i, one in enumerate(cells):
        assert (codes[i, 0] == -1) == (one is None)
        for j, other in enumerate(cells):
            same = one is None if other is None else meaning(one) == meaning(other)
            assert (codes[i, 0] == codes[j, 0]) == same


@given(
    st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=30),
    st.sampled_from(["pandas", "polars", "pyarrow"]),
)
@settings(deadline=None)
@may_hold_identifiers
def test_integers_of_any_size_keep_their_value(cells, container):
    series = pd.Series(cells, dtype="Int64")
    table = {
        "pandas": lambda: pd.DataFrame({"v": series}),
        "polars": lambda: pl.DataFrame({"v": pl.Series(cells, dtype=pl.Int64)}),
        "pyarrow": lambda: pa.table({"v": pa.array(cells, pa.int64())}),
    }[container]()
    states, codes = states_of(table)
    observed = [cell for cell in cells if cell is not None]
    assert states == tuple(sorted(set(observed)))
    assert codes == [-1 if cell is None else states.index(cell) for cell in cells]


def test_declared_states_that_never_occur_count():
    table = pd.DataFrame({"v": pd.Categorical(["a", None], categories=["z", "a"])})
    encoding, _ = encode_states(table)
    assert encoding.arities.tolist() == [2]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"v": [None, None]}),
        pd.DataFrame({"v": [np.nan, np.nan]}),
        pd.DataFrame({"v": pd.Series([None, None], dtype="Int64")}),
        pd.DataFrame({"v": pd.Series([pd.NaT, pd.NaT])}),
        pl.DataFrame({"v": [None, None]}),
        pl.DataFrame({"v": pl.Series([None, None], dtype=pl.String)}),
        pa.table({"v": pa.nulls(2)}),
        np.array([[None], [None]]),
        np.ma.MaskedArray([[1], [2]], mask=True),
    ],
)
def test_a_variable_without_any_value_has_no_states(table):
    encoding, codes = encode_states(table)
    assert encoding.arities.tolist() == [0]
    assert codes.tolist() == [[-1], [-1]]
    assert len(encoding.decode(codes)) == 2


def test_cells_that_cannot_be_hashed_are_refused_by_name_and_row():
    table = pd.DataFrame({"v": ["a", ["list"]]})
    with pytest.raises(TableError, match=r"'v' holds a list in row 1 \(\['list'\]\), .* Convert"):
        encode_states(table)


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"v": [[1], [2]]}),
        pl.DataFrame({"v": [{"a": 1}, {"a": 2}]}),
        pa.table({"v": pa.array([[1], [2]])}),
        np.array([[1j], [2j]]),
    ],
)
def test_nested_and_complex_cells_are_refused_by_name(table):
    with pytest.raises(TableError, match=r"[Vv]ariable '(v|x0)'"):
        encode_states(table)
