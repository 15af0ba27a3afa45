import gzip
import json
import os
import re

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import (
    DiscretizationWarning,
    EscapedLabelWarning,
    FileFormatError,
    UnknownStateError,
)
from baytree.networks.decomposition import TreeDecomposition
from baytree.networks.files import json_documents, network_files

GOOD = {
    "format": "baytree network",
    "version": 5,
    "score": -3.5,
    "variables": [{"name": "rain", "states": ["no", "yes"]}, {"name": "wet", "states": [0, 1]}],
    "arcs": [["rain", "wet"]],
    "bags": [["rain", "wet"]],
    "bag_edges": [],
}


def variables_with(rain, wet):
    entries = [dict(entry) for entry in GOOD["variables"]]
    for entry, numbers in zip(entries, (rain, wet), strict=True):
        entry |= {} if numbers is None else {"probabilities": numbers}
    return {"variables": entries}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "network.json"


def round_trip(network, path):
    network.write(path)
    return bt.BayesianNetwork.read(path)


def types_of(network):
    states = [[type(state) for state in network.states(name)] for name in network.variables]
    return [type(name) for name in network.variables], states


@pytest.mark.parametrize("ending", [".json", ".JSON", ".json.gz", ".json.xz"])
def test_what_was_written_reads_back_equal(tmp_path, ending):
    states = {
        'a "quoted", name': ["", " x ", "ü\n\u2028"],
        -3: [1, 2.5, True, "1", 10**30, 10**400],
        "c": [0.1, 1e300],
    }
    arcs = [(-3, 'a "quoted", name'), ("c", -3)]
    network = bt.BayesianNetwork(states, arcs, score=-0.1)
    again = round_trip(network, tmp_path / f"network{ending}")
    assert again == network
    assert types_of(again) == types_of(network)
    assert again.variables == network.variables
    assert (again.score, again.decomposition) == (network.score, network.decomposition)


def test_a_structure_without_states_and_score_reads_back(path):
    network = bt.BayesianNetwork(["a", "b", "c"], [("a", "b")])
    again = round_trip(network, path)
    assert again == network
    assert again.score is None


def test_labels_that_json_cannot_hold_become_text(path):
    day = pd.Timestamp("2020-01-31")
    moment = np.datetime64("2021-02-28", "ns")
    network = bt.BayesianNetwork({("a", 1): [np.int64(3), np.bool_(True), day, (2, None), moment]})
    with pytest.warns(EscapedLabelWarning, match=r"states of \('a', 1\) are neither text, numbers"):
        again = round_trip(network, path)
    assert again.variables == ("('a', 1)",)
    assert again.states("('a', 1)") == (3, True, str(day), "(2, None)", str(moment))


def test_labels_that_would_be_the_same_are_refused_and_nothing_is_written(path):
    with pytest.raises(ValueError, match=r"variables, \(1,\) and '\(1,\)' would both be"):
        bt.BayesianNetwork([(1,), "(1,)"]).write(path)
    with pytest.raises(ValueError, match=r"states of 'a', \(1,\) and '\(1,\)' would both be"):
        bt.BayesianNetwork({"a": [(1,), "(1,)"]}).write(path)
    assert not path.exists()


def test_a_number_of_thousands_of_digits_is_refused_and_nothing_is_written(path):
    with pytest.raises(
        ValueError, match="states of 'a' is a number of thousands of digits, too lo"
    ):
        bt.BayesianNetwork({"a": [10**5000]}).write(path)
    assert not path.exists()


def test_the_file_is_made_of_one_line_an_item(path):
    bt.BayesianNetwork({"rain": ["no", "yes"], "wet": [0, 1]}, [("rain", "wet")], score=-3.5).write(
        path
    )
    assert json.loads(path.read_text()) == GOOD
    assert '\n  {"name": "wet", "states": [0, 1]}\n' in path.read_text()


