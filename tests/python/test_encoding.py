import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree._encoding import TableEncoding, encode_states
from baytree.exceptions import (
    DiscretizationWarning,
    IdentifierWarning,
    TableError,
    UnknownStateError,
    UnknownVariableError,
)


def states_of(table):
    encoding, codes = encode_states(table)
    return encoding.states(encoding.variables[0]), codes[:, 0].tolist()


# NumPy arrays


@pytest.mark.parametrize(
    ("table", "states", "codes"),
    [
        (np.array([[3], [1], [3]], dtype=np.uint8), (1, 3), [1, 0, 1]),
        (np.array([[-128], [127]], dtype=np.int8), (-128, 127), [0, 1]),
        (np.array([[2**64 - 1], [2**64 - 2]], dtype=np.uint64), (2**64 - 2, 2**64 - 1), [1, 0]),
        (np.array([[-(2**63)], [2**63 - 1]]), (-(2**63), 2**63 - 1), [0, 1]),
        (np.array([[True], [False]]), (False, True), [1, 0]),
        (np.array([[True], [True]]), (True,), [0, 0]),
        (np.array([["b"], ["a"]]), ("a", "b"), [1, 0]),
        (np.array([[b"b"], [b"a"]]), (b"a", b"b"), [1, 0]),
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


def test_codes_are_fortran_ordered_int32():
    _, codes = encode_states(np.zeros((4, 3), dtype=int))
    assert codes.dtype == np.int32
    assert codes.flags.f_contiguous


def test_arities_cannot_be_written():
    encoding, _ = encode_states(np.array([[0, 1], [1, 1]]))
    assert encoding.arities.tolist() == [2, 1]
    with pytest.raises(ValueError, match="read-only"):
        encoding.arities[0] = 9


def test_frames_keep_columns_index_and_their_names():
    index = pd.MultiIndex.from_tuples([("p", 1), ("q", 2)], names=["a", "b"])
    table = pd.DataFrame([[1, "x"], [2, "y"]], index=index)
    table.columns = pd.Index([7, "seven"], name="what")
    encoding, codes = encode_states(table)
    assert encoding.variables == (7, "seven")
    pd.testing.assert_frame_equal(encoding.decode(codes, like=table), table)


def test_tuples_of_a_column_multiindex_are_variables():
    table = pd.DataFrame(
        [[1, 2], [3, 4]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    )
    encoding, codes = encode_states(table)
    assert encoding.states(("a", "y")) == (2, 4)
    pd.testing.assert_frame_equal(encoding.decode(codes), table)


# Labels


def test_numbers_truth_values_and_text_are_different_states():
    table = pd.DataFrame({"v": pd.Series([1, True, "1", 1.0, False, 0], dtype=object)})
    states, codes = states_of(table)
    assert states == (False, True, 0, 1, "1")
    assert [type(state) for state in states] == [bool, bool, int, int, str]
    assert codes == [3, 1, 4, 3, 0, 2]


def test_mixed_labels_are_ordered_by_type_and_then_by_themselves():
    table = np.array([["b"], [10], [(1, 2)], ["a"], [9.5], [b"x"]], dtype=object)
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
def test_two_cells_share_a_code_exactly_when_they_mean_the_same(cells):
    def meaning(cell):
        if isinstance(cell, (bool, str)):
            return (type(cell).__name__, cell)
        return ("number", cell)

    column = np.empty((len(cells), 1), dtype=object)
    column[:, 0] = cells
    _, codes = encode_states(column)
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
def test_integers_of_any_size_keep_their_value(cells, container):
    series = pd.Series(cells, dtype="Int64")
    table = {
        "pandas": lambda: pd.DataFrame({"v": series}),
        "polars": lambda: pl.DataFrame({"v": pl.Series(cells, dtype=pl.Int64)}),
        "pyarrow": lambda: pa.table({"v": pa.array(cells, pa.int64())}),
    }[container]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)
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
    with pytest.raises(TableError, match="'v' holds a list in row 1"):
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


# Numeric variables


def test_numbers_with_fractions_are_binned_with_one_warning():
    table = pd.DataFrame(
        {"t": np.linspace(0.5, 9.7, 40), "n": np.arange(40) // 2, "u": np.linspace(0, 1, 40)}
    )
    with pytest.warns(DiscretizationWarning, match=r"'t', 'u'\.$") as caught:
        encoding, codes = encode_states(table)
    assert len(caught) == 1
    assert encoding.binned_variables == ("t", "u")
    assert np.bincount(codes[:, 0]).tolist() == [8] * 5
    assert encoding.arities.tolist() == [5, 20, 5]


def test_fifty_integers_are_states_and_one_more_is_binned():
    few = pd.DataFrame({"v": [*range(50), *range(50)]})
    many = pd.DataFrame({"v": [*range(51), *range(51)]})
    assert encode_states(few)[0].arities.tolist() == [50]
    with pytest.warns(DiscretizationWarning, match="'v'"):
        assert encode_states(many)[0].arities.tolist() == [5]


def test_text_and_categories_are_never_binned():
    table = pd.DataFrame({"text": [f"{i}.5" for i in range(60)] * 2})
    table["category"] = table["text"].astype(float).astype("category")
    encoding, _ = encode_states(table)
    assert encoding.arities.tolist() == [60, 60]


def test_continuous_error_names_the_numeric_variables():
    table = pd.DataFrame({"t": [0.5, 1.5], "n": [1, 2]})
    with pytest.raises(TableError, match=r"Numeric variables: 't'. .*Discretizer"):
        encode_states(table, continuous="error")


def test_continuous_must_be_a_known_word():
    with pytest.raises(ValueError, match='"bin" or "error"; got \'drop\''):
        encode_states(pd.DataFrame({"v": [1]}), continuous="drop")


def test_binned_numbers_decode_to_medians_of_their_dtype():
    numbers = np.array([1, 2, 3, 10, 20, 1000] * 10 + [*range(2000, 2060)])
    table = pd.DataFrame({"i": numbers.astype("int32"), "f": numbers / 8})
    with pytest.warns(DiscretizationWarning):
        encoding, codes = encode_states(table)
    decoded = encoding.decode(codes)
    assert decoded.dtypes.tolist() == table.dtypes.tolist()
    for variable in table:
        medians = table[variable].groupby(codes[:, encoding.position(variable)]).median()
        expected = medians.round() if variable == "i" else medians
        assert decoded[variable].unique().tolist() == expected.tolist()


def test_new_numbers_fall_into_the_bins_also_outside_them():
    with pytest.warns(DiscretizationWarning):
        encoding, _ = encode_states(pd.DataFrame({"v": [0.5, 1.5, 2.5, 3.5, 4.5]}))
    codes = encoding.encode(pd.DataFrame({"v": [-1e9, 1.5, 1.6, 1e9, None]}))
    assert codes[:, 0].tolist() == [0, 1, 2, 4, -1]
    assert encoding.code("v", 2) == 2
    assert encoding.code("v", encoding.states("v")[3]) == 3


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_infinite_numbers_are_refused_by_name(make, infinite):
    with pytest.raises(TableError, match="'v' holds an infinite number"):
        encode_states(make({"v": [1.0, infinite]}))


# Identifiers


def test_a_state_per_row_warns_once_and_names_the_variables():
    table = pd.DataFrame({"id": [f"p{i}" for i in range(21)], "v": ["a"] * 20 + ["b"]})
    table["key"] = table["id"]
    with pytest.warns(IdentifierWarning, match=r"'id', 'key'\.$") as caught:
        encode_states(table)
    assert len(caught) == 1


def test_twenty_rows_may_all_differ():
    encode_states(pd.DataFrame({"id": [f"p{i}" for i in range(20)]}))


def test_more_than_a_thousand_states_warn():
    labels = [f"p{i}" for i in range(1001)]
    encode_states(pd.DataFrame({"v": labels[:1000] * 2}))
    with pytest.warns(IdentifierWarning, match="'v'"):
        encode_states(pd.DataFrame({"v": labels * 2}))


def test_more_states_than_the_limit_are_an_error():
    labels = pd.Series(range(65_536)).astype(str)
    with pytest.raises(TableError, match="'v' has 65,536 states; the limit is 65,535"):
        encode_states(pd.DataFrame({"v": labels}))
    with pytest.warns(IdentifierWarning):
        encode_states(pd.DataFrame({"v": labels[1:]}))


# Tables that are none


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame(), "no variables"),
        (pd.DataFrame(index=[1, 2]), "no variables"),
        (pd.DataFrame({"v": []}), "no rows; its variables are 'v'"),
        (pl.DataFrame({"v": []}), "no rows"),
        (np.empty((0, 2)), "no rows"),
        (np.empty((2, 0)), "no variables"),
        (pd.DataFrame([[1, 2]], columns=["v", "v"]), "share the name 'v'"),
        (pa.table([[1], [2]], names=["v", "v"]), "share the name 'v'"),
        (np.array([1, 2]), "two dimensions; got 1"),
        (np.zeros((2, 2, 2)), "two dimensions; got 3"),
        (np.zeros(2, dtype=[("a", int), ("b", int)]), "structured NumPy array"),
        (np.zeros((2, 1), dtype=[("a", int)]), "structured NumPy array"),
        ([[1, 2]], "got builtins.list"),
        ({"v": [1]}, "got builtins.dict"),
        (pd.Series([1]), "Series"),
        (None, "got builtins.NoneType"),
        (pl.LazyFrame({"v": [1]}), "Collect the lazy frame"),
    ],
)
def test_what_is_no_table_is_refused(table, message):
    with pytest.raises(TableError, match=message):
        encode_states(table)


