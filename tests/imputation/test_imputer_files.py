import gzip
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import EmptyVariableWarning, FileFormatError
from baytree.imputation import imputer_files
from baytree.imputation.regressions import ModelWeights, Regressions, Spectrum, VariableColumns
from baytree.networks.files import json_documents
from stored_imputers import changed_file, stored_and_loaded

pytestmark = pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")


@pytest.fixture
def table():
    """States of every kind that a file holds, with missing."""
    random = np.random.default_rng(0)
    base = random.integers(0, 2, 200)
    frame = pd.DataFrame(
        {
            "text": np.array(["no", "yes, or ä"])[base],
            "truth": pd.array(base == 1, dtype="boolean"),
            "whole": pd.array(base * 7, dtype="Int64"),
            "number": base + random.normal(0, 0.2, 200),
            "many": pd.array(base * 100 + random.integers(0, 80, 200), dtype="Int64"),
        }
    )
    for name in frame.columns:
        frame.loc[random.random(200) < 0.2, name] = pd.NA
    return frame


@pytest.fixture
def imputer(table):
    return bt.BayesianNetworkImputer(3, n_networks=2, random_state=0).fit(table)


@pytest.mark.parametrize("ending", ["json", "json.gz", "json.xz"])
def test_a_loaded_imputer_fills_as_the_saved_one(imputer, table, tmp_path, ending):
    path = tmp_path / f"imputer.{ending}"
    imputer.write(path)
    loaded = bt.BayesianNetworkImputer.read(path)
    assert loaded.transform(table).equals(imputer.transform(table))
    probabilities = imputer.cell_probabilities(table)
    pd.testing.assert_frame_equal(loaded.cell_probabilities(table), probabilities)
    for one, two in zip(loaded.sample(table, 2), imputer.sample(table, 2), strict=True):
        assert one.equals(two)
    assert loaded.networks_ == imputer.networks_
    assert loaded.get_feature_names_out().tolist() == table.columns.tolist()
    assert repr(loaded.get_params()) == repr(imputer.get_params())


