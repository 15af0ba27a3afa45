import pytest

from baytree import _core_testing
from core_calls import core_scorer

KNOWN = ["portable", "popcnt", "avx2", "avx512"]


def test_supported_sets_go_from_the_plainest_up_without_a_break():
    names = _core_testing.instruction_sets()
    assert names == KNOWN[: len(names)]
    assert names


@pytest.mark.parametrize("name", ["", "sse9", "AVX2", "portable "])
def test_a_set_that_is_not_there_is_refused(name):
    with pytest.raises(ValueError, match=f"instruction set '{name}' is not supported"):
        core_scorer([[0]], [1], instruction_set=name)


@pytest.mark.parametrize("name", _core_testing.instruction_sets())
def test_a_supported_set_can_be_asked_for(name):
    assert core_scorer([[0], [0]], [1], instruction_set=name).score(0, []) == 0.0
