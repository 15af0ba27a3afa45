import random
from itertools import combinations
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core_testing

RULES = {
    _core_testing.EliminationRule.fill: lambda apart, *_: len(apart),
    _core_testing.EliminationRule.weighted_fill: lambda apart, clique, arities: sum(
        arities[a] * arities[b] for a, b in apart
    ),
    _core_testing.EliminationRule.size: lambda apart, clique, arities: prod(
        arities[v] for v in clique
    ),
}


def random_scopes(seed, n_variables):
    draw = random.Random(seed)
    sizes = [draw.randint(1, min(4, n_variables)) for _ in range(n_variables)]
    return [draw.sample(range(n_variables), size) for size in sizes]


def joined_pairs(scopes):
    return {frozenset(pair) for scope in scopes for pair in combinations(scope, 2)}


def neighbours_of(variable, pairs):
    return {other for pair in pairs if variable in pair for other in pair - {variable}}


def eliminated(variable, pairs):
    """The graph without a variable, whose neighbours are joined."""
    others = neighbours_of(variable, pairs)
    left = {pair for pair in pairs if variable not in pair}
    return left | {frozenset(pair) for pair in combinations(others, 2)}


def price(rule, variable, pairs, arities):
    others = neighbours_of(variable, pairs)
    apart = [pair for pair in combinations(others, 2) if frozenset(pair) not in pairs]
    return RULES[rule](apart, others | {variable}, arities)


@pytest.mark.parametrize("rule", RULES)
@given(seed=st.integers(0, 10**6), tie_seed=st.none() | st.integers(0, 9))
def test_every_step_takes_a_variable_of_least_price(rule, seed, tie_seed):
    n_variables = 1 + seed % 9
    scopes = random_scopes(seed, n_variables)
    arities = [2 + (seed >> v) % 3 for v in range(n_variables)]
    result = _core_testing.eliminate_greedily(scopes, arities, rule=rule, seed=tie_seed)
    assert sorted(result.order) == list(range(n_variables))
    pairs, left = joined_pairs(scopes), set(range(n_variables))
    for variable in result.order:
        prices = {other: price(rule, other, pairs, arities) for other in left}
        assert prices[variable] == min(prices.values())
        assert set(result.later[variable]) == neighbours_of(variable, pairs)
        pairs = eliminated(variable, pairs)
        left.discard(variable)


@given(st.integers(0, 10**6))
def test_elimination_along_an_order_joins_neighbours(seed):
    n_variables = 1 + seed % 9
    scopes = random_scopes(seed, n_variables)
    order = random.Random(seed).sample(range(n_variables), n_variables)
    result = _core_testing.eliminate_along(scopes, order)
    pairs = joined_pairs(scopes)
    for variable in order:
        assert set(result.later[variable]) == neighbours_of(variable, pairs)
        pairs = eliminated(variable, pairs)


def test_the_same_seed_gives_the_same_order():
    scopes = random_scopes(3, 40)
    rule = _core_testing.EliminationRule.fill
    orders = [
        _core_testing.eliminate_greedily(scopes, [2] * 40, rule=rule, seed=seed).order
        for seed in (1, 1, 2, 3)
    ]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2] or orders[0] != orders[3]


@pytest.mark.parametrize("order", [[0], [0, 0], [0, 2]])
def test_what_is_no_order_is_refused(order):
    with pytest.raises(ValueError, match=r"elimination order|no variable"):
        _core_testing.eliminate_along([[0, 1]], order)
