import base64
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import baytree as bt
from baytree.exceptions import EscapedLabelWarning, FileFormatError
from baytree.mixtures import mixture_files
from mixture_oracle import small_mixtures


@pytest.fixture
def year():
    states = {"rain": [0, 1], "wet": [False, True], "sky": ["blue", "grey"]}
    arcs = [("rain", "wet")]
    cpts = {"rain": [0.2, 0.8], "wet": [[1.0, 0.0], [0.1, 0.9]], "sky": [1 / 3, 2 / 3]}
    winter = bt.BayesianNetwork(states, arcs, cpts=cpts)
    summer = bt.BayesianNetwork(
        states, cpts={"rain": [0.9, 0.1], "wet": [1.0, 0.0], "sky": [0.7, 0.3]}
    )
    return bt.NetworkMixture([winter, summer, winter], [0.2, 0.3, 0.5])


@pytest.fixture
def changed(year, tmp_path):
    """Write a mixture with changes to its document, and return the path."""

    def write(change):
        path = tmp_path / "mixture.json"
        year.write(path)
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document, indent=1))
        return path

    return write


def numbers(*values):
    return base64.b64encode(np.array(values, dtype="<f8").tobytes()).decode()


@given(drawn=small_mixtures())
def test_mixtures_come_back_to_the_last_bit(drawn, tmp_path_factory):
    mixture, _ = drawn
    path = tmp_path_factory.mktemp("mixtures") / "mixture.json"
    mixture.write(path)
    again = bt.NetworkMixture.read(path)
    assert again == mixture
    assert again.weights.tolist() == mixture.weights.tolist()
    assert again.treewidth == mixture.treewidth
    again.write(path.with_name("again.json"))
    assert path.with_name("again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("suffix", [".json", ".json.gz", ".json.xz", ".JSON"])
def test_every_suffix_of_json_is_read(year, tmp_path, suffix):
    path = tmp_path / f"mixture{suffix}"
    year.write(path)
    assert bt.NetworkMixture.read(path) == year


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
def test_bins_come_back(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"length": rng.normal(size=200), "width": rng.normal(size=200)})
    learner = bt.MixtureLearner(2, max_iterations=20, n_bins=3, random_state=0).fit(table)
    learner.mixture_.write(tmp_path / "mixture.json")
    again = bt.NetworkMixture.read(tmp_path / "mixture.json")
    assert again == learner.mixture_
    assert again.binned_variables == ("length", "width")
    assert np.array_equal(again.log_likelihood(table), learner.mixture_.log_likelihood(table))


