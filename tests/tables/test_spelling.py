"""The same table from a file and from frames; texts that spell numbers and truth values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baytree as bt
from baytree.exceptions import DiscretizationWarning
from baytree.tables.inputs import open_table
from baytree.tables.spelling import typed_texts

N_ROWS = 120
pytestmark = pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")


@pytest.fixture(scope="module")
def awkward_csv(tmp_path_factory):
    """A file with every awkward kind of column, whose missing cells differ in their words."""
    random = np.random.default_rng(0)
    group = random.integers(3, size=N_ROWS)
    columns = {
        "group": np.array(["low", "mid", "high"])[group],
        "count": group * 2 + random.integers(2, size=N_ROWS),
        "size": np.round(group + random.random(N_ROWS), 2),
        "spread": np.round(random.normal(size=N_ROWS), 3),
        "year": 1900 + random.integers(80, size=N_ROWS),
        "flag": np.where(group > 0, "TRUE", "FALSE"),
        "open": np.where(random.random(N_ROWS) < 0.5, "true", "false"),
        "whole": (group / 1).astype(str),
        "answer": np.where(group > 1, " yes", "none"),
        "share": np.array(["5%", "10%", "20%"])[group],
        "code": np.array(["A1", "2", "3"])[group],
        "constant": np.full(N_ROWS, "same"),
    }
    table = pd.DataFrame(columns).astype(str)
    words = {"count": "?", "size": "N/A", "spread": "", "year": " ?", "flag": "?", "open": "NULL"}
    words |= {"whole": "#N/A", "answer": "None", "share": "n/a", "code": "nan"}
    for name, word in words.items():
        table.loc[random.random(N_ROWS) < 0.1, name] = word
    path = tmp_path_factory.mktemp("awkward") / "awkward.csv"
    table.to_csv(path, index=False)
    return path


def frames(path):
    """Return frames as users read the file."""
    pandas = pd.read_csv(path)
    return {
        "pandas": pandas,
        "with question marks": pd.read_csv(path, na_values=["?", " ?"]),
        "without missing words": pd.read_csv(path, keep_default_na=False),
        "as text": pd.read_csv(path, dtype=str, keep_default_na=False),
        "polars": pl.from_pandas(pandas),
    }


@pytest.mark.parametrize("kind", ["pandas", "with question marks", "without missing words"])
def test_a_file_and_a_frame_of_it_give_the_same_states_codes_and_network(awkward_csv, kind):
    frame = frames(awkward_csv)[kind]
    of_file, of_frame = open_table(awkward_csv), open_table(frame)
    networks = [
        bt.NetworkLearner(2, search="hill-climb", random_state=0).fit(table).network_
        for table in (awkward_csv, frame)
    ]
    assert of_file.encoding.plain_states == of_frame.encoding.plain_states
    np.testing.assert_array_equal(of_file.codes, of_frame.codes)
    assert networks[0].arcs
    assert networks[0].equals(networks[1], tolerance=0)


def test_the_awkward_columns_have_their_types(awkward_csv):
    with pytest.warns(DiscretizationWarning, match="'size', 'spread', 'year'"):
        states = open_table(awkward_csv).encoding.states
    assert states("flag") == states("open") == (False, True)
    assert states("whole") == (0, 1, 2)
    assert states("count") == (0, 1, 2, 3, 4, 5)
    assert states("answer") == (" yes", "none")
    assert states("code") == ("2", "3", "A1")


def test_polars_knows_no_words_and_gives_the_same_codes(awkward_csv):
    frame = pl.read_csv(awkward_csv, infer_schema_length=None)
    of_file, of_frame = open_table(awkward_csv), open_table(frame)
    assert of_file.encoding.plain_states == of_frame.encoding.plain_states
    np.testing.assert_array_equal(of_file.codes, of_frame.codes)


def test_an_imputer_completes_a_file_and_frames_alike(awkward_csv, tmp_path):
    output, kinds = tmp_path / "imputed.csv", frames(awkward_csv)
    imputer = bt.BayesianNetworkImputer(random_state=0)
    imputer.fit_transform_file(awkward_csv, output)
    of_frame = bt.BayesianNetworkImputer(random_state=0).fit(kinds["pandas"])
    expected = pd.read_csv(output, dtype=str)
    for kind in ("pandas", "without missing words"):
        completed = of_frame.transform(kinds[kind])
        assert not completed.isna().to_numpy().any()
        for name in ("flag", "open", "answer", "share", "group"):
            spelled = completed[name].astype(str).str.lower()
            assert spelled.tolist() == expected[name].str.lower().tolist()
        for name in ("count", "size", "year"):
            numbers = completed[name].astype(float)
            assert numbers.tolist() == expected[name].astype(float).tolist()


def test_truth_values_are_written_as_their_column_spells_them(awkward_csv, tmp_path):
    output = tmp_path / "imputed.csv"
    bt.BayesianNetworkImputer(random_state=0).fit_transform_file(awkward_csv, output)
    written = pd.read_csv(output, dtype=str)
    assert set(written["flag"]) == {"TRUE", "FALSE"}
    assert set(written["open"]) == {"true", "false"}


def test_text_with_a_missing_word_is_filled_with_text():
    table = pd.DataFrame({"a": ["1", "?", "2", "2"] * 9, "b": ["no", "yes", "TRUE", "?"] * 9})
    table["c"] = ["TRUE", "FALSE", "?", "FALSE"] * 9
    opened = open_table(table)
    assert [opened.encoding.states(name) for name in "ac"] == [(1, 2), (False, True)]
    filled = opened.filled(np.zeros((36, 3), dtype=np.int32))
    assert filled["a"].tolist()[:4] == ["1", "1", "2", "2"]
    assert filled["b"].tolist()[:4] == ["no", "yes", "TRUE", "TRUE"]
    assert filled["c"].tolist()[:4] == ["TRUE", "FALSE", "FALSE", "FALSE"]
    assert filled.dtypes.tolist() == table.dtypes.tolist()


def test_text_of_digits_without_a_missing_word_stays_text():
    table = pd.DataFrame({"a": ["1", "2", None, "2"], "b": ["True", "False", "True", "True"]})
    encoding = open_table(table).encoding
    assert [encoding.states(name) for name in "ab"] == [("1", "2"), ("False", "True")]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["True", "FALSE"], [True, False]),
        (["True", "0"], None),
        ([" 7", "-3"], [7, -3]),
        (["1e3", "2"], [1000.0, 2.0]),
        (["07", "+10", "0"], [7, 10, 0]),
        (["7_0"], None),
        (["\u0667"], None),
        (["9" * 30], None),
        (["inf"], None),
        ([], None),
    ],
)
def test_texts_spell_truth_values_integers_floats_or_nothing(texts, expected):
    found = typed_texts(texts)
    assert expected is None if found is None else found.tolist() == expected


@pytest.mark.parametrize("text", ["02", "+2", "2.0", " 2"])
def test_rows_of_a_file_spell_the_integers_of_a_network_in_other_ways(tmp_path, text):
    encoding = open_table(pd.DataFrame({"a": [1, 2, 2], "b": ["x", "y", "x"]})).encoding
    path = tmp_path / "rows.csv"
    path.write_text(f"a,b\n{text},x\n")
    assert open_table(path, encoding).codes.tolist() == [[1, 0]]


def test_columns_of_padded_integers_are_filled_with_padded_integers():
    table = pd.DataFrame({"v": ["007", "?", "010", "010"] * 9})
    opened = open_table(table)
    assert opened.encoding.states("v") == (7, 10)
    filled = opened.filled(np.zeros((36, 1), dtype=np.int32))["v"]
    assert filled.tolist()[:4] == ["007", "007", "010", "010"]
