import time

import pytest

import baytree as bt
from baytree.learning.search_problem import check_problem
from search_problems import search_problem


@pytest.mark.parametrize(
    ("max_treewidth", "max_parents", "expected"), [(3, None, 3), (3, 2, 2), (3, 9, 3)]
)
def test_parents_are_never_more_than_the_treewidth(max_treewidth, max_parents, expected):
    problem = search_problem(
        5, max_treewidth=max_treewidth, constraints=bt.ArcConstraints(max_parents=max_parents)
    )
    assert problem.settings.max_parents == expected


@pytest.mark.parametrize(("given", "expected"), [(None, None), (7, 7), (10**30, 2**62)])
def test_iterations_are_as_many_as_can_be_counted(given, expected):
    assert search_problem(5, max_iterations=given).settings.max_iterations == expected


def test_the_deadline_counts_from_the_start():
    started = time.monotonic() - 100
    assert search_problem(5, time_limit=3, started=started).settings.deadline == started + 3


def start_of(start):
    """Parents and elimination order that a search is given for a start."""
    return check_problem(
        search_problem(4, search="anneal").settings,
        "abcd",
        constraints=None,
        initial_network=start,
    ).start


def test_a_network_brings_the_order_that_proves_its_width():
    arcs = [("a", "b"), ("b", "c"), ("b", "d")]
    expected = [[], [0], [1], [1]]
    parents, order = start_of(bt.BayesianNetwork([*"abcd"], arcs))
    assert (parents, sorted(order)) == (expected, [0, 1, 2, 3])
    assert order.index(1) >= 2  # the centre of the star goes when two of its leaves are gone
    assert start_of(arcs) == (expected, [])


def test_no_start_is_none():
    assert start_of(None) is None
