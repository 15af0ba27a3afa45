"""Every dtype of every container, there and back."""

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from baytree.exceptions import TableError
from encoded_tables import encode_states, fill
from same_tables import assert_same_table

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12, 30)

# name: (column with a missing cell in the middle, states)
PANDAS_COLUMNS = {
    "object text": (pd.Series(["b", None, "a"], dtype=object), ("a", "b")),
    "object nan": (pd.Series(["b", np.nan, "a"], dtype=object), ("a", "b")),
    "object bool": (pd.Series([True, None, False], dtype=object), (False, True)),
    "object integers": (pd.Series([10, None, 9], dtype=object), (9, 10)),
    "str": (pd.Series(["b", None, "a"], dtype="str"), ("a", "b")),
    "string": (pd.Series(["b", None, "a"], dtype="string"), ("a", "b")),
    "string python": (pd.Series(["b", None, "a"], dtype="string[python]"), ("a", "b")),
    "float": (pd.Series([10.0, np.nan, 9.0]), (9, 10)),
    "float32": (pd.Series([10.0, np.nan, -9.0], dtype="float32"), (-9, 10)),
    "Int64": (pd.Series([2**60 + 1, None, 2**60], dtype="Int64"), (2**60, 2**60 + 1)),
    "UInt8": (pd.Series([255, None, 0], dtype="UInt8"), (0, 255)),
    "Float64": (pd.Series([2, None, 1], dtype="Float64"), (1, 2)),
    "boolean": (pd.Series([True, None, False], dtype="boolean"), (False, True)),
    "category": (
        pd.Series(pd.Categorical(["lo", None, "hi"], ["lo", "mid", "hi"], ordered=True)),
        ("lo", "mid", "hi"),
    ),
    "category of integers": (pd.Series(pd.Categorical([7, None, 3], [7, 5, 3])), (7, 5, 3)),
    "category of floats": (pd.Series(pd.Categorical([0.5, None, 0.1])), (0.1, 0.5)),
    "category of intervals": (
        pd.cut(pd.Series([1.0, np.nan, 9.0]), [0, 5, 10]),
        (pd.Interval(0, 5), pd.Interval(5, 10)),
    ),
    "datetime": (
        pd.Series([NOON, None, datetime.datetime(2020, 1, 1)], dtype="datetime64[ns]"),
        (pd.Timestamp(2020, 1, 1), pd.Timestamp(NOON)),
    ),
    "datetime with zone": (
        pd.Series(pd.to_datetime([NOON, None, NOON]).tz_localize("UTC")),
        (pd.Timestamp(NOON, tz="UTC"),),
    ),
    "timedelta": (
        pd.Series(pd.to_timedelta([2, None, 1], unit="h")),
        (pd.Timedelta(hours=1), pd.Timedelta(hours=2)),
    ),
    "period": (
        pd.Series(pd.PeriodIndex(["2024-01", None, "2023-01"], freq="M")),
        (pd.Period("2023-01", "M"), pd.Period("2024-01", "M")),
    ),
    "sparse": (pd.Series(pd.arrays.SparseArray([1.0, np.nan, 0.0])), (0, 1)),
    "arrow text": (pd.Series(["b", None, "a"], dtype=pd.ArrowDtype(pa.string())), ("a", "b")),
    "arrow integers": (pd.Series([2, None, 1], dtype=pd.ArrowDtype(pa.int16())), (1, 2)),
    "arrow bool": (
        pd.Series([True, None, False], dtype=pd.ArrowDtype(pa.bool_())),
        (False, True),
    ),
    "arrow dictionary": (
        pd.Series(["b", None, "a"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
        ("b", "a"),
    ),
    "float16": (pd.Series([2.0, np.nan, 1.0], dtype="float16"), (1, 2)),
    "UInt64": (pd.Series([2**64 - 1, None, 1], dtype="UInt64"), (1, 2**64 - 1)),
    "bytes": (pd.Series([b"b", None, b"a"], dtype=object), (b"a", b"b")),
    "decimal": (
        pd.Series([Decimal("1.10"), None, Decimal(1)], dtype=object),
        (Decimal(1), Decimal("1.10")),
    ),
    "interval": (
        pd.Series(pd.arrays.IntervalArray.from_tuples([(1, 2), np.nan, (0, 1)])),
        (pd.Interval(0, 1), pd.Interval(1, 2)),
    ),
    "arrow date": (
        pd.Series([DAY, None, datetime.date(2020, 1, 1)], dtype=pd.ArrowDtype(pa.date32())),
        (datetime.date(2020, 1, 1), DAY),
    ),
}
POLARS_COLUMNS = {
    "String": (pl.Series(["b", None, "é"]), ("b", "é")),
    "Categorical": (pl.Series(["b", None, "a"], dtype=pl.Categorical), ("a", "b")),
    "Enum": (pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a"])), ("c", "b", "a")),
    "Boolean": (pl.Series([True, None, False]), (False, True)),
    "Int64": (pl.Series([2**60 + 1, None, 2**60]), (2**60, 2**60 + 1)),
    "UInt8": (pl.Series([255, None, 0], dtype=pl.UInt8), (0, 255)),
    "Float64": (pl.Series([2.0, None, 1.0]), (1, 2)),
    "Float64 NaN": (pl.Series([2.0, float("nan"), 1.0]), (1, 2)),
    "Date": (pl.Series([DAY, None, datetime.date(2020, 1, 1)]), (datetime.date(2020, 1, 1), DAY)),
    "Datetime": (pl.Series([NOON, None, NOON]), (NOON,)),
}
ARROW_COLUMNS = {
    "string": (pa.array(["b", None, "a"]), ("a", "b")),
    "large_string": (pa.array(["b", None, "a"], pa.large_string()), ("a", "b")),
    "string_view": (pa.array(["b", None, "a"], pa.string_view()), ("a", "b")),
    "dictionary": (
        pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), ["a", "b", "c"], ordered=True),
        ("a", "b", "c"),
    ),
    "bool": (pa.array([True, None, False]), (False, True)),
    "int64": (pa.array([2**60 + 1, None, 2**60]), (2**60, 2**60 + 1)),
    "uint8": (pa.array([255, None, 0], pa.uint8()), (0, 255)),
    "double": (pa.array([2.0, None, 1.0]), (1, 2)),
    "date32": (pa.array([DAY, None, DAY]), (DAY,)),
    "timestamp": (pa.array([NOON, None, NOON]), (NOON,)),
}


def expected_codes(states, cells):
    return [-1 if cell is None else states.index(cell) for cell in cells]


@pytest.mark.parametrize("name", PANDAS_COLUMNS)
def test_pandas_column_survives_the_round_trip(name):
    column, states = PANDAS_COLUMNS[name]
    table = pd.DataFrame({"v": column}).set_axis(["r1", "r2", "r3"])
    encoding, codes = encode_states(table)
    assert encoding.states("v") == states
    assert codes[1, 0] == -1
    assert [states[code] for code in codes[[0, 2], 0]] == [table["v"].iloc[0], table["v"].iloc[2]]
    if name == "object nan":
        table = table.replace({np.nan: None})  # a missing cell of an object column is None
    assert_same_table(encoding.decode(codes, like=table), table)


@pytest.mark.parametrize("name", POLARS_COLUMNS)
def test_polars_column_survives_the_round_trip(name):
    column, states = POLARS_COLUMNS[name]
    table = pl.DataFrame({"v": column})
    encoding, codes = encode_states(table)
    assert encoding.states("v") == states
    assert codes[:, 0].tolist() == [states.index(column[0]), -1, states.index(column[2])]
    is_float = column.dtype.is_float()
    assert_same_table(encoding.decode(codes), table.fill_nan(None) if is_float else table)


@pytest.mark.parametrize("name", ARROW_COLUMNS)
def test_arrow_column_survives_the_round_trip(name):
    column, states = ARROW_COLUMNS[name]
    table = pa.table({"v": column})
    encoding, codes = encode_states(table)
    assert encoding.states("v") == states
    assert codes[:, 0].tolist() == expected_codes(states, column.to_pylist())
    assert_same_table(encoding.decode(codes), table)


@pytest.mark.parametrize("name", PANDAS_COLUMNS)
def test_fill_changes_only_the_missing_cell_in_pandas(name):
    column, states = PANDAS_COLUMNS[name]
    table = pd.DataFrame({"v": column}).set_axis(["r1", "r2", "r3"])
    encoding, _ = encode_states(table)
    last = len(states) - 1
    filled = fill(encoding, table, np.full((3, 1), last, dtype=np.int32))
    assert filled.dtypes.tolist() == table.dtypes.tolist()
    assert filled["v"].tolist() == [table["v"].iloc[0], states[last], table["v"].iloc[2]]
    assert table["v"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("name", POLARS_COLUMNS)
def test_fill_changes_only_the_missing_cell_in_polars(name):
    column, states = POLARS_COLUMNS[name]
    table = pl.DataFrame({"v": column, "w": [1, 2, 1]})
    encoding, codes = encode_states(table)
    codes[:, 0] = 0
    filled = fill(encoding, table, codes)
    assert filled.schema == table.schema
    assert filled["v"].to_list() == [column[0], states[0], column[2]]


@pytest.mark.parametrize("name", ARROW_COLUMNS)
def test_fill_changes_only_the_missing_cell_in_pyarrow(name):
    column, states = ARROW_COLUMNS[name]
    table = pa.table({"w": [1, 2, 1], "v": column}).replace_schema_metadata({"k": "v"})
    encoding, codes = encode_states(table)
    codes[:, 1] = 0
    filled = fill(encoding, table, codes)
    assert filled.schema.equals(table.schema, check_metadata=True)
    assert filled["v"].to_pylist() == [column[0].as_py(), states[0], column[2].as_py()]


def test_arrow_chunks_with_different_dictionaries_are_one_variable():
    column = pa.chunked_array(
        [pa.array(["b", None]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()]
    )
    encoding, codes = encode_states(pa.table({"v": column}))
    assert encoding.states("v") == ("b", "a")
    assert codes[:, 0].tolist() == [0, -1, 1, 0]


def test_arrow_dictionary_with_a_null_or_a_double_still_encodes():
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), ["b", None, "b", "a"])
    encoding, codes = encode_states(pa.table({"v": dictionary}))
    assert encoding.states("v") == ("a", "b")
    assert codes[:, 0].tolist() == [1, -1, 1, 0]


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table])
def test_encodings_of_other_containers_survive_pickle(make):
    table = make({"v": ["b", "a", "b"]})
    encoding, codes = pickle.loads(pickle.dumps(encode_states(table)))
    assert_same_table(encoding.decode(codes), table)