def test_sparse_matrices_are_refused_with_advice():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TableError, match=r"toarray\(\)"):
        encode_states(sparse.eye_array(3))


# Encoding of new rows


@pytest.fixture
def weather():
    table = pd.DataFrame({"rain": ["no", "yes", None], "wind": [0, 2, 1]})
    return encode_states(table)[0]


def test_columns_are_matched_by_name(weather):
    table = pd.DataFrame({"wind": [2, 0], "rain": ["yes", None]})
    assert weather.encode(table).tolist() == [[1, 2], [-1, 0]]


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"rain": ["yes", None], "wind": [2, 0]}),
        pa.table({"rain": ["yes", None], "wind": [2.0, 0.0]}),
        pd.DataFrame({"rain": pd.Categorical(["yes", None]), "wind": [2.0, 0.0]}),
        np.array([["yes", 2], [None, 0]], dtype=object),
    ],
)
def test_new_rows_may_come_in_another_container(weather, table):
    assert weather.encode(table).tolist() == [[1, 2], [-1, 0]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"rain": ["no"]}, "lacks the variables 'wind'"),
        ({"rain": ["no"], "wind": [0], "sun": [1]}, "holds the unknown variables 'sun'"),
        ({"sun": [1]}, "lacks the variables 'rain', 'wind' and holds the unknown variables 'sun'"),
    ],
)
def test_missing_and_extra_columns_are_named(weather, columns, message):
    with pytest.raises(TableError, match=message):
        weather.encode(pd.DataFrame(columns))