def test_a_failed_write_leaves_the_old_file_alone(path, monkeypatch):
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        bt.BayesianNetwork(["a"]).write(path)
    assert path.read_text() == "old"
    assert [p.name for p in path.parent.iterdir()] == ["network.json"]


@pytest.mark.parametrize("name", ["n.csv", "n.json.bz2", "n.gz", "n", ".json", "n.jsonl"])
def test_other_endings_are_refused_both_ways(tmp_path, name):
    with pytest.raises(ValueError, match=r"must end in \.json"):
        bt.BayesianNetwork(["a"]).write(tmp_path / name)
    with pytest.raises(ValueError, match="must end in"):
        bt.BayesianNetwork.read(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "pgmpy"}, 'not a network of baytree, with "format": "baytree network"'),
        (
            {"version": 6},
            r"version must be 5, which .* reads \(update baytree .*\); got 6",
        ),
        (
            {"version": 3},
            r"an older baytree wrote it, in version 3; this one reads version 4 and later\.",
        ),
        (
            {"format": "baytree imputer"},
            r"it is an imputer\. Read it with BayesianNetworkImputer\.r",
        ),
        ({"version": None}, "version must be 5, .*; got None"),
        ({"version": True}, "version must be 5, .*; got True"),
        ({"score": "high"}, "score must be a finite number; got 'high'"),
        ({"score": True}, "score must be a finite number; got True"),
        ({"score": 10**400}, "score must be a finite number; got 1000"),
        (
            {"scores": -3.5},
            r"'scores' is no part of a network, which has format, .*, bag_edges\. Take",
        ),
        (
            {"variables": [{"name": "a", "labels": [1]}]},
            "'labels' is no part of a variable, which has name, states, edges",
        ),
        ({"variables": {}}, "variables must be a list of at least 1 item; got {}"),
        ({"variables": ["rain"]}, r"variables\[0\] must be an object; got 'rain'"),
        ({"variables": []}, "variables must be a list of at least 1 item"),
        ({"variables": [{"states": [1]}]}, "a variable must have name, .*; name is missing"),
        (
            {"variables": [{"name": "\ud800"}]},
            "must be text of whole characters, .*; got '.ud800'",
        ),
        (
            {"variables": [{"name": ["rain"]}]},
            r"variables\[0\].name must be text of whole characters, a .*; got \['rain'\]",
        ),
        ({"variables": [{"name": "a"}, {"name": "a"}]}, "variables names 'a' twice"),
        (
            {"variables": [{"name": "a", "states": [1]}, {"name": "b"}]},
            'must all have a list of "s',
        ),
        (
            {"variables": [{"name": "a", "states": "no"}]},
            r"variables\[0\].states must be a list; got 'no'",
        ),
        (
            {"variables": [{"name": "a", "states": [None]}]},
            r"states\[0\] must be text of whole .*, a finite number, true or false; got None",
        ),
        ({"variables": [{"name": "a", "states": [1, 1]}]}, "'a' has a state twice"),
        (
            {"variables": [{"name": "a", "states": [], "probabilities": [1]}], "arcs": []},
            "Variable 'a' has no states",
        ),
        (
            {"variables": [{"name": "a", "probabilities": [1]}], "arcs": []},
            'must all have lists of "states" and "probabilities"',
        ),
        (variables_with([0.5, 0.5], None), 'must all have lists of "states" and "probabilities"'),
        (variables_with([0.5, 0.5], [0.5] * 3), "'wet' are 3 numbers for 2 states"),
        (variables_with([0.5, 0.5], []), "'wet' are 0 numbers for 2 states"),
        (
            variables_with([0.5, 0.5], ["x"] * 4),
            r"\[0\] must be a finite number; got 'x'",
        ),
        (variables_with([0.5, 0.5], [True] * 4), "must be a finite number; got True"),
        (variables_with([0.5, 0.5], [10**400] * 4), "must be a finite number; got 1000"),
        (variables_with([0.5, 0.5], [0.5] * 6), "'wet' have shape"),
        (variables_with([0.5, 0.6], [0.5] * 4), "'rain' must not be negative and sum to 1"),
        ({"arcs": None}, "arcs must be a list; got None"),
        ({"arcs": [["rain"]]}, r"arcs\[0\] must be a list of 2 items; got \['rain'\]"),
        ({"arcs": [["rain", {}]]}, r"arcs\[0\]\[1\] must be text of whole characters, a finite"),
        ({"arcs": [["rain", "wet"]] * 2}, "the arc from 'rain' to 'wet' is there twice"),
        ({"arcs": [["rain", "snow"]]}, "arcs names 'snow'"),
        ({"arcs": [["rain", "wet"], ["wet", "rain"]]}, "arcs form a cycle"),
        ({"bags": [["rain"]]}, "No bag of the decomposition holds variable 'wet'"),
        ({"bags": [["rain", "wet", "snow"]]}, "holds 'snow', which is no variable"),
        ({"bags": [[["rain"]]]}, r"bags\[0\]\[0\] must be text of whole characters, a finite"),
        ({"bags": ["rain"]}, r"bags\[0\] must be a list; got 'rain'"),
        ({"bag_edges": [[0, 0]]}, "form a cycle of bags"),
        ({"bag_edges": [[0, 1]]}, r"must join two of its 1 bags; got \[0, 1\]"),
        ({"bag_edges": [[0, -1]]}, "an integer of at least 0; got -1"),
        ({"bag_edges": [[0, 0.0]]}, "an integer of at least 0; got 0.0"),
        ({"bag_edges": [["0", 0]]}, "an integer of at least 0; got '0'"),
        ({"bag_edges": 0}, "bag_edges must be a list; got 0"),
    ],
)
def test_a_strange_file_is_refused_with_its_name_and_the_reason(path, changes, message):
    path.write_text(json.dumps(GOOD | changes))
    with pytest.raises(FileFormatError, match=message) as caught:
        bt.BayesianNetwork.read(path)
    check_sentence(caught.value, path)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"version": 5', '"version": 9', "line 3, column 2"),
        ('"score": null', '"score": "x"', "line 4, column 2"),
        ('"score"', '"scores"', "line 4, column 2"),
        ('{"name": "wet"', '{"name": "rain"', "line 7, column 4"),
        ('"name": "wet", "states": [', '"name": "wet", "states": [[], ', "line 7, column 30"),
        ("0.75", "0.5", "line 6, column 45"),
        ('["rain", "wet"]\n ],\n "bags"', '["rain", "rain"]\n ],\n "bags"', "line 10, column 3"),
        ('"bags": [\n  ["rain", "wet"]', '"bags": [["wet", "wet"]', "line 12, column 2"),
        (
            '{"name": "wet", "states": ["no"',
            '{"name": "wet", "states": ["yes"',
            "line 7, column 19",
        ),
        ("0.875", '"x"', "line 7, column 69"),
        ('["rain", "wet"]\n ],\n "bags"', '["rain", "snow"]\n ],\n "bags"', "line 10, column 3"),
        ('"bags": [', '"bags": [["snow"],', "line 12, column 2"),
        ('"bag_edges": []', '"bag_edges": [[1]]', "line 15, column 16"),
        ('"bag_edges": []', '"bag_edges": [[0, 1]]', "line 12, column 2"),
        (
            '["rain", "wet"]\n ],\n "bags"',
            '["rain", "wet"], ["wet", "rain"]], "bags"',
            "line 9, column 2",
        ),
        (
            '"states": ["no", "yes"], "probabilities": [0.25',
            '"states": [1e999, 2], "probabilities": [0.25',
            "line 6, column 31",
        ),
    ],
)
def test_a_part_that_cannot_be_is_refused_with_line_and_column(path, old, new, place):
    cpts = {"rain": [0.25, 0.75], "wet": [[0.125, 0.875], [0.5, 0.5]]}
    states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    bt.BayesianNetwork(states, [("rain", "wet")], cpts=cpts).write(path)
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(FileFormatError) as caught:
        bt.BayesianNetwork.read(path)
    assert f"network.json, {place}: " in str(caught.value)


