import pytest

from baytree import _core


def constraints(*, required=((), ()), forbidden=((), ()), tiers=()):
    return _core.ArcConstraints(
        required=[*map(list, required)], forbidden=[*map(list, forbidden)], tiers=list(tiers)
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"required": [[1, 0], [], []], "forbidden": [[]] * 3}, "ascending"),
        ({"required": [[1, 1], []]}, "ascending"),
        ({"forbidden": [[], [1]]}, "no other variable"),
        ({"forbidden": [[2], []]}, "no other variable"),
        ({"required": [[1], []], "forbidden": [[1], []]}, "both required and forbidden"),
        ({"required": [[1], []], "tiers": [0, 1]}, "both required and forbidden"),
        ({"tiers": [0]}, "one number a variable"),
        ({"forbidden": [[]]}, "one list a variable"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        constraints(**arguments)


def test_an_arc_within_a_tier_or_to_a_higher_one_may_be_required():
    constraints(required=[[1], []], tiers=[1, 0])
    constraints(required=[[1], []], tiers=[3, 3])