def test_an_array_of_another_width_is_refused(weather):
    with pytest.raises(TableError, match="3 columns; the encoding has 2 variables"):
        weather.encode(np.zeros((1, 3), dtype=int))


def test_unknown_state_error_names_variable_state_row_and_known_states(weather):
    table = pd.DataFrame({"rain": ["no", "hail"], "wind": [0, 1]})
    message = r"'rain' has state 'hail' in row 1, .*\(known: 'no', 'yes'\)"
    with pytest.raises(UnknownStateError, match=message):
        weather.encode(table)
    assert weather.encode(table, unknown="missing").tolist() == [[0, 0], [-1, 1]]


def test_declared_but_unused_unknown_states_do_no_harm(weather):
    rain = pd.Categorical(["no"], categories=["hail", "no"])
    assert weather.encode(pd.DataFrame({"rain": rain, "wind": [0]})).tolist() == [[0, 0]]


def test_text_that_looks_like_a_number_is_not_that_number(weather):
    with pytest.raises(UnknownStateError, match="'wind' has state '2'"):
        weather.encode(pd.DataFrame({"rain": ["no"], "wind": ["2"]}))


def test_unknown_variables_and_states_are_named(weather):
    with pytest.raises(UnknownVariableError, match=r"no variable 'sun' \(known: 'rain', 'wind'\)"):
        weather.states("sun")
    with pytest.raises(UnknownStateError, match="'rain' has state 'hail', which"):
        weather.code("rain", "hail")
    with pytest.raises(ValueError, match="got 'drop'"):
        weather.encode(pd.DataFrame({"rain": ["no"], "wind": [0]}), unknown="drop")


