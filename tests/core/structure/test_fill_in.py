from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree import _core_testing
from core_calls import core_dag
from random_networks import random_parents
from treewidth_oracle import elimination_bags, moral_edges


def fill_in_of(n_variables, max_treewidth, *, max_states=np.inf, arities=()):
    return _core_testing.FillIn(
        n_variables, max_treewidth=max_treewidth, max_states=max_states, arities=list(arities)
    )


def bags_of(fill_in):
    """Order, and each variable with its later neighbours in that order."""
    order = fill_in.elimination_order
    return order, [{variable, *fill_in.later_neighbours(variable)} for variable in order]


def edges_of(fill_in):
    order, bags = bags_of(fill_in)
    return {
        frozenset((variable, other))
        for variable, bag in zip(order, bags, strict=True)
        for other in bag - {variable}
    }


def check_triangulation(fill_in, edges, *, max_treewidth, max_states=np.inf, arities=()):
    """Later neighbours hold the graph, are filled in as elimination does, and fit into bags."""
    order, bags = bags_of(fill_in)
    n_variables = len(order)
    assert sorted(order) == list(range(n_variables))
    for i, variable in enumerate(order):
        later = fill_in.later_neighbours(variable)
        assert len(set(later)) == len(later) <= max_treewidth
        assert set(later) <= set(order[i + 1 :])
        if later and len(arities):
            assert np.prod(np.take(arities, [variable, *later])) <= max_states
    filled = edges_of(fill_in)
    assert set(edges) <= filled
    assert elimination_bags(filled, order) == bags
    for a, b in combinations(range(n_variables), 2):
        is_edge = frozenset((a, b)) in filled
        assert fill_in.are_neighbours(a, b) == fill_in.are_neighbours(b, a) == is_edge


class Walk:
    """A fill-in and the edges it must hold, changed side by side."""

    def __init__(self, random, n_variables, **bounds):
        self.random, self.n_variables, self.bounds = random, n_variables, bounds
        self.fill_in, self.edges = fill_in_of(n_variables, **bounds), set()

    def connect_some(self):
        """Connect pairs until one does not fit; then, or by lot, take all of them back."""
        before, added = bags_of(self.fill_in), set()
        for _ in range(self.random.randint(1, 4)):
            pair = self.random.sample(range(self.n_variables), 2)
            if not self.fill_in.connect(*pair):
                break
            added.add(frozenset(pair))
        else:
            if self.random.random() < 0.7:
                self.fill_in.keep()
                self.edges |= added
                return
        self.fill_in.undo()
        assert bags_of(self.fill_in) == before

    def isolate_one(self):
        variable = self.random.randrange(self.n_variables)
        apart = {edge for edge in edges_of(self.fill_in) if variable not in edge}
        self.fill_in.isolate(variable)
        self.edges = {edge for edge in self.edges if variable not in edge}
        assert self.fill_in.elimination_order[0] == variable
        assert edges_of(self.fill_in) == apart

    def rebuild_from_some_network(self):
        parents = random_parents(self.random, self.n_variables, self.bounds["max_treewidth"])
        before = bags_of(self.fill_in)
        if self.fill_in.rebuild(core_dag(parents), seed=self.random.randrange(2**32)):
            self.edges = set(moral_edges(parents))
            order, bags = bags_of(self.fill_in)
            assert bags == elimination_bags(self.edges, order)
        else:
            assert bags_of(self.fill_in) == before

    def refresh_from_a_part(self):
        """The moral edges of a network inside the graph are all that is left, with their fill-in.

        Each variable takes some of its later neighbours as parents, which are a clique.
        """
        order, bags = bags_of(self.fill_in)
        parents = [[] for _ in order]
        for variable, bag in zip(order, bags, strict=True):
            parents[variable] = sorted(v for v in bag - {variable} if self.random.random() < 0.5)
        assert self.fill_in.refresh(core_dag(parents))
        self.edges = set(moral_edges(parents))
        assert bags_of(self.fill_in) == (order, elimination_bags(self.edges, order))

    def refresh_in_an_order(self):
        """Any order and network; if bags do not fit, an earlier order makes all well again."""
        parents = random_parents(self.random, self.n_variables, self.bounds["max_treewidth"])
        order = self.random.sample(range(self.n_variables), self.n_variables)
        edges, before = set(moral_edges(parents)), self.fill_in.elimination_order
        fits = all(map(self.is_bag, elimination_bags(edges, order)))
        assert self.fill_in.refresh(core_dag(parents), order) == fits
        if not fits:
            edges = set()
            assert self.fill_in.refresh(core_dag([[]] * self.n_variables), before)
        self.edges = edges

    def is_bag(self, bag):
        n_states = np.prod(np.take(self.bounds.get("arities", np.ones(20)), list(bag)))
        fits = len(bag) == 1 or n_states <= self.bounds.get("max_states", np.inf)
        return fits and len(bag) <= self.bounds["max_treewidth"] + 1

    def step(self):
        steps = [self.connect_some] * 6 + [self.isolate_one, self.rebuild_from_some_network]
        steps += [self.refresh_from_a_part, self.refresh_in_an_order]
        self.random.choice(steps)()
        check_triangulation(self.fill_in, self.edges, **self.bounds)


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(1, 5), st.randoms(use_true_random=False))
def test_any_changes_leave_a_triangulation_of_the_graph(n_variables, max_treewidth, random):
    walk = Walk(random, n_variables, max_treewidth=max_treewidth)
    for _ in range(25):
        walk.step()


