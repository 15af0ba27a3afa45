import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from baytree.exceptions import (
    DiscretizationWarning,
    IdentifierWarning,
    TableError,
    UnknownStateError,
    UnknownVariableError,
)
from baytree.tables.encoding import TableEncoding
from encoded_tables import codes_of, encode_states, fill

# Shape and names


def test_codes_are_fortran_ordered_int32():
    _, codes = encode_states(np.zeros((4, 3), dtype=int))
    assert codes.dtype == np.int32
    assert codes.flags.f_contiguous


def test_arities_cannot_be_written():
    encoding, _ = encode_states(np.array([[0, 1], [1, 1], [0, 1]]))
    assert encoding.arities.tolist() == [2, 1]
    with pytest.raises(ValueError, match="read-only"):
        encoding.arities[0] = 9


def test_frames_keep_columns_index_and_their_names():
    index = pd.MultiIndex.from_tuples([("p", 1), ("q", 2), ("q", 3)], names=["a", "b"])
    table = pd.DataFrame([[1, "x"], [2, "y"], [1, "x"]], index=index)
    table.columns = pd.Index([7, "seven"], name="what")
    encoding, codes = encode_states(table)
    assert encoding.variables == (7, "seven")
    pd.testing.assert_frame_equal(encoding.decode(codes, like=table), table)


def test_tuples_of_a_column_multiindex_are_variables():
    table = pd.DataFrame(
        [[1, 2], [3, 4], [3, 4]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    )
    encoding, codes = encode_states(table)
    assert encoding.states(("a", "y")) == (2, 4)
    pd.testing.assert_frame_equal(encoding.decode(codes), table)


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


def test_twenty_integers_are_states_and_one_more_is_binned():
    few = pd.DataFrame({"v": [*range(20), *range(20)]})
    many = pd.DataFrame({"v": [*range(21), *range(21)]})
    assert encode_states(few)[0].arities.tolist() == [20]
    with pytest.warns(DiscretizationWarning, match="'v'"):
        assert encode_states(many)[0].arities.tolist() == [5]


def test_text_and_categories_are_never_binned():
    table = pd.DataFrame({"text": [f"{i}.5" for i in range(60)] * 2})
    table["category"] = table["text"].astype(float).astype("category")
    encoding, _ = encode_states(table)
    assert encoding.arities.tolist() == [60, 60]


def test_bins_that_are_refused_name_the_numeric_variables():
    table = pd.DataFrame({"t": [0.5, 1.5], "n": [1, 2]})
    with pytest.raises(TableError, match=r"Numeric variables: 't'. .*Discretizer"):
        encode_states(table, n_bins="error")


@pytest.mark.parametrize("words", [None, 7, [1], "gone"])
def test_missing_values_must_be_words(words):
    with pytest.raises(ValueError, match="missing_values must be a list of words; got"):
        encode_states(pd.DataFrame({"a": [1]}), missing_words=words)


def test_a_number_of_bins_is_at_least_2_or_a_known_word():
    with pytest.raises(ValueError, match='integer, or one of "auto", "error"; got \'drop\''):
        encode_states(pd.DataFrame({"v": [1]}), n_bins="drop")
    with pytest.raises(ValueError, match="n_bins must be an integer of at least 2; got 1"):
        encode_states(pd.DataFrame({"v": [1]}), n_bins=1)


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
    codes = codes_of(encoding, pd.DataFrame({"v": [-1e9, 1.5, 1.6, 1e9, None]}))
    assert codes[:, 0].tolist() == [0, 1, 2, 4, -1]
    assert encoding.code("v", 2) == 2
    assert encoding.code("v", encoding.states("v")[3]) == 3


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_infinite_numbers_are_refused_by_name(make, infinite):
    with pytest.raises(TableError, match=rf"'v' holds an infinite number in row 1 \({infinite}\)"):
        encode_states(make({"v": [1.0, infinite]}))


# Identifiers


@pytest.mark.parametrize("n_rows", [2, 3, 21])
def test_a_state_per_row_warns_once_and_names_the_variables(n_rows):
    table = pd.DataFrame({"id": [f"p{i}" for i in range(n_rows)], "v": ["a"] * n_rows})
    table["key"] = table["id"]
    with pytest.warns(IdentifierWarning, match=r"'id' .*, 'key' .*\)\.") as caught:
        encode_states(table)
    assert len(caught) == 1


@pytest.mark.parametrize("cells", [["a"], ["a", "b", "a"], ["a", "b", None], ["a", None]])
def test_one_row_and_repeated_states_and_a_few_observed_cells_do_not_warn(cells):
    encode_states(pd.DataFrame({"v": cells}))


@pytest.mark.parametrize("n_missing", [1, 500])
def test_a_state_for_each_of_many_observed_rows_warns_despite_missing_cells(n_missing):
    labels = [f"p{i}" for i in range(21)]
    encode_states(pd.DataFrame({"id": [*labels[1:], *[None] * n_missing]}))
    with pytest.warns(IdentifierWarning, match=r"'id' \(21 states in 21 rows\)"):
        encode_states(pd.DataFrame({"id": [*labels, *[None] * n_missing]}))


def test_bins_with_a_single_row_are_no_identifiers():
    with pytest.warns(DiscretizationWarning) as caught:
        encoding, _ = encode_states(pd.DataFrame({"v": [0.5, 1.5, 2.5]}))
    assert encoding.arities.tolist() == [3]
    assert len(caught) == 1


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
    with pytest.raises(TableError, match=r"toarray\(\)"):
        encode_states(scipy.sparse.csr_array(np.eye(3)))


# New rows


def test_columns_are_matched_by_name(weather):
    table = pd.DataFrame({"wind": [2, 0], "rain": ["yes", None]})
    assert codes_of(weather, table).tolist() == [[1, 2], [-1, 0]]


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
    assert codes_of(weather, table).tolist() == [[1, 2], [-1, 0]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"rain": ["no"]},
            "lacks the variables 'wind'. Add a column for each",
        ),
        (
            {"rain": ["no"], "wind": [0], "sun": [1]},
            "holds the unknown variables 'sun'. Drop or rename",
        ),
        ({"sun": [1]}, "lacks the variables 'rain', 'wind' and holds the unknown variables 'sun'"),
    ],
)
def test_missing_and_extra_columns_are_named(weather, columns, message):
    with pytest.raises(TableError, match=message):
        codes_of(weather, pd.DataFrame(columns))


