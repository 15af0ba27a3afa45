"""Networks of other packages: what they say of whole joint states must stay the same."""

import importlib
from functools import reduce
from itertools import product
from operator import mul

import networkx as nx
import numpy as np
import pyagrum as gum
import pytest
from pgmpy.factors.discrete import TabularCPD
from pgmpy.models import DiscreteBayesianNetwork

import baytree as bt

STATES = {"wet": ["dry", "damp", "wet"], "rain": ["no", "yes"], "cold": [0, 1, 2, 3], "late": [7]}
ARCS = [("rain", "wet"), ("cold", "wet"), ("cold", "rain"), ("wet", "late")]


@pytest.fixture
def network():
    rng = np.random.default_rng(0)
    cpts = {
        "wet": rng.dirichlet(np.ones(3), (2, 4)),
        "rain": rng.dirichlet(np.ones(2), 4),
        "cold": rng.dirichlet(np.ones(4)),
        "late": np.ones((3, 1)),
    }
    return bt.BayesianNetwork(STATES, ARCS, cpts=cpts)


def joint_states(states):
    return [dict(zip(states, labels, strict=True)) for labels in product(*states.values())]


def joint_probability(network, assignment):
    """Multiply what the labelled tables say."""
    probability = 1.0
    for name in network.variables:
        rows = network.cpt(name)
        for parent in network.parents(name):
            rows = rows[rows.index.get_level_values(parent) == assignment[parent]]
        probability *= rows[assignment[name]].item()
    return probability


def test_networkx_gets_states_and_probabilities_and_gives_them_back(network):
    graph = network.to_networkx()
    assert set(graph.edges) == {*ARCS}
    assert graph.nodes["cold"]["states"] == (0, 1, 2, 3)
    assert bt.BayesianNetwork.from_networkx(graph).equals(network, tolerance=0)
    assert bt.BayesianNetwork.from_networkx(graph).variables == network.variables


def test_networkx_graphs_need_no_states_or_take_them_beside():
    graph = nx.DiGraph([("rain", "wet")])
    structure = bt.BayesianNetwork.from_networkx(graph)
    assert (structure.arcs, structure.has_probabilities) == ((("rain", "wet"),), False)
    states = {"wet": [0, 1], "rain": [0, 1]}
    cpts = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.3, 0.7]]}
    network = bt.BayesianNetwork.from_networkx(graph, states=states, cpts=cpts)
    assert network.cpt("wet").loc[1, 0] == 0.3
    assert dict(structure.to_networkx().nodes) == {"rain": {}, "wet": {}}


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        (nx.Graph([("a", "b")]), {}, "graph must be directed"),
        (nx.DiGraph([("a", "b"), ("b", "a")]), {}, "form a cycle"),
        ([("a", "b")], {}, "graph must be a networkx DiGraph"),
        (nx.DiGraph([("a", "b")]), {"states": {"a": [0, 1]}}, "'b' is not there"),
        (nx.DiGraph([("a", "b")]), {"cpts": {"a": [1.0]}}, "need the states"),
    ],
)
def test_graphs_that_are_no_networks_are_refused(graph, options, message):
    with pytest.raises(ValueError, match=message):
        bt.BayesianNetwork.from_networkx(graph, **options)


def test_pgmpy_gets_the_same_joint_probabilities(network):
    model = network.to_pgmpy()
    assert model.check_model()
    joint = reduce(mul, [table.to_factor() for table in model.get_cpds()])
    for assignment in joint_states(STATES):
        expected = joint_probability(network, assignment)
        assert joint.get_value(**assignment) == pytest.approx(expected, abs=1e-12)


def test_pgmpy_gives_a_network_back(network):
    again = bt.BayesianNetwork.from_pgmpy(network.to_pgmpy())
    assert again.equals(network)
    assert again.variables == network.variables


def test_tables_of_pgmpy_may_order_parents_and_their_states_as_they_like():
    model = DiscreteBayesianNetwork([("b", "c"), ("a", "c")])
    model.add_cpds(
        TabularCPD("a", 2, [[0.1], [0.9]], state_names={"a": ["x", "y"]}),
        TabularCPD("b", 3, [[0.2], [0.3], [0.5]]),
        TabularCPD(
            "c",
            2,
            [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]],
            evidence=["a", "b"],
            evidence_card=[2, 3],
            state_names={"c": ["n", "y"], "a": ["y", "x"], "b": [0, 1, 2]},
        ),
    )
    network = bt.BayesianNetwork.from_pgmpy(model)
    cpt = network.cpt("c")
    assert (network.variables, cpt.index.names) == (("b", "c", "a"), ["b", "a"])
    assert cpt.loc[(0, "y"), "n"] == pytest.approx(0.1)
    assert cpt.loc[(2, "y"), "n"] == pytest.approx(0.3)
    assert cpt.loc[(1, "x"), "n"] == pytest.approx(0.5)


