import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core, _core_testing
from structure_checker import check_structure
from treewidth_oracle import all_dags, has_decomposition


@pytest.mark.parametrize("n_variables", [1, 2, 3, 4])
def test_an_order_is_found_where_there_is_one(n_variables):
    for parents in all_dags(n_variables):
        for width in range(n_variables):
            order = _core_testing.narrow_order(parents, width)
            is_narrow = has_decomposition(parents, lambda bag, size=width + 1: len(bag) <= size)
            assert (order is not None) == is_narrow


@given(st.integers(1, 12), st.randoms(use_true_random=False))
def test_the_order_proves_the_width(n_variables, random):
    parents = [
        sorted(random.sample(range(child), random.randint(0, min(3, child))))
        for child in range(n_variables)
    ]
    widths = [width for width in range(n_variables) if _core_testing.narrow_order(parents, width)]
    assert widths == list(range(widths[0], n_variables))
    decomposition = _core.decompose(parents, _core_testing.narrow_order(parents, widths[0]))
    check_structure(parents, decomposition.bags, decomposition.edges, widths[0])


def test_a_cycle_of_pairs_has_width_two():
    parents = [[], [0], [1], [2], [3], [0, 4]]
    assert _core_testing.narrow_order(parents, 1) is None
    assert len(_core_testing.narrow_order(parents, 2)) == 6


def test_no_variables_have_the_empty_order():
    assert _core_testing.narrow_order([], 0) == []


def test_more_variables_than_subsets_can_be_kept_of_are_refused():
    with pytest.raises(ValueError, match="20 variables at most"):
        _core_testing.narrow_order([[]] * 21, 2)