def test_encoding_survives_pickle(weather):
    again = pickle.loads(pickle.dumps(weather))
    codes = np.array([[1, 2], [-1, 0]])
    pd.testing.assert_frame_equal(again.decode(codes), weather.decode(codes))
    assert repr(again) == "TableEncoding(2 variables, 5 states, pandas)"


def test_from_states_decodes_to_declared_categories():
    encoding = TableEncoding.from_states({"rain": ["no", "yes", "hail"], ("a", 1): [0, 1]})
    table = encoding.decode(np.array([[2, 0], [-1, 1]]))
    assert table["rain"].cat.categories.tolist() == ["no", "yes", "hail"]
    assert encoding.encode(table).tolist() == [[2, 0], [-1, 1]]


def test_codes_of_the_wrong_shape_are_refused(weather):
    with pytest.raises(ValueError, match=r"shape \(1, 2\); got \(1, 3\)"):
        weather.decode(np.zeros((1, 3), dtype=np.int32))


# Decoding of missing cells into dtypes that have none


def test_dtypes_without_a_missing_value_give_way_in_decode():
    table = pd.DataFrame({"i": [1, 2], "b": [True, False], "s": ["x", "y"]})
    encoding, _ = encode_states(table)
    decoded = encoding.decode(np.array([[-1, -1, -1], [1, 0, 1]], dtype=np.int32))
    assert decoded.dtypes.astype(str).tolist() == ["float64", "object", "str"]
    assert decoded.iloc[1].tolist() == [2, False, "y"]
    assert decoded.iloc[0].isna().all()


# Filling


def test_fill_of_arrays_keeps_dtype_and_mask():
    floats = np.array([[1.0, np.nan], [np.nan, 0.0]])
    encoding, _ = encode_states(floats)
    zeros = np.zeros((2, 2), dtype=np.int32)
    filled = encoding.fill(floats, zeros)
    assert filled.dtype == floats.dtype
    assert filled.tolist() == [[1, 0], [1, 0]]
    masked = np.ma.MaskedArray([[1, 7], [8, 0]], mask=[[0, 1], [1, 0]])
    filled = encoding.fill(masked, zeros)
    assert filled.dtype == masked.dtype
    assert filled.tolist() == [[1, 0], [1, 0]]
    assert masked.tolist() == [[1, None], [None, 0]]


def test_fill_leaves_observed_numbers_of_binned_variables_alone():
    numbers = np.r_[np.linspace(0.1, 7.7, 30), np.nan]
    table = pd.DataFrame({"v": numbers, "w": ["a"] * 31})
    with pytest.warns(DiscretizationWarning):
        encoding, codes = encode_states(table)
    codes[:] = 0
    filled = encoding.fill(table, codes)
    assert (filled["v"][:30] == numbers[:30]).all()
    assert filled["v"][30] == np.median(numbers[:6])


def test_fill_leaves_a_cell_missing_where_the_code_is():
    table = pd.DataFrame({"v": ["a", None]})
    encoding, codes = encode_states(table)
    pd.testing.assert_frame_equal(encoding.fill(table, codes), table)


