"""Codes back to labels: new tables, and missing cells of old ones."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree.exceptions import (
    DiscretizationWarning,
)
from encoded_tables import codes_of, encode_states, fill
from warning_marks import may_hold_identifiers


def test_dtypes_without_a_missing_value_give_way_in_decode():
    table = pd.DataFrame({"i": [1, 2, 2], "b": [True, False, True], "s": ["x", "y", "x"]})
    encoding, _ = encode_states(table)
    decoded = encoding.decode(np.array([[-1, -1, -1], [1, 0, 1]], dtype=np.int32))
    assert decoded.dtypes.tolist() == [float, object, table["s"].dtype]
    assert decoded.iloc[1].tolist() == [2, False, "y"]
    assert decoded.iloc[0].isna().all()


def test_fill_of_arrays_keeps_dtype_and_mask():
    floats = np.array([[1.0, np.nan], [np.nan, 0.0]])
    encoding, _ = encode_states(floats)
    zeros = np.zeros((2, 2), dtype=np.int32)
    filled = fill(encoding, floats, zeros)
    assert filled.dtype == floats.dtype
    assert filled.tolist() == [[1, 0], [1, 0]]
    masked = np.ma.MaskedArray([[1, 7], [8, 0]], mask=[[0, 1], [1, 0]])
    filled = fill(encoding, masked, zeros)
    assert filled.dtype == masked.dtype
    assert filled.tolist() == [[1, 0], [1, 0]]
    assert masked.tolist() == [[1, None], [None, 0]]


def test_fill_leaves_observed_numbers_of_binned_variables_alone():
    numbers = np.r_[np.linspace(0.1, 7.7, 30), np.nan]
    table = pd.DataFrame({"v": numbers, "w": ["a"] * 31})
    with pytest.warns(DiscretizationWarning):
        encoding, codes = encode_states(table, missing_words=[])
    codes[:] = 0
    filled = fill(encoding, table, codes)
    assert (filled["v"][:30] == numbers[:30]).all()
    assert filled["v"][30] == np.median(numbers[:6])


def test_fill_leaves_a_cell_missing_where_the_code_is():
    table = pd.DataFrame({"v": ["a", None]})
    encoding, codes = encode_states(table, missing_words=[])
    pd.testing.assert_frame_equal(fill(encoding, table, codes), table)


def test_fill_keeps_the_order_of_columns_and_the_attributes(weather):
    table = pd.DataFrame({"wind": [2.0, np.nan], "rain": [None, "no"]}, index=[5, 3])
    table.attrs["source"] = "station"
    filled = fill(weather, table, np.array([[1, 0], [0, 1]], dtype=np.int32))
    expected = pd.DataFrame({"wind": [2.0, 1.0], "rain": ["yes", "no"]}, index=[5, 3])
    pd.testing.assert_frame_equal(filled, expected)
    assert filled.attrs == {"source": "station"}


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"rain": [np.nan, np.nan], "wind": [0, 1]}),
        pl.DataFrame({"rain": [None, None], "wind": [0, 1]}),
        pa.table({"rain": pa.nulls(2), "wind": [0, 1]}),
        np.array([[np.nan, 0.0], [np.nan, 1.0]]),
        pd.DataFrame({"rain": pd.Series([None, None], dtype="Int64"), "wind": [0, 1]}),
    ],
)
def test_an_all_missing_column_of_another_dtype_can_be_filled(weather, table):
    codes = np.array([[1, 0], [0, 1]], dtype=np.int32)
    filled = fill(weather, table, codes)
    assert codes_of(weather, filled).tolist() == codes.tolist()


@pytest.mark.parametrize(
    "cells",
    [
        pd.DataFrame({"v": [np.nan] * 3}),
        pd.DataFrame({"v": pd.Series([None] * 3, dtype="Int64")}),
        pl.DataFrame({"v": pl.Series([None] * 3, dtype=pl.Int64)}),
        pa.table({"v": pa.nulls(3, pa.float64())}),
        np.full((3, 1), np.nan),
    ],
)
@pytest.mark.parametrize("labels", [["0", "1", "0"], [False, True, True]])
def test_labels_do_not_turn_into_numbers_on_the_way_into_a_numeric_column(cells, labels):
    encoding, codes = encode_states(pd.DataFrame({"v": labels}))
    assert codes_of(encoding, fill(encoding, cells, codes)).tolist() == codes.tolist()


def test_a_category_that_was_not_declared_in_new_rows_is_added(weather):
    rain = pd.Categorical([None, "no"], categories=["no"])
    filled = fill(
        weather,
        pd.DataFrame({"rain": rain, "wind": [0, 0]}),
        np.array([[1, 0], [0, 0]], dtype=np.int32),
    )
    assert filled["rain"].tolist() == ["yes", "no"]


@given(st.data())
@settings(deadline=None, max_examples=60)
@may_hold_identifiers
def test_decode_inverts_encode_and_fill_leaves_no_cell_missing(data):
    n_rows = data.draw(st.integers(1, 12))
    strategies = {
        "text": st.one_of(st.none(), st.text(max_size=3)),
        "integer": st.one_of(st.none(), st.integers(-5, 5)),
        "truth": st.one_of(st.none(), st.booleans()),
    }
    dtypes = {"text": "string", "integer": "Int64", "truth": "boolean"}
    table = pd.DataFrame(
        {
            name: pd.Series(
                data.draw(st.lists(cells, min_size=n_rows, max_size=n_rows)), dtype=dtypes[name]
            )
            for name, cells in strategies.items()
        }
    )
    encoding, codes = encode_states(table, missing_words=[])
    pd.testing.assert_frame_equal(encoding.decode(codes, like=table), table)
    guesses = np.where(encoding.arities > 0, 0, -1) * np.ones_like(codes)
    filled = fill(encoding, table, guesses)
    pd.testing.assert_frame_equal(filled.where(table.notna()), table)
    assert filled.notna().all().tolist() == (encoding.arities > 0).tolist()


def test_codes_without_a_state_are_refused_by_name(weather):
    with pytest.raises(ValueError, match=r"'rain' must be below 2, its number of states; got 7"):
        weather.decode(np.array([[7, 0]]))
