from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core
from random_networks import random_parents
from structure_checker import check_structure
from treewidth_oracle import elimination_bags, moral_edges


@given(st.integers(1, 14), st.integers(0, 5), st.randoms(use_true_random=False))
def test_bags_are_the_largest_of_those_that_elimination_gives(n_variables, max_parents, random):
    parents = random_parents(random, n_variables, max_parents)
    order = random.sample(range(n_variables), n_variables)
    decomposition = _core.decompose(parents, order)
    bags = [frozenset(bag) for bag in decomposition.bags]
    eliminated = [frozenset(bag) for bag in elimination_bags(moral_edges(parents), order)]
    assert set(bags) == {bag for bag in eliminated if not any(bag < other for other in eliminated)}
    assert len(set(bags)) == len(bags)
    assert all(list(bag) == sorted(bag) for bag in decomposition.bags)
    assert decomposition.width == max(map(len, eliminated)) - 1
    check_structure(parents, decomposition.bags, decomposition.edges, decomposition.width)


@given(st.integers(1, 14), st.integers(0, 5), st.randoms(use_true_random=False))
def test_an_order_along_the_bags_puts_none_together_that_share_no_bag(n_variables, most, random):
    parents = random_parents(random, n_variables, most)
    found = _core.decompose(parents, random.sample(range(n_variables), n_variables))
    shuffled = [random.sample(bag, len(bag)) for bag in found.bags]
    for order in (found.elimination_order, _core.order_along(shuffled, found.edges)):
        assert sorted(order) == list(range(n_variables))
        for bag in elimination_bags(moral_edges(parents), order):
            assert any(bag <= set(other) for other in found.bags)


@pytest.mark.parametrize("edge", [(0, 2), (1, 1)])
def test_an_edge_joins_two_bags(edge):
    with pytest.raises(ValueError, match="two bags"):
        _core.order_along([[0], [1]], [edge])


def test_no_bag_lies_inside_another_in_a_long_chain():
    parents = [[], *([v - 1] for v in range(1, 500))]
    for order in (list(range(500)), list(range(499, -1, -1))):
        bags = [set(bag) for bag in _core.decompose(parents, order).bags]
        assert len(bags) == 499
        assert not any(a <= b or b <= a for a, b in combinations(bags, 2))


def test_no_variables_have_no_bags():
    decomposition = _core.decompose([], [])
    assert (decomposition.bags, decomposition.edges, decomposition.width) == ([], [], 0)


@pytest.mark.parametrize("order", [[0], [0, 0], [0, 2], [0, 1, 1]])
def test_an_order_holds_every_variable_once(order):
    with pytest.raises(ValueError, match="every variable once"):
        _core.decompose([[], [0]], order)


@pytest.mark.parametrize("parents", [[[], [1]], [[], [2]], [[], [0, 0]]])
def test_parents_are_other_variables_each_named_once(parents):
    with pytest.raises(ValueError, match="parent"):
        _core.decompose(parents, [0, 1])
