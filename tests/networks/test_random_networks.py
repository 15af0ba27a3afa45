from collections import Counter

import networkx as nx
import numpy as np
import pytest
from scipy.stats import chisquare, kstest

import baytree as bt


@pytest.fixture(scope="module")
def network():
    return bt.random_network(400, random_state=0)


def test_the_same_seed_gives_the_same_network(network):
    again = bt.random_network(400, random_state=0)
    assert network.variables == again.variables
    assert network.equals(again, tolerance=0)
    assert network != bt.random_network(400, random_state=1)


def test_a_random_state_goes_on():
    state = np.random.RandomState(3)
    one, two = (bt.random_network(20, random_state=state) for _ in range(2))
    assert one != two
    assert one == bt.random_network(20, random_state=np.random.RandomState(3))


def test_none_takes_the_seed_of_numpy():
    np.random.seed(5)
    one = bt.random_network(20)
    np.random.seed(5)
    assert one == bt.random_network(20) != bt.random_network(20)


def test_a_network_is_connected_and_keeps_to_its_limits(network):
    graph = network.to_networkx()
    assert nx.is_weakly_connected(graph)
    assert max(dict(graph.degree).values()) == 6
    assert {len(network.states(name)) for name in network.variables} == {2, 3}
    assert network.variables[:2] == ("X0", "X1")
    assert network.states("X0") in ((0, 1), (0, 1, 2))


def test_a_network_is_like_those_of_the_paper(network):
    """Figures of the authors' network of 2000 variables: 2.98 arcs each, and these parents."""
    assert len(network.arcs) / 400 == pytest.approx(2.97, abs=0.03)
    counts = Counter(len(network.parents(name)) for name in network.variables)
    published = np.array([0.06, 0.14, 0.20, 0.20, 0.21, 0.13, 0.06])
    assert [counts[n] / 400 for n in range(7)] == pytest.approx(published, abs=0.06)


def test_distributions_are_uniform_on_the_simplex(network):
    by_arity = {2: [], 3: []}
    for name in network.variables:
        cpt = network.cpt(name).to_numpy()
        by_arity[cpt.shape[1]].append(cpt)
    two, three = (np.concatenate(by_arity[arity]) for arity in (2, 3))
    assert kstest(two[:, 0], "uniform").pvalue > 0.01
    assert kstest(three[:, 1], lambda x: 1 - (1 - x) ** 2).pvalue > 0.01


def test_numbers_of_states_are_equally_likely():
    network = bt.random_network(1000, max_states=5, random_state=0)
    counts = Counter(len(network.states(name)) for name in network.variables)
    assert counts.keys() == {2, 3, 4, 5}
    assert chisquare(list(counts.values())).pvalue > 0.01


@pytest.mark.parametrize("n_variables", [1, 2, 3])
def test_small_networks_exist(n_variables):
    network = bt.random_network(n_variables, random_state=0)
    assert len(network.variables) == n_variables
    assert len(network.arcs) in range(n_variables - 1, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_variables": 0}, "n_variables must be an integer of at least 1; got 0"),
        ({"n_variables": 2.5}, "n_variables must be an integer"),
        ({"n_variables": 3, "max_degree": 1}, "max_degree must be at least 2, so that 3 .* got 1"),
        ({"n_variables": 3, "max_states": 1}, "max_states must be an integer of at least 2"),
        ({"n_variables": 3, "max_states": 10**12}, "max_states is too large"),
        ({"n_variables": 3, "random_state": -1}, "random_state must be from 0"),
    ],
)
def test_impossible_limits_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        bt.random_network(**options)
