import pickle

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import UnknownVariableError
from baytree.networks.decomposition import TreeDecomposition
from structure_checker import check_structure

STATES = {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "grass": ["dry", "wet"]}
ARCS = [("sprinkler", "grass"), ("rain", "grass"), ("rain", "sprinkler")]


@pytest.fixture
def network():
    return bt.BayesianNetwork(STATES, ARCS, score=-1234.5678)


def test_a_network_tells_its_variables_states_parents_and_arcs(network):
    assert network.variables == ("rain", "sprinkler", "grass")
    assert network.states("grass") == ("dry", "wet")
    assert network.parents("grass") == ("rain", "sprinkler")
    assert network.arcs == (("rain", "sprinkler"), ("rain", "grass"), ("sprinkler", "grass"))
    assert (network.treewidth, network.score) == (2, -1234.5678)


def test_a_decomposition_is_found_where_none_is_given(network):
    parents = {name: network.parents(name) for name in network.variables}
    check_structure(parents, network.decomposition.bags, network.decomposition.edges, 2)


def test_a_decomposition_that_is_given_stays():
    bags = (("rain", "sprinkler"), ("sprinkler", "grass"))
    wide = TreeDecomposition((tuple(STATES),), ())
    chain = TreeDecomposition(bags, ((0, 1),))
    arcs = [("rain", "sprinkler"), ("sprinkler", "grass")]
    assert bt.BayesianNetwork(STATES, arcs, decomposition=chain).decomposition == chain
    assert bt.BayesianNetwork(STATES, arcs, decomposition=wide).treewidth == 2
    with pytest.raises(ValueError, match=r"No bag .* holds variable 'grass' and its parents"):
        bt.BayesianNetwork(STATES, ARCS, decomposition=chain)


def test_repr_says_the_size(network):
    assert repr(network) == "BayesianNetwork(3 variables, 3 arcs, treewidth 2, score -1,234.568)"
    small = bt.BayesianNetwork(["a"])
    assert repr(small) == "BayesianNetwork(1 variable, 0 arcs, treewidth 0)"
    probable = bt.BayesianNetwork({"a": [0, 1]}, cpts={"a": [0.4, 0.6]})
    assert repr(probable) == "BayesianNetwork(1 variable, 0 arcs, treewidth 0, 1 parameter)"


def test_equal_networks_have_the_same_states_and_arcs(network):
    reordered = bt.BayesianNetwork(dict(reversed(STATES.items())), ARCS[::-1])
    assert reordered == network
    assert hash(reordered) == hash(network)
    assert bt.BayesianNetwork(STATES, ARCS[:2]) != network
    assert bt.BayesianNetwork(STATES | {"rain": ["yes", "no"]}, ARCS) != network
    assert bt.BayesianNetwork([*STATES], ARCS) != network
    assert network != "network"


def test_a_network_survives_a_pickle(network):
    again = pickle.loads(pickle.dumps(network))
    assert again == network
    assert (again.score, again.decomposition) == (network.score, network.decomposition)


@pytest.mark.parametrize("name", ["variables", "arcs", "treewidth", "score", "cpts"])
def test_a_network_is_frozen(network, name):
    with pytest.raises(AttributeError, match=f"frozen: {name!r} cannot be set"):
        setattr(network, name, None)


def test_states_may_be_unknown_and_are_then_not_invented():
    network = bt.BayesianNetwork(iter(["a", 2]), [("a", 2)])
    assert network.variables == ("a", 2)
    with pytest.raises(ValueError, match="states of its variables are not known"):
        network.states("a")


def test_states_may_come_from_a_generator():
    network = bt.BayesianNetwork({"a": (label for label in "xy")})
    assert network.states("a") == ("x", "y")


def test_one_and_true_are_two_states():
    assert bt.BayesianNetwork({"a": [1, True, "1"]}).states("a") == (1, True, "1")


@pytest.mark.parametrize("label", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_a_missing_value_is_no_state(label):
    with pytest.raises(ValueError, match="'a' has a missing value among its states"):
        bt.BayesianNetwork({"a": ["yes", label]})


def test_states_of_numpy_become_those_of_python():
    states = bt.BayesianNetwork({"a": np.array([0, 1]), "b": np.array(["x"])}).states("a")
    assert [type(state) for state in states] == [int, int]


def test_true_of_numpy_and_one_are_two_states():
    assert len(bt.BayesianNetwork({"a": [1, np.True_]}).states("a")) == 2


@pytest.mark.parametrize("name", ["snow", ["rain"]])
def test_an_unknown_variable_is_named(network, name):
    for look_up in (network.parents, network.states):
        with pytest.raises(UnknownVariableError, match="known: 'rain', 'sprinkler', 'grass'"):
            look_up(name)


@pytest.mark.parametrize(
    ("variables", "arcs", "error", "message"),
    [
        ([], [], ValueError, "at least one variable"),
        ("ab", [], ValueError, "variables must be names, or states by name; got 'ab'"),
        (7, [], ValueError, "variables must be names"),
        (["a", "a"], [], ValueError, "variables names 'a' twice"),
        ([["a"]], [], ValueError, "must be hashable"),
        ({"a": "yes"}, [], ValueError, "states of variable 'a' must be a list of labels"),
        ({"a": None}, [], ValueError, "states of variable 'a' must be a list of labels"),
        ({"a": {"x", "y"}}, [], ValueError, "must be a list of labels, in order"),
        ({"a": [[1]]}, [], ValueError, "states of variable 'a' must be a list of labels"),
        ({"a": []}, [], ValueError, "'a' has no states"),
        ({"a": [1, 1.0]}, [], ValueError, "'a' has a state twice"),
        ({"a": [True, np.True_]}, [], ValueError, "'a' has a state twice"),
        (["a", "b"], [("a", "c")], UnknownVariableError, "arcs names 'c'"),
        (["a", "b"], [("a", "b"), ("b", "a")], ValueError, "arcs form a cycle: '.' -> '.' -> '.'"),
        (["a", "b"], ["ab"], ValueError, r"arcs must hold pairs \(parent, child\)"),
    ],
)
def test_what_is_no_network_is_named(variables, arcs, error, message):
    with pytest.raises(error, match=message):
        bt.BayesianNetwork(variables, arcs)
