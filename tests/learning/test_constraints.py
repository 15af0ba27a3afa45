from itertools import pairwise

import pytest

from baytree.exceptions import UnknownVariableError
from baytree.learning.constraints import ArcConstraints, check_constraints

VARIABLES = ("a", "b", 3, ("d", 4))


def constraints(required=(), forbidden=(), tiers=None, max_parents=2):
    given = ArcConstraints(required, forbidden, tiers)
    return check_constraints(given, VARIABLES, max_parents=max_parents)


def test_arcs_become_ascending_parents_by_child():
    found = constraints([(3, "a"), ("b", "a"), (3, "a")], iter([[("d", 4), "b"]]))
    assert found.required == [(1, 2), (), (), ()]
    assert found.forbidden == [(), (3,), (), ()]


@pytest.mark.parametrize("tiers", [None, [[3], ["a", "b"], [("d", 4)]]])
@pytest.mark.parametrize("forbidden", [(), [("a", "b"), (("d", 4), "a"), (3, "b")]])
def test_possible_parents_are_those_whose_arcs_are_allowed(tiers, forbidden):
    found = constraints(forbidden=forbidden, tiers=tiers)
    places = range(len(VARIABLES))
    for child in places:
        allowed = [parent for parent in places if parent != child and found.allow(parent, child)]
        assert found.n_possible_parents(child) == len(allowed)


@pytest.mark.parametrize("arc", ["ab", ("a",), ("a", "b", 3), 7, None])
@pytest.mark.parametrize("argument", ["required", "forbidden"])
def test_what_is_no_pair_is_named(arc, argument):
    with pytest.raises(ValueError, match=rf"{argument} must hold pairs \(parent, child\)"):
        constraints(**{argument: [arc]})


@pytest.mark.parametrize("arc", [("a", "e"), ("e", "a"), ("a", "3")])
@pytest.mark.parametrize("argument", ["required", "forbidden"])
def test_an_arc_of_an_unknown_variable_is_named(arc, argument):
    unknown = next(end for end in arc if end not in VARIABLES)
    with pytest.raises(UnknownVariableError, match=f"{argument} names {unknown!r}"):
        constraints(**{argument: [arc]})


@pytest.mark.parametrize("argument", ["required", "forbidden"])
def test_an_arc_to_itself_is_named(argument):
    with pytest.raises(ValueError, match=f"{argument} has an arc from 'b' to itself. Take it out"):
        constraints(**{argument: [("b", "b")]})


def test_an_arc_both_required_and_forbidden_is_named():
    with pytest.raises(ValueError, match="from 'a' to 3 is both required and forbidden"):
        constraints([("a", 3)], [("b", 3), ("a", 3)])


def test_more_required_parents_than_allowed_are_named():
    with pytest.raises(
        ValueError, match=r"gives variable 'a' 2 parents; max_parents is 1\. Raise it, or"
    ):
        constraints([("b", "a"), (3, "a")], max_parents=1)


def test_a_cycle_is_spelt_out_along_its_arcs():
    with pytest.raises(ValueError, match="form a cycle") as caught:
        constraints([("a", "b"), ("b", 3), (3, "a")])
    cycle = str(caught.value).split(": ")[1].split(". Take")[0].split(" -> ")
    arcs = {("'a'", "'b'"), ("'b'", "3"), ("3", "'a'")}
    assert {*pairwise(cycle)} == arcs


def test_tiers_become_a_number_for_each_variable():
    assert constraints(tiers=[[3], [], ("b", ("d", 4)), {"a"}]).tiers == [3, 2, 0, 2]
    assert constraints().tiers == []


def test_an_arc_is_allowed_within_a_tier_and_to_later_ones():
    found = constraints(forbidden=[("a", "b")], tiers=[["a", "b"], [3, ("d", 4)]])
    allowed = {(i, j) for i in range(4) for j in range(4) if i != j and found.allow(i, j)}
    assert allowed == {(1, 0), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 2)}


def test_a_required_arc_to_an_earlier_tier_is_named():
    with pytest.raises(ValueError, match="from 'b' to 'a' is required, but leads to an earlier"):
        constraints([("b", "a")], tiers=[["a"], ["b"], [3], [("d", 4)]])


@pytest.mark.parametrize(
    ("tiers", "error", "message"),
    [
        ([["a", 3]], ValueError, r"tiers must name every variable; they lack 'b', \('d', 4\)"),
        ([["a"], ["b", "e"]], UnknownVariableError, "tiers names 'e'"),
        ([["a"], [["b"]]], UnknownVariableError, r"tiers names \['b'\]"),
        ([["a", "b"], ["b"]], ValueError, "tiers names 'b' twice. Leave it in one tier"),
        ("ab", ValueError, "tiers must be a list of lists of names.* got 'ab'"),
        (["a", "b"], ValueError, "tiers must be a list of lists of names"),
        ({"a": 0, "b": 1}, ValueError, "tiers must be a list of lists of names"),
        (7, ValueError, "tiers must be a list of lists of names.* got 7"),
    ],
)
def test_what_is_no_division_into_tiers_is_named(tiers, error, message):
    with pytest.raises(error, match=message):
        constraints(tiers=tiers)