def test_an_array_of_another_width_is_refused(weather):
    with pytest.raises(TableError, match="3 columns; there are 2 variables: 'rain', 'wind'"):
        codes_of(weather, np.zeros((1, 3), dtype=int))


def test_unknown_state_error_names_variable_state_row_and_known_states(weather):
    table = pd.DataFrame({"rain": ["no", "hail"], "wind": [0, 1]})
    message = r"'rain' has state 'hail' in row 1, .*\(known: 'no', 'yes'\)"
    with pytest.raises(UnknownStateError, match=message):
        codes_of(weather, table)
    assert codes_of(weather, table, handle_unknown="missing").tolist() == [[0, 0], [-1, 1]]


def test_declared_but_unused_unknown_states_do_no_harm(weather):
    rain = pd.Categorical(["no"], categories=["hail", "no"])
    assert codes_of(weather, pd.DataFrame({"rain": rain, "wind": [0]})).tolist() == [[0, 0]]


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, pa.table])
def test_text_that_spells_a_state_is_that_state_in_any_container(weather, container):
    table = container({"rain": ["no", "?", "no"], "wind": ["2", " 2.0", "gale"]})
    codes = codes_of(weather, table, handle_unknown="missing")
    assert codes.tolist() == [[0, 2], [-1, 2], [0, -1]]
    with pytest.raises(UnknownStateError, match="'wind' has state 'gale'"):
        codes_of(weather, table)


def test_unknown_variables_and_states_are_named(weather):
    with pytest.raises(UnknownVariableError, match=r"no variable 'sun' \(known: 'rain', 'wind'\)"):
        weather.states("sun")
    with pytest.raises(UnknownStateError, match="'rain' has state 'hail', which fit did not see"):
        weather.code("rain", "hail")
    with pytest.raises(ValueError, match="got 'drop'"):
        codes_of(weather, pd.DataFrame({"rain": ["no"], "wind": [0]}), handle_unknown="drop")


def test_encoding_survives_pickle(weather):
    again = pickle.loads(pickle.dumps(weather))
    codes = np.array([[1, 2], [-1, 0]])
    pd.testing.assert_frame_equal(again.decode(codes), weather.decode(codes))
    assert repr(again) == "TableEncoding(2 variables, 5 states, pandas)"