def test_fill_keeps_the_order_of_columns_and_the_attributes(weather):
    table = pd.DataFrame({"wind": [2.0, np.nan], "rain": [None, "no"]}, index=[5, 3])
    table.attrs["source"] = "station"
    filled = weather.fill(table, np.array([[1, 0], [0, 1]], dtype=np.int32))
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
    filled = weather.fill(table, codes)
    assert weather.encode(filled).tolist() == codes.tolist()


@pytest.mark.parametrize(
    "gaps",
    [
        pd.DataFrame({"v": [np.nan, np.nan]}),
        pd.DataFrame({"v": pd.Series([None, None], dtype="Int64")}),
        pl.DataFrame({"v": pl.Series([None, None], dtype=pl.Int64)}),
        pa.table({"v": pa.nulls(2, pa.float64())}),
        np.array([[np.nan], [np.nan]]),
    ],
)
@pytest.mark.parametrize("labels", [["0", "1"], [False, True]])
def test_labels_do_not_turn_into_numbers_on_the_way_into_a_numeric_column(gaps, labels):
    encoding, codes = encode_states(pd.DataFrame({"v": labels}))
    assert encoding.encode(encoding.fill(gaps, codes)).tolist() == codes.tolist()


def test_a_category_that_was_not_declared_in_new_rows_is_added(weather):
    rain = pd.Categorical([None, "no"], categories=["no"])
    filled = weather.fill(
        pd.DataFrame({"rain": rain, "wind": [0, 0]}), np.array([[1, 0], [0, 0]], dtype=np.int32)
    )
    assert filled["rain"].tolist() == ["yes", "no"]


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_decode_inverts_encode_and_fill_closes_all_gaps(data):
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
    encoding, codes = encode_states(table)
    pd.testing.assert_frame_equal(encoding.decode(codes, like=table), table)
    guesses = np.where(encoding.arities > 0, 0, -1) * np.ones_like(codes)
    filled = encoding.fill(table, guesses)
    pd.testing.assert_frame_equal(filled.where(table.notna()), table)
    assert filled.notna().all().tolist() == (encoding.arities > 0).tolist()


# Files


def test_a_csv_file_becomes_a_pandas_frame_again(tmp_path):
    path = tmp_path / "weather.csv"
    path.write_text("rain,wind\nno,0\n?,2\nyes,\n")
    encoding, codes = encode_states(path)
    assert codes.tolist() == [[0, 0], [-1, 1], [1, -1]]
    filled = encoding.fill(str(path), np.array([[0, 0], [1, 1], [1, 0]], dtype=np.int32))
    assert filled["rain"].tolist() == ["no", "yes", "yes"]
    assert filled["wind"].tolist() == [0, 2, 0]


def test_new_csv_rows_are_read_in_the_light_of_the_known_states(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("code,wind\n1,0\nx,2\n")
    new.write_text("code,wind\n1,0\n1,gale\n")
    encoding, _ = encode_states(old)
    with pytest.raises(UnknownStateError, match="'wind' has state 'gale' in row 1"):
        encoding.encode(new)
    assert encoding.encode(new, unknown="missing").tolist() == [[0, 0], [0, -1]]


def test_missing_words_apply_to_files_only(tmp_path):
    assert states_of(pd.DataFrame({"v": ["NA", "?", "none"]}))[0] == ("?", "NA", "none")
    path = tmp_path / "v.csv"
    path.write_text("v,w\nNA,1\n?,1\nnone,1\nNone,1\n-,1\n")
    assert encode_states(path)[0].states("v") == ("-", "None", "none")
    own, codes = encode_states(path, missing_values=["-"])
    assert own.states("v") == ("?", "NA", "None", "none")
    assert own.encode(path).tolist() == codes.tolist()


def test_missing_words_are_a_list_and_not_one_text(tmp_path):
    with pytest.raises(TypeError, match="list of words"):
        encode_states(tmp_path / "v.csv", missing_values="NA")