def test_a_file_saved_again_is_the_same(imputer, tmp_path):
    imputer.write(tmp_path / "one.json")
    bt.BayesianNetworkImputer.read(tmp_path / "one.json").write(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_text() == (tmp_path / "two.json").read_text()


def test_an_imputer_of_version_2_reads_without_the_contents_of_bins(table, tmp_path):
    learner = bt.NetworkLearner(3, search="chow-liu")
    imputer = bt.BayesianNetworkImputer(learner=learner, regressions=False, random_state=0)
    imputer.fit(table)

    def to_version_2(contents):
        contents["version"] = 2
        for variable in contents["variables"]:
            variable.pop("groups", None)
            variable.pop("n_decimals", None)
        for network in contents["networks"]:
            network["version"] = 4
        del contents["settings"]["learner"]["n_bins"]
        contents["settings"]["learner"]["continuous"] = "bin"

    loaded = bt.BayesianNetworkImputer.read(changed_file(imputer, tmp_path, to_version_2))
    states = table.columns[[*map(pd.api.types.is_object_dtype, table.dtypes)]]
    filled = loaded.transform(table)
    assert filled[states].equals(imputer.transform(table)[states])
    assert filled.notna().all(axis=None)
    assert loaded.learner.n_bins == 5


def test_regressions_of_version_3_have_the_states_of_bins(imputer, table, tmp_path):
    arities = imputer.network_._encoding.arities
    columns, random = VariableColumns(arities), np.random.default_rng(0)
    matrix = Spectrum.of_rows(random.random((50, columns.n_columns)), math.inf).matrix(1.0)
    stored = replace(matrix, factor=matrix.factor.astype(np.float32))
    imputer._regressions = Regressions(columns, stored, ModelWeights(0.5, 0.5))

    def to_version_3(contents):
        contents["version"] = 3
        del contents["regressions"]["numbers"]

    loaded = bt.BayesianNetworkImputer.read(changed_file(imputer, tmp_path, to_version_3))
    assert loaded.transform(table).equals(imputer.transform(table))
    assert loaded.sample(table, 1)[0].notna().all(axis=None)


def test_empty_variables_and_arrays_survive(tmp_path):
    array = np.array([[0, np.nan, 0], [1, np.nan, 1]] * 20)
    array[0, 2] = np.nan
    with pytest.warns(EmptyVariableWarning):
        imputer = bt.BayesianNetworkImputer(
            keep_empty_features=False, add_indicator=True, random_state=0
        ).fit(array)
    loaded = stored_and_loaded(imputer, tmp_path, "json")
    np.testing.assert_array_equal(loaded.transform(array), imputer.transform(array))
    assert not hasattr(loaded, "feature_names_in_")


def test_a_mark_that_means_missing_survives(tmp_path):
    array = np.array([[0, 0], [1, 1], [1, -1]] * 20)
    imputer = bt.BayesianNetworkImputer(missing_values=np.int64(-1), random_state=0).fit(array)
    loaded = stored_and_loaded(imputer, tmp_path, "json")
    assert loaded.transform(array).tolist() == imputer.transform(array).tolist()
    assert loaded.transform(array).min() == 0


def test_states_that_would_not_come_back_are_refused(tmp_path):
    dates = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"] * 5)})
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(dates)
    with pytest.raises(ValueError, match="A state of variable 'day' is Timestamp"):
        imputer.write(tmp_path / "imputer.json")
    assert not (tmp_path / "imputer.json").exists()


def changed(key, value):
    def change(contents):
        contents[key] = value

    return change


def in_settings(key, value):
    def change(contents):
        contents["settings"][key] = value

    return change


def in_network(key, value):
    def change(contents):
        contents["networks"][0][key] = value

    return change


def in_first_variable(key, value):
    def change(contents):
        contents["networks"][0]["variables"][0][key] = value

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (changed("format", "other"), "not an imputer of baytree"),
        (changed("format", "baytree network"), r"it is a network\. Read it with BayesianNetwork\."),
        (changed("version", 1), "an older baytree wrote it, in version 1; .*write it anew"),
        (changed("version", 5), "version must be 4, which this .*update baytree.*; got 5"),
        (changed("extra", 1), "'extra' is no part of an imputer, which has format.*Take it out"),
        (changed("settings", {"max_treewidth": 3}), "the settings must have .*; .* is missing"),
        (
            changed("chosen", {}),
            "chosen must have criterion, equivalent_sample_size; criterion is missing",
        ),
        (
            changed("chosen", {"criterion": "mdl", "equivalent_sample_size": 1}),
            'chosen.criterion must be one of ".*; got .mdl',
        ),
        (
            changed("chosen", {"criterion": "bic", "equivalent_sample_size": "ten"}),
            "chosen.equivalent_sample_size must be a finite number; got 'ten'",
        ),
        (in_settings("random_state", "a"), "random_state must be a seed or null; got 'a'"),
        (in_settings("random_state", -1), "random_state must be a seed or null; got -1"),
        (changed("variables", 3), "variables must be a list of at least 1 item; got 3"),
        (changed("variables", [{"name": "a", "states": ["x", "x"]}]), "has a state twice"),
        (
            changed("variables", [{"name": "a", "states": [[]]}]),
            r"states\[0\] must be text of whole characters",
        ),
        (
            changed("variables", [{"name": [], "states": ["x"]}]),
            r"name must be text of whole characters",
        ),
        (
            changed("variables", [{"name": "a", "states": [], "edges": [2, 1], "medians": [1]}]),
            "must rise",
        ),
        (changed("variables", [{"name": "a", "edges": [1, 1e309], "medians": [1]}]), "Infinity"),
        (changed("incomplete", [0, 0]), "must be rising positions"),
        (changed("incomplete", [99]), "must be rising positions below 5"),
        (changed("networks", []), "networks must be a list of at least 1 item"),
        (in_network("arcs", [["text", "truth"], ["truth", "text"]]), "cycle"),
        (in_network("arcs", [["text", "texts"]]), "Did you mean 'text'"),
        (in_first_variable("probabilities", [0.5]), "1 numbers for 2 states"),
        (in_first_variable("probabilities", ["a"] * 2), r"\[0\] must be a finite number; got 'a'"),
        (in_network("bags", [["text"]] * 5), "bag"),
        (in_network("bag_edges", [[0]]), r"bag_edges\[0\] must be a list of 2 items"),
        (in_network("variables", []), "must be a list of at least 1 item"),
        (
            in_first_variable("states", ["no", "maybe"]),
            "variable 'text' has other states than in the imputer",
        ),
    ],
)
def test_a_broken_file_is_refused_by_name(imputer, tmp_path, change, problem):
    path = changed_file(imputer, tmp_path, change)
    with pytest.raises(FileFormatError, match=f"imputer.json(, line [^:]*)?: .*({problem})"):
        bt.BayesianNetworkImputer.read(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "line 1, column 1: Expecting value"),
        (b'{\n"format" 1}', "line 2, column 10: Expecting ':'"),
        (b"[" * 100_000, "too deep to be an imputer"),
        (b'{"format": NaN}', "NaN is not a number"),
        (b"{\n\xff\xfe", "line 2, column 1: byte 0xff is not UTF-8"),
        (b'{"format": ' + b"9" * 10_000 + b"}", "a number of 10,000 digits, too long to read"),
        (b'{"format": 1, "networks": [], "format": 2}', "an object has 'format' twice"),
    ],
)
def test_text_that_is_no_imputer_is_refused(tmp_path, text, problem):
    path = tmp_path / "imputer.json"
    path.write_bytes(text)
    with pytest.raises(FileFormatError, match=problem):
        bt.BayesianNetworkImputer.read(path)