def test_labels_that_come_back_as_text_are_told(tmp_path):
    days = [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02")]
    network = bt.BayesianNetwork({"day": days}, cpts={"day": [0.5, 0.5]})
    with pytest.warns(EscapedLabelWarning, match="'day'"):
        bt.NetworkMixture([network]).write(tmp_path / "mixture.json")


@pytest.mark.parametrize("name", ["mixture.csv", "mixture.bif", "mixture"])
def test_another_suffix_is_refused(year, tmp_path, name):
    with pytest.raises(ValueError, match=r"must end in \.json"):
        year.write(tmp_path / name)
    with pytest.raises(ValueError, match=r"must end in \.json"):
        bt.NetworkMixture.read(tmp_path / name)


def test_a_file_that_would_not_be_read_is_not_written(year, tmp_path, monkeypatch):
    monkeypatch.setattr(mixture_files, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="more than are read back"):
        year.write(tmp_path / "mixture.json")
    assert not (tmp_path / "mixture.json").exists()


def drop(*path):
    def change(document):
        part = document
        for key in path[:-1]:
            part = part[key]
        del part[path[-1]]

    return change


def put(*path_and_value):
    *path, value = path_and_value

    def change(document):
        part = document
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (drop("parts"), "parts is missing"),
        (drop("variables", 0, "states"), "states is missing"),
        (drop("parts", 1, "weight"), "line .*weight is missing"),
        (put("parts", []), "parts must be a list of at least 1 item"),
        (put("variables", []), "variables must be a list of at least 1 item"),
        (put("version", 99), "99"),
        (put("format", "baytree network"), "Read it with BayesianNetwork.read"),
        (put("parts", 0, "weight", 0.1), 'line .*"weight" of all parts must sum to 1'),
        (put("parts", 0, "weight", -0.7), "a number from 0 to 1"),
        (put("parts", 0, "component_weights", [0.5]), 'line .*"component_weights" must sum to 1'),
        (put("parts", 0, "component_weights", []), "at least 1 item"),
        (put("parts", 0, "component_weights", [1.0]), "must be 8 numbers as base64; it has 16"),
        (put("parts", 0, "parents", [[], []]), "a list for each of the 3 variables"),
        (put("parts", 0, "parents", [[], [9], []]), "parents of 'wet' must be rising positions"),
        (put("parts", 0, "parents", [[], [1], []]), "parents of 'wet' must be rising positions"),
        (put("parts", 0, "parents", [[], [2, 0], []]), "parents of 'wet' must be rising"),
        (put("parts", 0, "parents", [[], [0, 0], []]), "parents of 'wet' must be rising"),
        (put("parts", 0, "parents", [[1], [0], []]), "form a cycle: 'rain' -> 'wet' -> 'rain'"),
        (put("parts", 0, "parents", [[], [-1], []]), "an integer of at least 0"),
        (put("parts", 0, "parents", [[], [0, 2], []]), "24 numbers as base64; it has 16"),
        (put("parts", 0, "elimination_order", [0, 1]), "each variable once"),
        (put("parts", 0, "elimination_order", [0, 1, 1]), "each variable once"),
        (put("parts", 1, "probabilities", "rain"), "numbers of 8 bytes as base64"),
        (put("parts", 1, "probabilities", "?"), "numbers of 8 bytes as base64"),
        (put("parts", 1, "probabilities", "\u00e4"), "numbers of 8 bytes as base64"),
        (put("parts", 1, "probabilities", numbers(1.0)), "6 numbers as base64; it has 1"),
        (
            put("parts", 1, "probabilities", numbers(1, 0, 1, 0, 0.5, 0.6)),
            "line .*probabilities of 'sky' must not be negative and sum to 1",
        ),
        (put("parts", 1, "probabilities", numbers(-1, 2, 1, 0, 1, 0)), "of 'rain' must not be neg"),
        (put("parts", 1, "probabilities", numbers(np.nan, 1, 1, 0, 1, 0)), "of 'rain' must not be"),
        (put("parts", 1, "probabilities", numbers(np.inf, 1, 1, 0, 1, 0)), "of 'rain' must not be"),
        (put("variables", 1, "name", "rain"), "variables names 'rain' twice"),
        (put("variables", 1, "states", [1, 1]), "has a state twice"),
        (put("variables", 1, "states", []), "has no states"),
        (put("variables", 1, "edges", [0, 1]), "edges"),
        (put("variables", 1, "colour", "red"), "'colour' is no part of a variable"),
        (put("extra", 1), "'extra' is no part of a mixture"),
    ],
)
def test_a_broken_file_is_refused_at_its_place(changed, change, problem):
    with pytest.raises(FileFormatError, match=problem):
        bt.NetworkMixture.read(changed(change))


def test_truncated_and_foreign_files_are_refused(year, tmp_path):
    path = tmp_path / "mixture.json"
    year.write(path)
    text = path.read_text()
    for length in range(0, len(text) - 3, 97):
        path.write_text(text[:length])
        with pytest.raises(FileFormatError):
            bt.NetworkMixture.read(path)
    year.components[0].write(path)
    with pytest.raises(
        FileFormatError, match=r"it is a network. Read it with BayesianNetwork.read"
    ):
        bt.NetworkMixture.read(path)


def test_the_reader_of_networks_says_who_reads_mixtures(year, tmp_path):
    year.write(tmp_path / "mixture.json")
    with pytest.raises(FileFormatError, match=r"it is a mixture. Read it with NetworkMixture.read"):
        bt.BayesianNetwork.read(tmp_path / "mixture.json")


def test_read_model_returns_what_the_file_holds(year, tmp_path):
    for name in ("network.json", "network.bif", "network.json.gz"):
        network = year.components[0]
        network.write(tmp_path / name)
        found = bt.read_model(tmp_path / name)
        assert isinstance(found, bt.BayesianNetwork)
        assert found.arcs == network.arcs
    for name in ("mixture.json", "mixture.json.xz"):
        year.write(tmp_path / name)
        assert bt.read_model(str(tmp_path / name)) == year


def test_read_model_refuses_what_is_no_model(tmp_path, written):
    for text in ("", "{", "[]", '{"format": "baytree imputer"}', '{"format": ["baytree mixture"]}'):
        with pytest.raises(FileFormatError):
            bt.read_model(written("model.json", text))
    with pytest.raises(ValueError, match="must end in"):
        bt.read_model(tmp_path / "model.csv")
    with pytest.raises(FileNotFoundError):
        bt.read_model(tmp_path / "other.json")