def test_text_in_object_columns_stays_in_object_columns():
    table = pd.DataFrame({"v": ["b", "a", None], "w": ["x", "y", "x"]}, dtype=object)
    encoding, codes = encode_states(table)
    assert encoding.decode(codes).dtypes.tolist() == [object, object]
    codes[2] = 0
    assert fill(encoding, table, codes).dtypes.tolist() == [object, object]


def test_integers_of_128_bits_are_states():
    encoding, codes = encode_states(pl.DataFrame({"v": pl.Series([2**100, None], dtype=pl.Int128)}))
    assert encoding.states("v") == (2**100,)
    assert codes.tolist() == [[0], [-1]]


@pytest.mark.parametrize("dtype", ["M8[ns]", "M8[D]", "m8[s]"])
def test_fill_keeps_the_dtype_of_dates_in_arrays(dtype):
    table = np.array([[5], ["NaT"], [7]], dtype="m8[s]").astype("i8").view(dtype)
    encoding, _ = encode_states(table)
    filled = fill(encoding, table, np.ones((3, 1), dtype=np.int32))
    assert filled.dtype == dtype
    assert filled.tolist() == table[[0, 2, 2]].tolist()


@pytest.mark.parametrize(
    "column",
    [
        pd.arrays.FloatingArray(np.array([2.0, np.nan, 1.0]), np.array([False, False, True])),
        pd.array(pa.array([2.0, float("nan"), None]), dtype=pd.ArrowDtype(pa.float64())),
    ],
)
def test_not_a_number_in_nullable_floats_is_missing_too(column):
    table = pd.DataFrame({"v": column})
    encoding, codes = encode_states(table)
    assert codes[:, 0].tolist() == [0, -1, -1]
    filled = fill(encoding, table, np.zeros_like(codes))
    assert filled.dtypes.tolist() == table.dtypes.tolist()
    assert filled["v"].tolist() == [2, 2, 2]


def test_a_record_batch_is_refused_with_advice():
    with pytest.raises(TableError, match=r"Table\.from_batches"):
        encode_states(pa.record_batch({"v": ["a"]}))
