import random
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baytree as bt
from baytree.exceptions import UnknownVariableError
from random_networks import random_parents

ARCS = [("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery"), ("cold", "rain")]
NAMES = ["slippery", "wet", "sprinkler", "rain", "cold"]


@pytest.fixture
def network():
    return bt.BayesianNetwork(NAMES, ARCS)


def network_of(parents):
    arcs = [(parent, child) for child, members in enumerate(parents) for parent in members]
    return bt.BayesianNetwork(range(len(parents)), arcs)


def random_structure(seed, n_variables=12, max_parents=3):
    return network_of(random_parents(random.Random(seed), n_variables, max_parents))


def graph_of(network):
    graph = nx.DiGraph()
    graph.add_nodes_from(network.variables)
    graph.add_edges_from(network.arcs)
    return graph


@pytest.mark.parametrize("seed", range(20))
def test_relatives_are_those_of_networkx(seed):
    network = random_structure(seed)
    graph = graph_of(network)
    for variable in network.variables:
        assert network.children(variable) == tuple(sorted(graph.successors(variable)))
        assert network.ancestors(variable) == tuple(sorted(nx.ancestors(graph, variable)))
        assert network.descendants(variable) == tuple(sorted(nx.descendants(graph, variable)))


@pytest.mark.parametrize("seed", range(10))
def test_a_blanket_is_the_smallest_set_that_separates_from_the_rest(seed):
    network = random_structure(seed, 8)
    for variable in network.variables:
        others = set(network.variables) - {variable}
        smallest = next(
            set(blanket)
            for size in range(9)
            for blanket in combinations(sorted(others), size)
            if nx.is_d_separator(graph_of(network), {variable}, others - {*blanket}, {*blanket})
        )
        assert set(network.markov_blanket(variable)) == smallest


def test_relatives_come_in_the_order_of_the_variables(network):
    assert network.children("rain") == ("wet",)
    assert network.markov_blanket("rain") == ("wet", "sprinkler", "cold")
    assert network.ancestors("slippery") == ("wet", "sprinkler", "rain", "cold")
    assert network.descendants("cold") == ("slippery", "wet", "rain")


@given(st.integers(0, 10**6), st.data())
def test_separation_is_that_of_networkx(seed, data):
    network = random_structure(seed, 9)
    group = {v: data.draw(st.sampled_from(["a", "b", "given", "none"])) for v in network.variables}
    a, b, known = ({v for v in group if group[v] == word} for word in ("a", "b", "given"))
    expected = not a or not b or nx.is_d_separator(graph_of(network), a, b, known)
    assert network.is_d_separated(a, b, known) == expected


def test_separation_takes_a_name_or_several(network):
    assert network.is_d_separated("rain", "sprinkler")
    assert network.is_d_separated("rain", ["sprinkler"], given=())
    assert not network.is_d_separated("rain", {"sprinkler", "cold"})
    assert not network.is_d_separated("cold", "sprinkler", given="slippery")
    assert network.is_d_separated(("cold", "sprinkler"), "slippery", given=iter(["wet"]))


def test_a_tuple_that_is_a_name_is_one_variable():
    network = bt.BayesianNetwork(["a", "b", ("a", "b")], [("a", ("a", "b"))])
    assert network.is_d_separated(("a", "b"), "b")
    assert not network.is_d_separated(("a", "b"), "a")


@pytest.mark.parametrize(
    "groups", [("rain", "rain"), ("rain", "wet", "wet"), ("wet", "rain", ["wet", "cold"])]
)
def test_groups_that_share_a_variable_are_refused(network, groups):
    with pytest.raises(ValueError, match=r"not share a variable; two of them have '(rain|wet)'"):
        network.is_d_separated(*groups)


def test_unknown_variables_are_named(network):
    for ask in (network.children, network.markov_blanket, network.ancestors, network.descendants):
        with pytest.raises(UnknownVariableError, match="no variable 'snow'"):
            ask("snow")
    for groups in (("snow", "rain"), ("rain", ["cold", "snow"]), ("rain", "cold", "snow")):
        with pytest.raises(UnknownVariableError, match="no variable 'snow'"):
            network.is_d_separated(*groups)


def equivalence_class(network):
    """All networks with the same connections and colliders, by trying every direction."""
    variables, arcs = network.variables, network.arcs
    for turns in product([False, True], repeat=len(arcs)):
        turned = [arc[::-1] if turn else arc for arc, turn in zip(arcs, turns, strict=True)]
        graph = nx.DiGraph(turned)
        graph.add_nodes_from(variables)
        if nx.is_directed_acyclic_graph(graph) and colliders(graph) == colliders(graph_of(network)):
            yield set(turned)


def colliders(graph):
    return {
        (child, pair)
        for child in graph
        for pair in map(frozenset, combinations(graph.predecessors(child), 2))
        if not graph.has_edge(*pair) and not graph.has_edge(*reversed([*pair]))
    }


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 4))
def test_arcs_of_a_cpdag_are_those_of_the_whole_equivalence_class(seed, n_variables, max_parents):
    network = random_structure(seed, n_variables, max_parents)
    members = list(equivalence_class(network))
    shared = set.intersection(*members)
    cpdag = network.to_cpdag()
    assert set(cpdag.arcs) == shared
    turning = {frozenset(arc) for arc in network.arcs if arc not in shared}
    assert {frozenset(edge) for edge in cpdag.edges} == turning
    assert len(cpdag.edges) == len(turning)
    for arcs in members:
        assert bt.BayesianNetwork(network.variables, arcs).to_cpdag() == cpdag


