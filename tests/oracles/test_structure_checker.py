"""The checker accepts what is right and sees through fakes."""

import pytest

from structure_checker import check_structure

# The moral graph of a -> b -> d, a -> c -> d is the 4-cycle with the chord b - c: width 2.
DIAMOND = {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}
DIAMOND_BAGS = [("a", "b", "c"), ("b", "c", "d")]


def test_a_decomposition_of_a_diamond_is_accepted():
    check_structure(DIAMOND, DIAMOND_BAGS, [(0, 1)], 2)


def test_numbered_variables_and_a_chain_of_bags_are_accepted():
    check_structure([[], [0], [1], [2]], [(0, 1), (1, 2), (2, 3)], [(1, 0), (1, 2)], 1)


def test_a_forest_of_bags_is_accepted():
    check_structure([[], [0], [], [2]], [(0, 1), (2, 3)], [], 1)


def test_a_bag_inside_another_is_accepted():
    check_structure(DIAMOND, [*DIAMOND_BAGS, ("d",)], [(0, 1), (1, 2)], 2)


@pytest.mark.parametrize(
    ("parents", "bags", "edges", "reason"),
    [
        ([[1], [0]], [(0, 1)], [], r"the arcs among \[0, 1\] form a cycle"),
        ([[0]], [(0,)], [], r"the arcs among \[0\] form a cycle"),
        ([[2], [0], [1], []], [(0, 1, 2), (3,)], [], r"the arcs among \[0, 1, 2\] form a cycle"),
        ([[], [2]], [(0, 1)], [], "parent 2 of 1 is not a variable"),
        ([[], [0, 0]], [(0, 1)], [], "1 has a parent twice"),
        ([[], [0]], [(0, 1), (0, 0)], [(0, 1)], "bag 1 holds a variable twice"),
        ([[], [0]], [(0, 1, 2)], [], "bag 0 holds something that is no variable"),
        ([[], [0], [0, 1], [0, 1, 2]], [(0, 1, 2, 3)], [], "bag 0 has width 3"),
        ([[], [0], []], [(0, 1)], [], r"in no bag: \[2\]"),
        ([[], [0]], [], [], r"in no bag: \[0, 1\]"),
        ([[], [0], [0, 1]], [(0, 1), (0, 2), (1, 2)], [(0, 1)], "no bag holds 2 and its parents"),
        ([[], [0]], [(0,), (1,)], [(0, 1)], "no bag holds 1 and its parents"),
        ([[], [0]], [(0, 1)], [(0, 0)], r"edge \(0, 0\) closes a cycle"),
        ([[], [0]], [(0, 1), (0, 1)], [(0, 1), (1, 0)], r"edge \(1, 0\) closes a cycle"),
        ([[], [0]], [(0, 1)] * 3, [(0, 1), (1, 2), (2, 0)], r"edge \(2, 0\) closes a cycle"),
        ([[], [0]], [(0, 1), (1,)], [(0, 2)], r"edge \(0, 2\) leads to no bag"),
        ([[], [0]], [(0, 1), (1,)], [(0, -1)], r"edge \(0, -1\) leads to no bag"),
        ([[], [0], [1]], [(0, 1), (1, 2)], [], "the bags of 1 are not connected"),
    ],
)
def test_a_fake_is_rejected_with_its_reason(parents, bags, edges, reason):
    with pytest.raises(AssertionError, match=reason):
        check_structure(parents, bags, edges, 2)


def test_one_bag_for_each_family_without_connection_is_rejected():
    families = [("a",), ("a", "b"), ("a", "c"), ("b", "c", "d")]
    with pytest.raises(AssertionError, match="are not connected"):
        check_structure(DIAMOND, families, [], 2)


def test_no_tree_over_the_families_of_a_long_cycle_is_accepted():
    """A ring of five has width 2, but its families alone cannot be joined."""
    ring = [[], [0], [1], [2], [3, 0]]
    families = [(0, 1), (1, 2), (2, 3), (3, 0, 4)]
    for edges in ([(0, 1), (1, 2), (2, 3)], [(1, 2), (2, 3), (3, 0)], [(0, 1), (0, 2), (0, 3)]):
        with pytest.raises(AssertionError, match="are not connected"):
            check_structure(ring, families, edges, 2)


def test_a_variable_that_skips_a_bag_on_the_way_is_rejected():
    with pytest.raises(AssertionError, match="the bags of 0 are not connected"):
        check_structure([[], [0], [1], [2, 0]], [(0, 1), (1, 2), (2, 0, 3)], [(0, 1), (1, 2)], 2)


def test_the_width_is_held_to_the_bound_given():
    with pytest.raises(AssertionError, match="bag 0 has width 2"):
        check_structure(DIAMOND, DIAMOND_BAGS, [(0, 1)], 1)
