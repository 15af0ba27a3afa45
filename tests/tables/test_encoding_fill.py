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
from baytree.tables.inputs import open_table
from baytree.tables.streams import open_stream
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


AMOUNTS = [*np.linspace(0.5, 99.5, 67).round(2).tolist(), None, None, None]
COUNTS = [*range(0, 670, 10), None, None, None]


def containers_of(cells, dtypes):
    """Return columns of the same cells in several containers, as "container dtype"."""
    kinds = {
        "pandas": lambda dtype: pd.DataFrame({"v": pd.Series(cells, dtype=dtype)}),
        "polars": lambda dtype: pl.DataFrame({"v": pl.Series(cells, dtype=getattr(pl, dtype))}),
        "pyarrow": lambda dtype: pa.table({"v": pa.array(cells, type=getattr(pa, dtype)())}),
        "numpy": lambda dtype: np.array([cells], dtype=dtype).T,
        "masked": lambda dtype: np.ma.MaskedArray(
            np.array([[cell or 0 for cell in cells]], dtype=dtype).T,
            mask=np.array([[cell is None for cell in cells]]).T,
        ),
    }
    return {f"{kind} {dtype}": kinds[kind](dtype) for kind, dtype in map(str.split, dtypes)}


FLOAT_TABLES = containers_of(
    AMOUNTS,
    [
        "pandas float64",
        "pandas float32",
        "pandas Float64",
        "pandas float64[pyarrow]",
        "pandas object",
        "polars Float64",
        "polars Float32",
        "pyarrow float64",
        "numpy float64",
        "numpy object",
        "masked float64",
    ],
)
INTEGER_TABLES = containers_of(
    COUNTS,
    [
        "pandas float64",
        "pandas Int16",
        "pandas int64[pyarrow]",
        "pandas object",
        "polars Int16",
        "polars UInt32",
        "pyarrow int32",
        "numpy float64",
        "masked int64",
    ],
)


def dtype_and_cells(table):
    """Return the dtype of the only column of a table, and its cells."""
    if isinstance(table, np.ndarray):
        return table.dtype, table[:, 0].tolist()
    if isinstance(table, pa.Table):
        return table.schema.field("v").type, table["v"].to_pylist()
    return table["v"].dtype, table["v"].to_list()


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
@pytest.mark.parametrize("name", FLOAT_TABLES)
def test_numbers_fill_missing_cells_within_the_observed_range(name):
    opened = open_table(FLOAT_TABLES[name], missing_words=[])
    numbers = np.r_[np.full(67, 7.0), 41.25, -1e300, 100.0]
    dtype, cells = dtype_and_cells(opened.filled(opened.codes, {0: numbers}))
    assert dtype == dtype_and_cells(opened.table)[0]
    assert cells == pytest.approx([*AMOUNTS[:67], 41.25, 0.5, 99.5], rel=1e-6)


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
@pytest.mark.parametrize("name", INTEGER_TABLES)
def test_numbers_fill_columns_of_integers_with_integers(name):
    opened = open_table(INTEGER_TABLES[name], missing_words=[])
    numbers = np.r_[np.full(67, 7.0), 41.7, -3.0, 661.0]
    dtype, cells = dtype_and_cells(opened.filled(opened.codes, {0: numbers}))
    assert dtype == dtype_and_cells(opened.table)[0]
    assert cells == [*COUNTS[:67], 42, 0, 660]


def test_numbers_fill_integers_that_are_states_too():
    table = pd.DataFrame({"n": pd.array([1, 5, 9, None], dtype="Int8")})
    opened = open_table(table)
    assert opened.filled(opened.codes, {0: np.array([0, 0, 0, 6.6])})["n"].tolist() == [1, 5, 9, 7]
    assert opened.filled(opened.codes, {0: np.array([0, 0, 0, 12.0])})["n"].tolist() == [1, 5, 9, 9]


def test_a_number_that_is_missing_leaves_the_cell_missing(weather):
    table = pd.DataFrame({"wind": [2.0, np.nan, np.nan], "rain": [None, "no", "no"]})
    opened = open_table(table, weather)
    filled = opened.filled(np.zeros((3, 2), np.int32), {1: np.array([np.nan, np.nan, 1.4])})
    expected = pd.DataFrame({"wind": [2.0, np.nan, 1.0], "rain": ["no"] * 3})
    pd.testing.assert_frame_equal(filled, expected)


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
def test_huge_integers_are_filled_with_integers_of_their_dtype():
    high = 2**63 - 1
    table = pd.DataFrame({"n": pd.array([*range(60), high, None], dtype="Int64")})
    opened = open_table(table)
    filled = opened.filled(opened.codes, {0: np.full(62, 1e30)})
    assert filled["n"].dtype == "Int64"
    assert 50 < filled["n"].iloc[-1] <= high


@pytest.mark.parametrize(
    ("position", "n", "message"),
    [
        (0, 4, "'rain' held no numbers in fit, so that none can fill its cells"),
        (1, 3, r"numbers of 'wind' must be one per row, 4; got the shape \(3,\)"),
    ],
)
def test_numbers_that_fit_no_column_are_refused(weather, position, n, message):
    opened = open_table(pd.DataFrame({"rain": [None] * 4, "wind": [None] * 4}), weather)
    with pytest.raises(ValueError, match=message):
        opened.filled(opened.codes, {position: np.ones(n)})


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_numbers_fill_files_as_they_fill_frames(tmp_path, suffix):
    frame = pd.DataFrame({"v": AMOUNTS, "n": pd.array(COUNTS, dtype="Int64")})
    frame["b"] = [True, None] * 35
    source, target = tmp_path / f"source{suffix}", tmp_path / f"target{suffix}"
    write = {".csv": pd.DataFrame.to_csv, ".parquet": pd.DataFrame.to_parquet}[suffix]
    write(frame, source, index=False)
    opened = open_table(source)
    stream = open_stream(source, opened.encoding)
    numbers = {0: np.full(70, 41.25), 1: np.full(70, 41.7)}
    with stream.writer(target) as writer:
        for chunk in stream.chunks(40):
            rows = open_table(chunk.view, opened.encoding)
            n_rows = len(rows.codes)
            chunk.write(
                writer,
                rows,
                np.zeros((n_rows, 3), np.int32),
                {position: own[:n_rows] for position, own in numbers.items()},
            )
    read = {".csv": pd.read_csv, ".parquet": pd.read_parquet}[suffix]
    expected = frame.fillna({"v": 41.25, "n": 42, "b": True})
    pd.testing.assert_frame_equal(read(target), expected.astype(read(target).dtypes))
    assert expected["n"].tolist() == read(target)["n"].tolist()
