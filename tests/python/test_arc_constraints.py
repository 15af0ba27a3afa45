from itertools import pairwise

import pytest

from baytree._arc_constraints import check_arcs
from baytree.exceptions import UnknownVariableError

VARIABLES = ("a", "b", 3, ("d", 4))


def constraints(required=(), forbidden=(), max_parents=2):
    return check_arcs(
        VARIABLES, required_arcs=required, forbidden_arcs=forbidden, max_parents=max_parents
    )


def test_arcs_become_ascending_lists_of_parents_by_child():
    found = constraints([(3, "a"), ("b", "a"), (3, "a")], iter([[("d", 4), "b"]]))
    assert found.required == [[1, 2], [], [], []]
    assert found.forbidden == [[], [3], [], []]


@pytest.mark.parametrize("arc", ["ab", ("a",), ("a", "b", 3), 7, None])
@pytest.mark.parametrize("argument", ["required", "forbidden"])
def test_what_is_no_pair_is_named(arc, argument):
    with pytest.raises(ValueError, match=rf"{argument}_arcs must hold pairs \(parent, child\)"):
        constraints(**{argument: [arc]})


@pytest.mark.parametrize("arc", [("a", "e"), ("e", "a"), ("a", "3")])
@pytest.mark.parametrize("argument", ["required", "forbidden"])
def test_an_arc_of_an_unknown_variable_is_named(arc, argument):
    unknown = next(end for end in arc if end not in VARIABLES)
    with pytest.raises(UnknownVariableError, match=f"{argument}_arcs names {unknown!r}"):
        constraints(**{argument: [arc]})


@pytest.mark.parametrize("argument", ["required", "forbidden"])
def test_an_arc_to_itself_is_named(argument):
    with pytest.raises(ValueError, match=f"{argument}_arcs has an arc from 'b' to itself"):
        constraints(**{argument: [("b", "b")]})


def test_an_arc_both_required_and_forbidden_is_named():
    with pytest.raises(ValueError, match="from 'a' to 3 is both required and forbidden"):
        constraints([("a", 3)], [("b", 3), ("a", 3)])


def test_more_required_parents_than_allowed_are_named():
    with pytest.raises(ValueError, match="gives variable 'a' 2 parents; max_parents is 1"):
        constraints([("b", "a"), (3, "a")], max_parents=1)


def test_a_cycle_is_spelt_out_along_its_arcs():
    with pytest.raises(ValueError, match="form a cycle") as caught:
        constraints([("a", "b"), ("b", 3), (3, "a")])
    cycle = str(caught.value).removesuffix(".").split(": ")[1].split(" -> ")
    arcs = {("'a'", "'b'"), ("'b'", "3"), ("3", "'a'")}
    assert {*pairwise(cycle)} == arcs
