"""Columns that are no variables: ignored ones, and the index of a frame."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baytree as bt
from baytree.exceptions import FileFormatError, IgnoredColumnWarning, TableError
from baytree.tables.inputs import open_table

N_ROWS = 60


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    rain = random.integers(2, size=N_ROWS)
    wet = np.where(random.random(N_ROWS) < 0.1, 1 - rain, rain)
    columns = {"rain": rain, "note": [f"n{i % 40}" for i in range(N_ROWS)], "wet": wet}
    table = pd.DataFrame(columns).astype({"rain": object, "wet": object})
    table.loc[::7, "wet"] = None
    table.loc[3, "note"] = None
    return table


@pytest.fixture
def indexed_csv(table, tmp_path):
    path = tmp_path / "indexed.csv"
    table.drop(columns="note").to_csv(path)
    return path


def states_of(table, **options):
    return open_table(table, **options).encoding.plain_states


def test_the_index_of_a_frame_is_left_out_of_files_and_frames_with_a_warning(indexed_csv, table):
    expected = states_of(table, ignore=["note"])
    frame = pd.read_csv(indexed_csv)
    named = {"the column without a name": indexed_csv, "'Unnamed: 0'": frame}
    for name, given in named.items():
        with pytest.warns(IgnoredColumnWarning, match=f"Left out {name}, the index") as caught:
            assert states_of(given) == expected
        assert len(caught) == 1
    with pytest.warns(IgnoredColumnWarning):
        assert states_of(pl.from_pandas(frame)) == expected


@pytest.mark.parametrize("labels", [[5, 3, 9], ["p1", "p2", "p0"]])
def test_any_distinct_labels_are_an_index(labels):
    table = pd.DataFrame({"Unnamed: 0.1": labels, "v": ["a", "b", "a"]})
    with pytest.warns(IgnoredColumnWarning):
        assert states_of(table) == {"v": ("a", "b")}


@pytest.mark.parametrize("labels", [[1, 1, 2], [1, None, 2], ["a", "a", "b"], [True, False, None]])
def test_a_column_without_a_name_that_repeats_a_label_is_a_variable(labels):
    table = pd.DataFrame({"Unnamed: 0": labels, "v": ["a", "b", "a"]})
    assert "Unnamed: 0" in states_of(table)


def test_a_named_column_of_row_numbers_stays():
    table = pd.DataFrame({"number": [0, 1, 2] * 2, "Unnamed: 0x": list("abcabc")})
    assert [*states_of(table)] == ["number", "Unnamed: 0x"]


@pytest.mark.parametrize("content", [",v\n1,a\n1,b\n", ",v\n1,a\n,b\n", "\n,v\na,a\na,b\n"])
def test_a_column_of_a_file_without_a_name_that_is_no_index_is_refused(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_text(content)
    message = re.escape(f"{path}, line ") + r"\d, column 1: the name is empty"
    with pytest.raises(FileFormatError, match=message):
        open_table(path)


def test_an_imputed_file_keeps_its_index_and_ignored_columns_as_they_were(table, tmp_path):
    source, output = tmp_path / "table.csv", tmp_path / "imputed.csv"
    table.to_csv(source)
    imputer = bt.BayesianNetworkImputer(random_state=0).set_params(learner__ignore=["note"])
    with pytest.warns(IgnoredColumnWarning) as caught:
        filled = imputer.fit_transform_file(source, output)
    assert len(caught) == 1
    assert filled.n_missing == table["wet"].isna().sum()
    before, after = (
        pd.read_csv(path, dtype=str, keep_default_na=False) for path in (source, output)
    )
    assert output.read_text().startswith(",rain,note,wet\n0,")
    kept = ["Unnamed: 0", "note", "rain"]
    pd.testing.assert_frame_equal(after[kept], before[kept])
    assert set(after["wet"]) == {"0", "1"}
    again = tmp_path / "again.csv"
    imputer.transform_file(source, again)
    assert again.read_text() == output.read_text()


def test_an_imputer_passes_ignored_columns_through_frames(table):
    indexed = table.reset_index(names="Unnamed: 0")
    imputer = bt.BayesianNetworkImputer(add_indicator=True, random_state=0)
    imputer.set_params(learner__ignore=["note"])
    with pytest.warns(IgnoredColumnWarning):
        completed = imputer.fit_transform(indexed)
    assert imputer.network_.variables == ("rain", "wet")
    assert imputer.feature_names_in_.tolist() == ["rain", "wet"]
    pd.testing.assert_frame_equal(
        completed[["Unnamed: 0", "note"]], indexed[["Unnamed: 0", "note"]]
    )
    assert completed["wet"].notna().all()
    assert imputer.get_feature_names_out().tolist() == completed.columns.tolist()
    without = imputer.transform(table.drop(columns="note"))
    assert without["wet"].tolist() == completed["wet"].tolist()
    assert set(imputer.cell_probabilities(indexed)["variable"]) == {"wet"}


def test_a_stored_imputer_ignores_the_same_columns(table, tmp_path):
    imputer = (
        bt.BayesianNetworkImputer(random_state=0).set_params(learner__ignore=["note"]).fit(table)
    )
    imputer.write(tmp_path / "imputer.json")
    read = bt.BayesianNetworkImputer.read(tmp_path / "imputer.json")
    assert read.learner.ignore == ["note"]
    pd.testing.assert_frame_equal(read.transform(table), imputer.transform(table))


def test_other_columns_of_further_rows_are_still_refused(table):
    imputer = (
        bt.BayesianNetworkImputer(random_state=0).set_params(learner__ignore=["note"]).fit(table)
    )
    with pytest.raises(ValueError, match="sun"):
        imputer.transform(table.assign(sun=1))


def test_a_learner_ignores_columns_of_frames_and_files(table, tmp_path):
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    learner = bt.NetworkLearner(1, search="chow-liu", ignore=["note"], random_state=0)
    networks = [learner.fit(given).network_ for given in (table, path)]
    assert networks[0].variables == ("rain", "wet")
    assert networks[0].equals(networks[1], tolerance=0)
    assert learner.score(table) == pytest.approx(learner.score(table.drop(columns="note")))
    frame = bt.arc_strength(table, 2, learner=learner, random_state=0)
    assert {*frame["from"]} == {"rain", "wet"}


@pytest.mark.parametrize(
    ("ignore", "error", "message"),
    [
        ("note", ValueError, "ignore must be a list of names of columns; got 'note'"),
        (["noted"], TableError, r"ignore names 'noted', which is no column .*mean 'note'"),
        (["rain", "note", "wet"], TableError, "No column is left to learn from"),
    ],
)
def test_what_cannot_be_ignored_is_refused(table, ignore, error, message):
    with pytest.raises(error, match=message):
        bt.NetworkLearner(1, search="chow-liu", ignore=ignore).fit(table)


def test_columns_of_arrays_are_not_ignored_by_name(table):
    with pytest.raises(TableError, match="give the columns to learn from"):
        bt.NetworkLearner(ignore=["x1"]).fit(table.to_numpy())
