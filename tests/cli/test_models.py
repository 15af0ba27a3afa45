import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.cli.models import TypedLabels
from baytree.exceptions import DiscretizationWarning, UnknownStateError


def test_text_finds_labels_of_any_type():
    network = bt.BayesianNetwork({1: [0, 1], 2.5: [True, False], ("a", 3): [("b", 4), "x"]})
    labels = TypedLabels(network)
    assert labels.variable("1") == 1
    assert labels.variable("('a', 3)") == ("a", 3)
    assert labels.evidence(["1=0", "2.5=True"], []) == {1: 0, 2.5: True}
    assert labels.evidence(["2.5=false"], []) == {2.5: False}
    assert labels.evidence([], ["2.5=TRUE:1,false:2"]) == {2.5: {True: 1.0, False: 2.0}}


@pytest.mark.parametrize("states", [[1, "1"], [1.0, "1.0"]])
def test_states_that_read_alike_are_refused(states):
    labels = TypedLabels(bt.BayesianNetwork({"a": states}))
    with pytest.raises(ValueError, match=r"of variable 'a' are several .* text cannot distinguish"):
        labels.state("a", str(states[0]))


def test_variables_that_read_alike_are_refused():
    labels = TypedLabels(bt.BayesianNetwork([1, "1"]))
    with pytest.raises(ValueError, match=r"Variables '1' are several \(int, str\)"):
        labels.variable("1")


def test_an_equals_sign_may_be_part_of_a_name_or_a_state():
    labels = TypedLabels(bt.BayesianNetwork({"a=b": ["c", "d=e"], "f": ["=", ""]}))
    assert labels.evidence(["a=b=d=e", "f=="], []) == {"a=b": "d=e", "f": "="}
    assert labels.evidence(["f="], []) == {"f": ""}


def test_a_name_that_begins_another_gives_way_where_only_the_longer_fits():
    labels = TypedLabels(bt.BayesianNetwork({"a": ["x", "b=d"], "a=b": ["c"]}))
    assert labels.evidence(["a=b=c"], []) == {"a=b": "c"}
    assert labels.evidence(["a=x"], []) == {"a": "x"}
    assert labels.evidence(["a=b=d"], []) == {"a": "b=d"}
    assert labels.evidence([], ["a=b=c:2"]) == {"a=b": {"c": 2.0}}


def test_long_lists_of_names_are_cut():
    labels = TypedLabels(bt.BayesianNetwork([f"v{i}" for i in range(2000)]))
    with pytest.raises(KeyError, match=r"'v9' and 1,990 more\)"):
        labels.variable("w")


@pytest.mark.parametrize(
    "text",
    ["a=x,1:0.5,y:2,:z:1", 'a="x,1:0.5",y:2,:z:1', "a=x,1:0.5, y:2, :z:1", "a=y:2,:z:1,x,1:0.5"],
)
def test_states_in_likelihoods_may_hold_commas_and_colons(text):
    labels = TypedLabels(bt.BayesianNetwork({"a": ["x,1", "y", ":z", "y:2"]}))
    assert labels.evidence([], [text]) == {"a": {"x,1": 0.5, "y": 2.0, ":z": 1.0}}


def test_a_longer_state_goes_before_a_shorter_one_that_begins_it():
    labels = TypedLabels(bt.BayesianNetwork({"a": ["x", "x:1,y", "y"]}))
    assert labels.evidence([], ["a=x:1,y:3"]) == {"a": {"x:1,y": 3.0}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a=x:1,x:2", "gives state 'x' of variable 'a' twice"),
        ("a=x:1,z:2", "'a' has no state 'z'"),
        ("a=x", r"must be NAME=STATE:X,STATE:X; got 'x' for 'a'"),
        ("a=x:much", "needs a number after the colon; got 'x:much'"),
    ],
)
def test_likelihoods_that_cannot_be_read_are_refused(text, problem):
    labels = TypedLabels(bt.BayesianNetwork({"a": ["x", "y"]}))
    with pytest.raises(ValueError, match=problem):
        labels.evidence([], [text])


@pytest.fixture
def aged_network():
    table = pd.DataFrame({"age": np.arange(60.0), "b": ["x", "y"] * 30})
    learner = bt.NetworkLearner(1, search="chow-liu", n_bins=5)
    with pytest.warns(DiscretizationWarning, match="'age'"):
        return learner.fit(table).network_


def test_numbers_stand_for_the_bins_that_hold_them(aged_network):
    labels = TypedLabels(aged_network)
    assert labels.evidence(["age=45"], []) == {"age": 45.0}
    assert labels.state("age", aged_network.states("age")[0]) == aged_network.states("age")[0]


@pytest.mark.parametrize("word", ["age=nan", "age=old", "b=1"])
def test_numbers_are_for_bins_only(aged_network, word):
    with pytest.raises(UnknownStateError, match="has no state"):
        TypedLabels(aged_network).evidence([word], [])
