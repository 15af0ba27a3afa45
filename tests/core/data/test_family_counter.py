from math import prod

import numpy as np
import pytest
from baytree._core_testing import CountingMethod
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree import _core_testing
from core_calls import core_scorer, evaluate
from score_oracle import family_score
from table_strategies import coded_tables, families

ALL_METHODS = list(CountingMethod)


def methods_for(table, child, parents):
    """The methods that must be able to count a family."""
    arities = [table.arities[variable] for variable in (child, *parents)]
    methods = [CountingMethod.automatic, CountingMethod.sorting]
    if prod(arities) <= 16_000:
        methods.append(CountingMethod.rows)
        if max(arities) <= 32 and table.has_integer_weights:
            methods.append(CountingMethod.planes)
    return methods


@given(data=st.data(), table=coded_tables())
@settings(max_examples=60)
def test_every_method_on_every_instruction_set_gives_the_counts_of_the_rows(data, table):
    options = {"weights": table.weights, "score": "k2"}
    scorers = [
        core_scorer(table.codes, table.arities, instruction_set=name, **options)
        for name in _core_testing.instruction_sets()
    ]
    for child, parents in data.draw(st.lists(families(len(table.arities)), min_size=1, max_size=4)):
        expected = family_score(table.codes, table.arities, child, parents, **options)
        for method in methods_for(table, child, parents):
            scores = {evaluate(scorer, child, parents, method=method) for scorer in scorers}
            assert len(scores) == 1, f"instruction sets differ in {method}"
            assert scores.pop() == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("n_binary", range(1, 8))
@pytest.mark.parametrize("has_missing", [False, True])
def test_binary_families_of_every_size_are_counted(method, n_binary, has_missing):
    codes = np.random.default_rng(n_binary).integers(0, 2, (1500, n_binary))
    if has_missing:
        codes[::7, 0] = -1
        codes[::5, -1] = -1
    arities = [2] * n_binary
    scorer = core_scorer(codes, arities, score="k2")
    expected = family_score(codes, arities, 0, range(1, n_binary), score="k2")
    assert evaluate(scorer, 0, range(1, n_binary), method=method) == pytest.approx(expected)


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("method", ALL_METHODS)
def test_rows_at_the_edges_of_words_and_blocks_are_counted(n_rows, method):
    codes = np.random.default_rng(n_rows).integers(0, [2, 3, 5], (n_rows, 3))
    scorer = core_scorer(codes, [2, 3, 5], score="k2")
    expected = family_score(codes, [2, 3, 5], 0, (1, 2), score="k2")
    assert evaluate(scorer, 0, (1, 2), method=method) == pytest.approx(expected)


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("multiplicities", [(1,), (2,), (1, 3, 1000), (65_535, 1), (2**20, 7, 0)])
def test_multiplicities_count_as_repeated_rows(method, multiplicities):
    random = np.random.default_rng(0)
    codes = random.integers(0, [3, 2, 4], (900, 3))
    weights = random.choice(multiplicities, 900)
    scorer = core_scorer(codes, [3, 2, 4], weights=weights, score="k2")
    expected = family_score(codes, [3, 2, 4], 0, (1, 2), score="k2", weights=weights)
    assert evaluate(scorer, 0, (1, 2), method=method) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("arity", [254, 255, 256, 300, 65_535])
@pytest.mark.parametrize("method", [CountingMethod.automatic, CountingMethod.sorting])
def test_variables_of_many_states_are_counted(arity, method):
    random = np.random.default_rng(arity)
    codes = np.column_stack([random.integers(0, arity, (400, 2)), random.integers(0, 2, 400)])
    codes[:100] = codes[100:200]
    codes[0, :2] = arity - 1
    codes[[3, 5], [0, 1]] = -1
    scorer = core_scorer(codes, [arity, arity, 2], score="k2")
    for child, parents in [(0, (1,)), (2, (0, 1)), (0, (1, 2)), (1, ())]:
        expected = family_score(codes, [arity, arity, 2], child, parents, score="k2")
        assert evaluate(scorer, child, parents, method=method) == pytest.approx(expected)


@pytest.mark.parametrize("arity", [60, 60_000])
def test_products_of_arities_beyond_64_bits_are_counted(arity):
    pool = np.random.default_rng(0).integers(0, arity, (40, 7))
    codes = pool[np.random.default_rng(1).integers(0, 40, 300)]
    codes[:, 6] = np.random.default_rng(2).integers(0, arity, 300)
    codes[7, 2] = -1
    arities = [arity] * 7
    expected = family_score(codes, arities, 6, range(6), score="k2")
    assert evaluate(core_scorer(codes, arities, score="k2"), 6, range(6)) == pytest.approx(expected)


def test_weights_beyond_32_bits_are_counted():
    codes = np.random.default_rng(0).integers(0, 3, (50, 2))
    weights = np.full(50, 1e9)
    scorer = core_scorer(codes, [3, 3], weights=weights)
    expected = family_score(codes, [3, 3], 0, (1,), weights=weights)
    assert evaluate(scorer, 0, (1,)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("arities", "weights", "method"),
    [
        ([33, 2], None, CountingMethod.planes),
        ([2, 2], [0.5, 1.0], CountingMethod.planes),
        ([60_000, 60_000], None, CountingMethod.rows),
        ([60_000, 60_000], None, CountingMethod.planes),
    ],
)
def test_a_method_that_cannot_count_a_family_says_so(arities, weights, method):
    scorer = core_scorer([[0, 0], [1, 1]], arities, weights=weights)
    with pytest.raises(ValueError, match="cannot be counted that way"):
        evaluate(scorer, 0, (1,), method=method)