def check_sentence(error, path):
    """The file is named once, in front, and the end is one full stop, maybe after dots."""
    assert str(error).startswith(str(path))
    assert str(error).count(str(path)) == 1
    assert re.search(r"[^.](\.\.\.)?\.$", str(error))


@pytest.mark.parametrize("key", ["format", "version", "variables", "arcs", "bags", "bag_edges"])
def test_a_part_that_is_missing_is_refused(path, key):
    path.write_text(json.dumps({k: v for k, v in GOOD.items() if k != key}))
    with pytest.raises(FileFormatError):
        bt.BayesianNetwork.read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "line 1, column 1: Expecting value"),
        (b'{"format":\n nothing}', "line 2, column 2: Expecting value"),
        (b"[1, 2]", "not a network of baytree"),
        (b"{\n\xff\xfe", "line 2, column 1: byte 0xff is not UTF-8"),
        (b"\n" + b"[" * 100_000, "line 2, column 34: lists inside lists, too deep to be a network"),
        (b'{"a": "NaN",\n"score": NaNNaN}', "line 2, column 10: NaN is not a number"),
        (b'{"a":\n' + b"1" * 5000 + b"}", "line 2, column 1: a number of 5,000 digits, too lo"),
        (b'{"a": [{"b": 1}, {"b": 1}],\n"b": 2, "b": 2}', "line 2, column 9: an object has 'b' tw"),
    ],
    ids=range(8),
)
def test_what_is_no_json_is_refused_with_the_place(path, text, message):
    path.write_bytes(text)
    with pytest.raises(FileFormatError, match=message) as caught:
        bt.BayesianNetwork.read(path)
    check_sentence(caught.value, path)


