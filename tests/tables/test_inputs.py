"""Tables opened: missing and unknown cells, columns and files."""

import os
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baytree as bt
from baytree.exceptions import DiscretizationWarning
from baytree.tables.encoding import TableEncoding
from baytree.tables.files.file_view import FileView
from baytree.tables.inputs import open_table


def test_unknown_states_are_coded_as_missing_and_stay_when_the_table_is_filled(weather):
    table = pd.DataFrame({"rain": ["hail", None, "no"], "wind": [0, 1, 9]})
    opened = open_table(table, weather, handle_unknown="missing")
    assert opened.codes.tolist() == [[-1, 0], [-1, 1], [0, -1]]
    assert opened.is_missing.tolist() == [[False, False], [True, False], [False, False]]
    filled = opened.filled(np.ones((3, 2), dtype=np.int32))
    assert filled.to_dict("list") == {"rain": ["hail", "yes", "no"], "wind": [0, 1, 9]}


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series(["a", "?", "b", "?"], dtype=pd.CategoricalDtype(["?", "b", "a"])),
        pl.Series(["a", "?", "b", "?"], dtype=pl.Enum(["?", "b", "a"])),
        pa.array(["a", "?", "b", "?"]).dictionary_encode(),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_a_declared_value_that_stands_for_missing_is_no_state(cells):
    frames = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}
    table = frames.get(type(cells), pa.table)({"v": cells})
    opened = open_table(table, missing_values="?")
    assert sorted(opened.encoding.states("v")) == ["a", "b"]
    assert opened.is_missing.ravel().tolist() == [False, True, False, True]
    decoded = opened.encoding.decode(opened.codes)
    assert type(decoded) is type(table)


def test_numbers_are_numbers_once_the_text_between_them_is_missing():
    table = pd.DataFrame({"v": [3, "?", 1, 2]})
    assert open_table(table, missing_values="?").encoding.states("v") == (1, 2, 3)


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
def test_numbers_are_the_cells_of_binned_variables_and_nan_where_missing():
    table = pd.DataFrame({"few": [1, 2] * 30, "size": np.linspace(0, 1, 60)})
    table.loc[3, "size"] = np.nan
    opened = open_table(table)
    assert [*opened.numbers] == [1]
    np.testing.assert_array_equal(opened.numbers[1], table["size"])
    again = open_table(table[["few"]][:2], opened.encoding, is_partial=True)
    assert np.isnan(again.numbers[1]).all()


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
def test_the_number_of_a_named_bin_is_its_mean():
    encoding = open_table(pd.DataFrame({"size": np.arange(100.0)})).encoding
    named = pd.DataFrame({"size": [encoding.states("size")[0], None]})
    numbers = open_table(named, encoding).numbers[0]
    np.testing.assert_array_equal(numbers, [np.arange(20).mean(), np.nan])


def test_a_table_may_lack_variables_and_have_other_columns_where_that_is_allowed(weather):
    table = pl.DataFrame({"day": ["Mon", "Tue"], "rain": ["yes", None]})
    opened = open_table(table, weather, is_partial=True)
    assert opened.codes.tolist() == [[1, -1], [-1, -1]]
    filled = opened.filled(np.zeros((2, 2), dtype=np.int32))
    assert filled.to_dict(as_series=False) == {"day": ["Mon", "Tue"], "rain": ["yes", "no"]}


def test_text_between_the_numbers_of_a_file_leaves_them_their_bins(tmp_path):
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("v\n" + "".join(f"{i}.5\n" for i in range(100)))
    with pytest.warns(DiscretizationWarning):
        encoding = open_table(numbers).encoding
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("v\n0.5\nnone\n99.5\n")
    opened = open_table(mixed, encoding, handle_unknown="missing")
    assert opened.codes.ravel().tolist() == [0, -1, 4]
    assert not opened.is_missing.any()


def test_learning_from_a_file_makes_no_frame_of_its_cells(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    path.write_text("rain,wet\n" + "no,0\nyes,1\n" * 20)

    def refused(view):
        raise AssertionError("a frame was made")

    monkeypatch.setattr(FileView, "_columns", property(refused))
    assert bt.NetworkLearner(1, search="chow-liu").fit(path).network_.arcs
    assert bt.BayesianNetworkImputer(1, random_state=0).fit(path).network_.arcs


def test_a_pipe_is_read_once_from_end_to_end(tmp_path):
    path = tmp_path / "table.csv"
    os.mkfifo(path)
    content = "v,w\n" + "".join(f"{i}.5,a\n" for i in range(99)) + "text,b\n"
    writer = threading.Thread(target=path.write_text, args=(content,), daemon=True)
    writer.start()
    with pytest.warns(bt.exceptions.MixedColumnWarning):
        opened = open_table(path)
    writer.join(timeout=60)
    assert opened.codes.shape == (100, 2)
    assert len(opened.encoding.states("v")) == 100


def test_states_of_equal_text_are_found_by_column_name(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("1,0\nTrue,1.0\ntrue,?\n")
    encoding = TableEncoding.from_states({0: [0, 1], 1: [False, True]})
    opened = open_table(path, encoding)
    assert opened.codes.tolist() == [[1, 1], [-1, 1]]
    assert list(opened.table.columns) == [1, 0]