@settings(max_examples=40)
@given(st.integers(2, 7), st.integers(2, 40), st.randoms(use_true_random=False))
def test_bags_keep_to_the_product_of_arities(n_variables, max_states, random):
    arities = [random.randint(1, 5) for _ in range(n_variables)]
    walk = Walk(random, n_variables, max_treewidth=3, max_states=max_states, arities=arities)
    for _ in range(25):
        walk.step()


@given(st.integers(2, 7), st.randoms(use_true_random=False))
def test_an_edge_is_refused_only_where_the_order_makes_a_bag_too_large(n_variables, random):
    for max_treewidth in range(1, n_variables):
        fill_in, edges = fill_in_of(n_variables, max_treewidth), set()
        order = fill_in.elimination_order
        for pair in combinations(range(n_variables), 2):
            if random.random() < 0.5:
                continue
            wanted = elimination_bags(edges | {frozenset(pair)}, order)
            fits = max(map(len, wanted)) <= max_treewidth + 1
            assert fill_in.connect(*pair) == fits
            if fits:
                fill_in.keep()
                edges.add(frozenset(pair))
            else:
                fill_in.undo()
            assert bags_of(fill_in)[1] == elimination_bags(edges, order)


def test_a_bag_of_a_single_variable_always_fits():
    fill_in = fill_in_of(3, 2, max_states=4, arities=[9, 2, 2])
    assert fill_in.rebuild(core_dag([[], [], [1]]), seed=0)
    assert edges_of(fill_in) == {frozenset((1, 2))}
    assert not fill_in.rebuild(core_dag([[], [0], []]), seed=0)
    assert not fill_in.connect(0, 1)


@pytest.mark.parametrize("max_treewidth", [10, 10**12, 2**64 - 1])
def test_a_treewidth_beyond_the_number_of_variables_costs_nothing(max_treewidth):
    fill_in = fill_in_of(6, max_treewidth)
    assert all(fill_in.connect(a, b) for a, b in combinations(range(6), 2))
    check_triangulation(fill_in, edges_of(fill_in), max_treewidth=5)
    assert len(edges_of(fill_in)) == 15
    assert fill_in.rebuild(core_dag([[], [0], [0, 1], [0, 1, 2], [0, 1, 2, 3], []]), seed=0)
    assert len(edges_of(fill_in)) == 10


@pytest.mark.parametrize("seed", range(3))
def test_a_large_graph_stays_triangulated(seed):
    random = np.random.default_rng(seed)
    fill_in, edges = fill_in_of(150, 4), set()
    for a, b in random.integers(0, 150, (1500, 2)).tolist():
        if a == b:
            continue
        if fill_in.connect(a, b):
            fill_in.keep()
            edges.add(frozenset((a, b)))
        else:
            fill_in.undo()
    assert len(edges) > 50
    check_triangulation(fill_in, edges, max_treewidth=4)


def test_states_are_those_of_all_bags():
    parents, order = [[], [0], [0], [1, 2]], [3, 2, 1, 0]
    for arities, expected in [
        ([2, 3, 4, 5], 5 * 3 * 4 + 4 * 3 * 2 + 3 * 2 + 2),
        ([], 8 + 8 + 4 + 2),
    ]:
        fill_in = fill_in_of(4, 2, arities=arities)
        assert fill_in.refresh(core_dag(parents), order)
        assert fill_in.total_states == expected


def test_what_does_not_fit_the_variables_is_refused():
    fill_in = _core_testing.FillIn(3, max_treewidth=2, max_states=np.inf, arities=[])
    for call in (fill_in.later_neighbours, fill_in.isolate):
        with pytest.raises(IndexError, match="no such variable"):
            call(3)
    for call in (fill_in.connect, fill_in.are_neighbours):
        with pytest.raises(IndexError, match="no such variable"):
            call(0, 3)
    larger = _core_testing.OrderedDag(4, max_parents=1)
    with pytest.raises(ValueError, match="the same variables"):
        fill_in.rebuild(larger, seed=0)
    with pytest.raises(ValueError, match="the same variables"):
        fill_in.refresh(larger)
    with pytest.raises(ValueError, match="every variable once"):
        fill_in.refresh(_core_testing.OrderedDag(3, max_parents=1), [0, 1, 3])
    with pytest.raises(ValueError, match="one arity a variable"):
        _core_testing.FillIn(3, max_treewidth=2, max_states=4.0, arities=[2])