def test_a_broken_gzip_file_is_refused(tmp_path):
    path = tmp_path / "network.json.gz"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode())[:-10])
    with pytest.raises(FileFormatError, match="the compressed data is broken"):
        bt.BayesianNetwork.read(path)


def test_a_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(network_files, "MAX_BYTES", 10_000)
    path = tmp_path / "network.json.gz"
    path.write_bytes(gzip.compress(b" " * 1_000_000))
    with pytest.raises(FileFormatError, match=r"more than 10,000 bytes of text"):
        bt.BayesianNetwork.read(path)


def test_a_file_with_far_too_many_lists_is_refused(path, monkeypatch):
    monkeypatch.setitem(json_documents.MAX_COUNTS, "[", 100)
    path.write_text("[" * 101)
    with pytest.raises(FileFormatError, match=r"more than 100 times \["):
        bt.BayesianNetwork.read(path)


def test_probabilities_and_the_decomposition_read_back_to_the_last_bit(path):
    states = {"a": [0, 1], "b": ["x", "y", "z"], "c": [True, False]}
    wide = TreeDecomposition((("a", "b", "c"),), ())
    third = [1 / 3, 1 / 3, 1 / 3]
    cpts = {"a": [0.1, 0.9], "b": [third, [0.1, 0.2, 0.7]], "c": [[0.3, 0.7]] * 3}
    network = bt.BayesianNetwork(
        states, [("a", "b"), ("b", "c")], cpts=cpts, decomposition=wide, score=-1.0
    )
    again = round_trip(network, path)
    assert again.decomposition == wide
    for name in states:
        assert (again.cpt(name).to_numpy() == network.cpt(name).to_numpy()).all()


def test_what_would_not_be_read_back_is_not_written(path, monkeypatch):
    monkeypatch.setattr(network_files, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match=r"more than 100 bytes of text, which are not read back"):
        bt.BayesianNetwork(["a"]).write(path)
    assert not path.exists()


@pytest.fixture
def binned():
    """Return a network learned from numbers, and its table."""
    sizes = np.random.default_rng(0).normal(size=300)
    table = pd.DataFrame({"size": sizes, "large": sizes > 0})
    with pytest.warns(DiscretizationWarning):
        return bt.NetworkLearner(1, search="chow-liu", n_bins=5).fit(table).network_, table