@pytest.mark.parametrize("character", ["[", "{", '"', ","])
def test_far_too_many_items_are_refused_before_they_take_memory(tmp_path, monkeypatch, character):
    monkeypatch.setitem(json_documents.MAX_COUNTS, character, 100)
    path = tmp_path / "imputer.json.gz"
    path.write_bytes(gzip.compress(character.encode() * 101))
    with pytest.raises(FileFormatError, match=r"more than 100 times .*, too many for an imputer"):
        bt.BayesianNetworkImputer.read(path)


def test_what_would_not_be_read_back_is_not_saved(imputer, tmp_path, monkeypatch):
    monkeypatch.setitem(json_documents.MAX_COUNTS, ",", 10)
    with pytest.raises(ValueError, match="more than are read back"):
        imputer.write(tmp_path / "imputer.json")
    assert not (tmp_path / "imputer.json").exists()


def test_a_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(imputer_files, "MAX_BYTES", 10_000)
    path = tmp_path / "imputer.json.gz"
    path.write_bytes(gzip.compress(b" " * 1_000_000))
    with pytest.raises(FileFormatError, match=r"more than 10,000 bytes of text, .* an imputer"):
        bt.BayesianNetworkImputer.read(path)


def test_a_name_of_another_format_is_refused(imputer, tmp_path):
    with pytest.raises(ValueError, match=r"must end in .json, .json.gz or .json.xz"):
        imputer.write(tmp_path / "imputer.pickle")


@pytest.mark.parametrize(
    "setting", [{"completion": "maybe"}, {"regressions": "maybe"}, {"n_jobs": "maybe"}]
)
def test_settings_that_cannot_be_used_are_refused_with_the_name_of_the_file(tmp_path, setting):
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(np.array([[0, 1], [1, 0]] * 9))
    path = changed_file(imputer, tmp_path, lambda contents: contents["settings"].update(setting))
    with pytest.raises(FileFormatError, match=r"imputer.json: a setting .*; got 'maybe'"):
        bt.BayesianNetworkImputer.read(path)


def test_an_error_on_a_state_without_probabilities_names_its_variable(tmp_path):
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(np.array([[0, 1], [1, 0]] * 9))
    path = changed_file(
        imputer, tmp_path, lambda contents: contents["variables"][0]["states"].append(7)
    )
    with pytest.raises(FileFormatError, match="variable 'x0' has other states than in the imputer"):
        bt.BayesianNetworkImputer.read(path)


def test_numbers_in_place_of_truth_values_are_other_states(imputer, tmp_path):
    def change(contents):
        contents["variables"][1]["states"] = [0, 1]

    path = changed_file(imputer, tmp_path, change)
    with pytest.raises(FileFormatError, match="variable 'truth' has other states than in the imp"):
        bt.BayesianNetworkImputer.read(path)
