import pytest

from baytree import BayesianNetwork
from baytree.exceptions import UnknownVariableError
from baytree.learning.constraints import (
    CliqueLimits,
    PositionalConstraints,
    check_initial_network,
    check_within_limits,
    proven_order,
)
from baytree.networks.decomposition import TreeDecomposition

NAMES = ("a", "b", "c", "d")
CHAIN = [("a", "b"), ("b", "c")]
FREE = PositionalConstraints([[], [], [], []], [[], [], [], []])


@pytest.mark.parametrize(
    "start",
    [
        BayesianNetwork(["a", "b", "c"], CHAIN),
        CHAIN,
        iter(CHAIN),
        {"b": ["a"], "c": ("b",), "a": []},
    ],
)
def test_a_start_becomes_lists_of_parents(start):
    assert check_initial_network(start, NAMES, FREE, max_parents=2) == [[], [0], [1], []]


@pytest.mark.parametrize("start", [BayesianNetwork(["a", "z"]), {"z": []}, [("z", "a")]])
def test_a_start_over_other_variables_is_refused(start):
    with pytest.raises(UnknownVariableError, match="initial_network names 'z'"):
        check_initial_network(start, NAMES, FREE, max_parents=2)


def test_a_clique_is_held_to_its_size_and_its_states():
    limits = CliqueLimits(2, 10, [2, 3, 4, 2])
    assert limits.allow([0, 1])
    assert not limits.allow([0, 1, 2])
    assert not limits.allow([0, 1, 2, 3])
    assert CliqueLimits(2, 10, []).allow([0, 1, 2])


def test_a_network_proves_its_width_by_its_own_decomposition():
    network = BayesianNetwork(["a", "b", "c"], CHAIN)
    order = proven_order(network, NAMES, CliqueLimits(1, 6, [2, 2, 3, 9]))
    assert sorted(order) == [0, 1, 2, 3]
    assert order.index(1) > min(order.index(0), order.index(2))  # the middle goes after an end
    assert not proven_order(network, NAMES, CliqueLimits(1, 5, [2, 2, 3, 9]))
    wide = BayesianNetwork(
        ["a", "b", "c"], CHAIN, decomposition=TreeDecomposition((("a", "b", "c"),), ())
    )
    assert not proven_order(wide, NAMES, CliqueLimits(1, 6, []))
    assert not proven_order(CHAIN, NAMES, CliqueLimits(5, 99, []))


def test_arcs_beyond_the_limits_are_named():
    parents = [[], [0], [0, 1], []]
    check_within_limits("The arcs", NAMES, parents, CliqueLimits(2, 12, [2, 2, 3, 2]))
    with pytest.raises(ValueError, match=r"The arcs have treewidth 2,.* max_treewidth is 1"):
        check_within_limits("The arcs", NAMES, parents, CliqueLimits(1, 12, [2, 2, 3, 2]))
    with pytest.raises(
        ValueError, match="The arcs put 'a', 'b', 'c' into one clique, which has 12"
    ):
        check_within_limits("The arcs", NAMES, parents, CliqueLimits(2, 11, [2, 2, 3, 2]))