def test_bins_come_back_and_take_numbers(binned, path):
    network, table = binned
    again = round_trip(network, path)
    assert again == network
    np.testing.assert_array_equal(again.log_likelihood(table), network.log_likelihood(table))
    evidence = {"size": 0.5}
    assert again.posterior("large", evidence).equals(network.posterior("large", evidence))
    assert again._encoding.bins == network._encoding.bins
    incomplete = table.assign(size=np.nan)
    pd.testing.assert_series_equal(
        again.impute(incomplete)["size"], network.impute(incomplete)["size"]
    )


@pytest.mark.filterwarnings("ignore::baytree.exceptions.EscapedLabelWarning")
@pytest.mark.parametrize("suffix", [".bif", ".net", ".xml", ".uai", ".xdsl"])
def test_other_formats_warn_that_they_hold_names_of_bins_alone(binned, tmp_path, suffix):
    network, table = binned
    path = tmp_path / f"network{suffix}"
    with pytest.warns(EscapedLabelWarning, match="holds the names of bins only, of 'size'"):
        network.write(path)
    again = bt.BayesianNetwork.read(path)
    lost = "names of bins without the bins.* from a .json file, which keeps the bins"
    with pytest.raises(UnknownStateError, match=lost):
        again.predict(table[["size"]], "large")
    with pytest.raises(UnknownStateError, match=lost):
        again.posterior("large", {"size": 0.5})


def test_files_of_version_4_read_without_the_contents_of_bins(binned, path):
    network, _ = binned
    network.write(path)
    contents = json.loads(path.read_text()) | {"version": 4}
    del contents["variables"][0]["groups"], contents["variables"][0]["n_decimals"]
    path.write_text(json.dumps(contents))
    again = bt.BayesianNetwork.read(path)
    assert again == network
    assert again._encoding.bins[0].contents is None
    assert again._encoding.bins[0].means.tolist() == list(again._encoding.bins[0].medians)


def test_medians_of_whole_numbers_stay_whole(path):
    table = pd.DataFrame({"n": [*range(0, 200, 2)], "b": [0, 1] * 50})
    with pytest.warns(DiscretizationWarning):
        network = bt.NetworkLearner(1, search="chow-liu").fit(table).network_
    missing = pd.DataFrame({"n": [None] * 2, "b": [0, 1]})
    imputed = network.impute(missing)["n"].tolist()
    again = round_trip(network, path).impute(missing)["n"].tolist()
    assert [(type(number), number) for number in again] == [(int, number) for number in imputed]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edges": [0, 1]}, "one more than"),
        ({"edges": "wide"}, "edges must be a list; got 'wide'"),
        ({"medians": [True]}, r"medians\[0\] must be a finite number; got True"),
        ({"edges": [5, 4, 3, 2, 1, 0]}, "must rise"),
        ({"edges": [0, 1, 2, 3, 4, 5]}, "must be the intervals between its"),
        ({"groups": []}, "must have a list for each of the 5 bins"),
        ({"groups": [[[1, 0, 0, 0, 0]]] * 4 + [[]]}, r"groups\[4\] must be a list of at least 1"),
        ({"groups": [[[1, 0, 0, 0]]] * 5}, r"groups\[0\]\[0\] must be a list of 5 items"),
        ({"groups": [[[1, 9e9, 9e9, 9e9, 0]]] * 5}, r"must be \[n, low, high, mean, sd\]"),
        ({"n_decimals": 99}, "n_decimals must be an integer from -9 to 9; got 99"),
    ],
)
def test_broken_bins_are_refused(binned, path, changes, message):
    binned[0].write(path)
    contents = json.loads(path.read_text())
    contents["variables"][0] |= changes
    path.write_text(json.dumps(contents))
    with pytest.raises(FileFormatError, match=message):
        bt.BayesianNetwork.read(path)