def test_from_states_decodes_to_declared_categories():
    encoding = TableEncoding.from_states({"rain": ["no", "yes", "hail"], ("a", 1): [0, 1]})
    table = encoding.decode(np.array([[2, 0], [-1, 1]]))
    assert table["rain"].cat.categories.tolist() == ["no", "yes", "hail"]
    assert codes_of(encoding, table).tolist() == [[2, 0], [-1, 1]]


def test_codes_of_the_wrong_shape_are_refused(weather):
    with pytest.raises(ValueError, match=r"shape \(1, 2\); got \(1, 3\)"):
        weather.decode(np.zeros((1, 3), dtype=np.int32))


# Files


def test_a_csv_file_becomes_a_pandas_frame_again(tmp_path):
    path = tmp_path / "weather.csv"
    path.write_text("rain,wind\nno,0\n?,2\nyes,\n")
    encoding, codes = encode_states(path)
    assert codes.tolist() == [[0, 0], [-1, 1], [1, -1]]
    filled = fill(encoding, str(path), np.array([[0, 0], [1, 1], [1, 0]], dtype=np.int32))
    assert filled["rain"].tolist() == ["no", "yes", "yes"]
    assert filled["wind"].tolist() == [0, 2, 0]


def test_new_csv_rows_are_read_in_the_light_of_the_known_states(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("code,wind\n1,0\nx,2\nx,0\n")
    new.write_text("code,wind\n1,0\n1,gale\n")
    encoding, _ = encode_states(old)
    with pytest.raises(UnknownStateError, match="'wind' has state 'gale' in row 1"):
        codes_of(encoding, new)
    assert codes_of(encoding, new, handle_unknown="missing").tolist() == [[0, 0], [0, -1]]


def test_missing_words_apply_to_text_in_files_and_in_frames(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("v,w\nNA,1\n?,1\nnone,1\nNone,1\n-,1\nnone,1\n")
    frame = pd.read_csv(path, keep_default_na=False)
    for table in (path, frame, pl.from_pandas(frame), frame.astype("category"), frame.to_numpy()):
        own, codes = encode_states(table)
        assert own.variable_encodings[0].states == ("-", "none")
        assert codes[:, 0].tolist() == [-1, -1, 1, -1, 0, 1]
        own, codes = encode_states(table, missing_words=["-"])
        assert own.variable_encodings[0].states == ("?", "NA", "None", "none")
        assert codes_of(own, table).tolist() == codes.tolist()
    assert encode_states(frame, missing_words=[])[0].arities[0] == 5


def test_usual_words_for_missing_cells_do_not_count_where_they_are_states(tmp_path):
    encoding = TableEncoding.from_states({"v": ["None", "NA", "some"]})
    path = tmp_path / "v.csv"
    path.write_text("v\nNA\nNone\n?\nsome\n")
    for table in (path, pd.read_csv(path, keep_default_na=False)):
        assert codes_of(encoding, table).ravel().tolist() == [1, 0, -1, 2]
        chosen = codes_of(encoding, table, missing_words=["NA"], handle_unknown="missing")
        assert chosen.ravel().tolist() == [-1, 0, -1, 2]


def test_missing_words_are_a_list_and_not_one_text(tmp_path):
    with pytest.raises(ValueError, match="list of words"):
        encode_states(tmp_path / "v.csv", missing_words="NA")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float64])
@pytest.mark.parametrize("states", [[0, 1], [3, 5, 9], [-100, 0, 100], [0, 10**6], [2, "b"]])
def test_integers_are_matched_by_value_in_any_dtype(dtype, states):
    encoding = TableEncoding.from_states({"a": states})
    numbers = [n for n in states if isinstance(n, int)]
    kept = [n for n in numbers * 3 if dtype is np.float64 or np.iinfo(dtype).min <= n <= 127]
    array = np.array(kept, dtype=dtype)[:, None]
    assert codes_of(encoding, array).ravel().tolist() == [states.index(n) for n in kept]
    with pytest.raises(UnknownStateError, match="'a' has state 4 in row 1"):
        codes_of(encoding, np.array([kept[:1], [4]], dtype=dtype))


def test_missing_cells_between_integers_stay_missing():
    encoding = TableEncoding.from_states({"a": [1, 2]})
    codes = codes_of(encoding, pd.DataFrame({"a": pd.array([2, None, 1], dtype="Int8")}))
    assert codes.ravel().tolist() == [1, -1, 0]
    assert codes_of(
        encoding, pd.DataFrame({"a": [None, 7, 1]}), handle_unknown="missing"
    ).ravel().tolist() == [-1, -1, 0]