def test_models_of_pgmpy_without_probabilities_are_structures():
    structure = bt.BayesianNetwork.from_pgmpy(DiscreteBayesianNetwork([("a", "b")]))
    assert (structure.arcs, structure.has_probabilities) == ((("a", "b"),), False)
    assert list(structure.to_pgmpy().edges()) == [("a", "b")]


def test_incomplete_models_of_pgmpy_are_refused():
    model = DiscreteBayesianNetwork([("a", "b")])
    model.add_cpds(TabularCPD("a", 2, [[0.1], [0.9]]))
    with pytest.raises(ValueError, match="must cover every variable; 'b' is not there"):
        bt.BayesianNetwork.from_pgmpy(model)


def test_tables_of_pgmpy_that_disagree_on_states_are_refused():
    model = DiscreteBayesianNetwork([("a", "b")])
    names = {"a": ["p", "q"], "b": [0, 1]}
    model.add_cpds(
        TabularCPD("a", 2, [[0.1], [0.9]], state_names={"a": ["x", "y"]}),
        TabularCPD("b", 2, [[0.1, 0.2], [0.9, 0.8]], ["a"], [2], state_names=names),
    )
    with pytest.raises(ValueError, match=r"'b' call the states of 'a' \('p', 'q'\)"):
        bt.BayesianNetwork.from_pgmpy(model)


def test_pyagrum_gets_the_same_joint_probabilities(network):
    model = network.to_pyagrum()
    for assignment in joint_states(STATES):
        texts = {name: str(state) for name, state in assignment.items()}
        instantiation = model.completeInstantiation()
        instantiation.fromdict(texts)
        expected = joint_probability(network, assignment)
        assert model.jointProbability(instantiation) == pytest.approx(expected, abs=1e-12)


def test_pyagrum_gives_a_network_back_with_its_integers(network):
    again = bt.BayesianNetwork.from_pyagrum(network.to_pyagrum())
    assert again.equals(network)
    assert again.variables == network.variables
    assert again.states("cold") == (0, 1, 2, 3)


def test_numeric_variables_of_pyagrum_have_numbers_as_states():
    model = gum.BayesNet()
    model.add(gum.RangeVariable("range", "", 2, 4))
    model.add(gum.IntegerVariable("integer", "", [5, -1]))
    model.add(gum.NumericalDiscreteVariable("numerical", "", [0.5, 2]))
    model.add(gum.DiscretizedVariable("cut", "", [1, 2, 3.5]))
    model.addArc("cut", "range")
    model.addArc("integer", "range")
    model.generateCPTs()
    network = bt.BayesianNetwork.from_pyagrum(model)
    assert [network.states(name) for name in network.variables] == [
        (2, 3, 4),
        (-1, 5),
        (0.5, 2.0),
        ("[1;2[", "[2;3.5]"),
    ]
    row = model.cpt("range")[{"cut": 1, "integer": 0}]
    assert network.cpt("range").loc[(-1, "[2;3.5]")].to_numpy() == pytest.approx(row)


def test_labels_that_are_no_text_become_text_in_pyagrum_if_they_differ():
    cpts = {"a": [0.5, 0.5]}
    model = bt.BayesianNetwork({"a": [2, 1]}, cpts=cpts).to_pyagrum()
    assert model.variable("a").labels() == ("2", "1")
    with pytest.raises(ValueError, match="states of 'a' that differ as text; '1' stands for"):
        bt.BayesianNetwork({"a": [1, "1"]}, cpts=cpts).to_pyagrum()
    twice = {1: [0, 1], "1": [0, 1]}
    with pytest.raises(ValueError, match="variables that differ as text; '1' stands for"):
        bt.BayesianNetwork(twice, cpts={name: [0.5, 0.5] for name in twice}).to_pyagrum()


def test_pyagrum_needs_probabilities():
    with pytest.raises(ValueError, match="structure alone"):
        bt.BayesianNetwork({"a": [0, 1]}).to_pyagrum()
    model = gum.BayesNet()
    model.add(gum.LabelizedVariable("a", "", ["no", "yes"]))
    with pytest.raises(ValueError, match="'a' must not be negative and sum to 1"):
        bt.BayesianNetwork.from_pyagrum(model)


@pytest.mark.parametrize("package", ["networkx", "pgmpy", "pyagrum"])
def test_a_package_that_is_not_there_is_named(network, package, monkeypatch):
    def refuse(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(ImportError, match=f"to_{package} needs {package}.*pip install {package}"):
        getattr(network, f"to_{package}")()
