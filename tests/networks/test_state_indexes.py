import itertools

import numpy as np
import pandas as pd
import pytest

import baytree as bt

STATES = {"a": [0, False, 1, True], "b": ["x", 0, False], "c": [1, 0]}
ARCS = [("a", "c"), ("b", "c")]


def kinds(labels):
    """Return labels with their types, for 0 == False."""
    return [tuple((type(part), part) for part in label) for label in labels]


@pytest.fixture
def network():
    rng = np.random.default_rng(0)
    cpts = {
        "a": [0.1, 0.2, 0.3, 0.4],
        "b": [0.5, 0.3, 0.2],
        "c": rng.dirichlet([1, 1], size=(4, 3)),
    }
    return bt.BayesianNetwork(STATES, ARCS, cpts=cpts)


def test_joint_posteriors_keep_equal_labels_apart(network):
    joint = network.posterior(["a", "b"])
    assert kinds(joint.index) == kinds(itertools.product(STATES["a"], STATES["b"]))
    assert joint.to_numpy() == pytest.approx(
        np.outer([0.1, 0.2, 0.3, 0.4], [0.5, 0.3, 0.2]).ravel()
    )
    assert joint.reset_index()["a"].map(type).tolist() == 2 * (3 * [int] + 3 * [bool])


def test_joint_posteriors_find_labels_as_pandas_does():
    states = {"rain": ["yes", "no"], "wet": ["b", "a"]}
    network = bt.BayesianNetwork(states, cpts={"rain": [0.2, 0.8], "wet": [0.3, 0.7]})
    joint = network.posterior(["rain", "wet"])
    assert joint.loc["yes", "a"] == pytest.approx(0.14)
    assert joint.loc["no"].to_dict() == pytest.approx({"b": 0.24, "a": 0.56})
    assert joint.xs("a", level="wet").index.tolist() == ["yes", "no"]
    assert joint.unstack().columns.tolist() == ["b", "a"]  # the order of the states


def test_cpts_keep_equal_labels_apart(network):
    frame = network.cpt("c")
    assert kinds(frame.index) == kinds(itertools.product(STATES["a"], STATES["b"]))


def test_a_frame_in_any_order_finds_equal_labels_by_their_types(network):
    frames = {name: network.cpt(name) for name in network.variables}
    frames["c"] = frames["c"].iloc[::-1, ::-1].reorder_levels(["b", "a"])
    assert bt.BayesianNetwork(STATES, ARCS, cpts=frames) == network


def test_a_frame_in_which_equal_labels_fell_together_is_refused(network):
    frame = network.cpt("c")
    frame.index = pd.MultiIndex.from_product([STATES["a"], STATES["b"]], names=["a", "b"])
    frames = {name: network.cpt(name) for name in network.variables} | {"c": frame}
    with pytest.raises(ValueError, match=r"frame of 'c' must have .* joint states of its parents"):
        bt.BayesianNetwork(STATES, ARCS, cpts=frames)


def test_predicted_probabilities_of_several_targets_keep_equal_labels_apart(network):
    rows = pd.DataFrame({"a": [None, None], "b": [None, None], "c": [0, 1]}, index=[5, 6])
    found = network.predict_proba(rows, ["b", "a"])
    pairs = [(name, state) for name in ("b", "a") for state in STATES[name]]
    assert kinds(found.columns) == kinds(pairs)
    assert found.index.tolist() == [5, 6]
    for name in ("b", "a"):
        alone = network.predict_proba(rows, name).to_numpy()
        assert found[name].to_numpy() == pytest.approx(alone)


def test_predicted_probabilities_of_several_targets_are_found_by_variable_and_state():
    states = {"rain": ["no", "yes"], "wet": ["no", "yes"], "sun": ["yes", "no"]}
    cpts = {"rain": [0.8, 0.2], "wet": [0.3, 0.7], "sun": [0.9, 0.1]}
    network = bt.BayesianNetwork(states, cpts=cpts)
    found = network.predict_proba(pd.DataFrame({"rain": ["no"]}), ["sun", "wet"])
    assert found["sun", "yes"].tolist() == pytest.approx([0.9])
    assert found["wet"]["yes"].tolist() == pytest.approx([0.7])
    assert found.columns.names == ["variable", "state"]