def test_a_cpdag_is_equal_in_any_order(network):
    cpdag = network.to_cpdag()
    again = bt.BayesianNetwork(sorted(NAMES), ARCS[::-1]).to_cpdag()
    assert (cpdag == again, hash(cpdag) == hash(again)) == (True, True)
    assert cpdag != bt.BayesianNetwork(NAMES, ARCS[1:]).to_cpdag()
    assert cpdag != "cpdag"
    assert repr(cpdag) == "Cpdag(5 variables, 3 arcs, 1 edge)"


def brute_force_distance(one, other):
    """Compare the connection of every pair of variables."""

    def connection(cpdag, a, b):
        has_edge = (a, b) in cpdag.edges or (b, a) in cpdag.edges
        return (a, b) in cpdag.arcs, (b, a) in cpdag.arcs, has_edge

    return sum(
        connection(one, a, b) != connection(other, a, b) for a, b in combinations(one.variables, 2)
    )


@pytest.mark.parametrize("seed", range(20))
def test_distance_counts_the_pairs_that_differ(seed):
    one, other = random_structure(seed), random_structure(seed + 1000)
    distance = one.structural_hamming_distance(other)
    assert distance == brute_force_distance(one.to_cpdag(), other.to_cpdag()) > 0
    assert distance == other.structural_hamming_distance(one)
    assert one.structural_hamming_distance(one) == 0


def test_distance_of_dags_counts_turned_arcs_once(network):
    turned = bt.BayesianNetwork(sorted(NAMES), [*ARCS[:3], ("rain", "cold")])
    assert network.structural_hamming_distance(turned) == 0
    assert network.structural_hamming_distance(turned, graph="dag") == 1
    assert network.structural_hamming_distance(bt.BayesianNetwork(NAMES), graph="dag") == 4


@pytest.mark.parametrize(
    ("other", "options", "message"),
    [
        (bt.BayesianNetwork([*NAMES, "snow"]), {}, "this network lacks 'snow'"),
        (bt.BayesianNetwork(NAMES[1:]), {}, "other lacks 'slippery'"),
        ("network", {}, "other must be a BayesianNetwork; got 'network'"),
        (bt.BayesianNetwork(NAMES), {"graph": "pdag"}, 'graph must be one of "cpdag", "dag"'),
    ],
)
def test_distance_refuses_what_does_not_compare(network, other, options, message):
    with pytest.raises(ValueError, match=message):
        network.structural_hamming_distance(other, **options)


def test_adjacency_has_parents_in_rows(network):
    adjacency = network.adjacency()
    assert list(adjacency.index) == list(adjacency.columns) == NAMES
    assert {(p, c) for p in NAMES for c in NAMES if adjacency.loc[p, c]} == {*ARCS}
    assert adjacency.to_numpy().sum() == len(ARCS)


def made(order, *, shift=0.0):
    """Return one network with its variables in some order."""
    states = {"rain": ["no", "yes"], "cold": [0, 1, 2], "wet": ["dry", "wet"]}
    rows = np.array([[[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]], [[0.4, 0.6], [0.3, 0.7], [0.2, 0.8]]])
    if order.index("cold") < order.index("rain"):
        rows = rows.transpose(1, 0, 2)
    cpts = {"rain": [0.8 - shift, 0.2 + shift], "cold": [0.2, 0.3, 0.5], "wet": rows}
    arcs = [("rain", "wet"), ("cold", "wet")]
    return bt.BayesianNetwork({name: states[name] for name in order}, arcs, cpts=cpts)


def test_equals_compares_probabilities_in_any_order_of_variables():
    network = made(["rain", "cold", "wet"])
    assert network.equals(made(["wet", "cold", "rain"]), tolerance=0)
    assert network.equals(made(["rain", "cold", "wet"], shift=1e-12))
    assert not network.equals(made(["rain", "cold", "wet"], shift=1e-12), tolerance=0)
    assert not network.equals(made(["cold", "rain", "wet"], shift=1e-6))


def test_states_that_are_equal_in_python_alone_make_different_networks():
    numbers, truths, floats = (
        bt.BayesianNetwork({"wet": states}, cpts={"wet": [0.5, 0.5]})
        for states in ([0, 1], [False, True], [0.0, 1.0])
    )
    assert numbers != truths
    assert not truths.equals(numbers)
    assert numbers == floats


def test_equals_compares_structures(network):
    assert network.equals(bt.BayesianNetwork(NAMES[::-1], ARCS))
    assert not network.equals(bt.BayesianNetwork(NAMES, ARCS[1:]))
    probable = made(["rain", "cold", "wet"])
    states = {name: probable.states(name) for name in probable.variables}
    structure = bt.BayesianNetwork(states, probable.arcs)
    assert probable != structure
    assert not probable.equals(structure)
    assert not structure.equals(probable)
    assert not network.equals("network")
    with pytest.raises(ValueError, match="tolerance must be a positive number"):
        network.equals(network, tolerance=-1)


def test_a_network_of_thousands_answers_too():
    n_variables = 5000
    network = random_structure(0, n_variables, 2)
    assert len(network.to_cpdag().arcs) + len(network.to_cpdag().edges) == len(network.arcs)
    variable, *_, other = network.variables
    blanket = network.markov_blanket(variable)
    assert network.is_d_separated(variable, {other} - {*blanket}, blanket)
