import numpy as np
import pytest

from core_calls import core_scorer, kept_sets, search
from parent_set_oracle import undominated_parent_sets, without_dominated
from score_oracle import SCORES
from selection_oracle import scored_in_order


def independent(random, n_rows):
    return random.integers(0, [2, 3, 2, 4, 2, 3], (n_rows, 6)), [2, 3, 2, 4, 2, 3]


def chain(random, n_rows):
    """Every variable copies the one before it, most of the time."""
    codes = random.integers(0, 3, (n_rows, 6))
    for variable in range(1, 6):
        copies = random.random(n_rows) < 0.8
        codes[copies, variable] = codes[copies, variable - 1]
    return codes, [3] * 6


def functions(random, n_rows):
    """Three causes, and three variables that they determine: sets tie up to rounding."""
    a, b, c = random.integers(0, [[2], [3], [2]], (3, n_rows))
    return np.column_stack([a, b, c, a ^ c, (a + b) % 3, a * c]), [2, 3, 2, 2, 3, 2]


def sparse(random, n_rows):
    """States that are rare, or declared and never seen; one constant."""
    codes = (random.random((n_rows, 6)) < [0.02, 0.5, 0.01, 0.1, 0.0, 0.5]).astype(int)
    codes[:, 5] = codes[:, 0] | (codes[:, 5] & codes[:, 3])
    return codes, [2, 2, 3, 2, 1, 2]


TABLES = [independent, chain, functions, sparse]


def assert_exhaustive(cache, codes, arities, constraints=None, **options):
    required, forbidden = constraints or ([[]] * len(arities), [[]] * len(arities))
    for child in range(len(arities)):
        expected = undominated_parent_sets(
            codes, arities, child, required=required[child], forbidden=forbidden[child], **options
        )
        assert kept_sets(cache, child) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("make_table", TABLES)
@pytest.mark.parametrize("n_rows", [3, 25, 400])
def test_an_unlimited_search_keeps_exactly_the_undominated_sets(score, make_table, n_rows):
    codes, arities = make_table(np.random.default_rng(n_rows), n_rows)
    found = search(core_scorer(codes, arities, score=score), 6, max_parents=5)
    assert_exhaustive(found.cache, codes, arities, max_parents=5, score=score)
    assert all(found.is_complete)


@pytest.mark.parametrize("max_parents", [1, 2, 3, 4])
@pytest.mark.parametrize("make_table", [chain, functions])
def test_sets_have_at_most_max_parents(max_parents, make_table):
    codes, arities = make_table(np.random.default_rng(0), 300)
    found = search(core_scorer(codes, arities, score="aic"), 6, max_parents=max_parents)
    assert_exhaustive(found.cache, codes, arities, max_parents=max_parents, score="aic")


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("kind", ["integer", "fractional"])
def test_weights_change_what_is_kept_as_the_definition_says(score, kind):
    random = np.random.default_rng(1)
    codes, arities = chain(random, 120)
    weights = random.integers(0, 4, 120) if kind == "integer" else 3 * random.random(120)
    found = search(core_scorer(codes, arities, score=score, weights=weights), 6, max_parents=3)
    assert_exhaustive(found.cache, codes, arities, max_parents=3, score=score, weights=weights)


@pytest.mark.parametrize("score", SCORES)
def test_missing_cells_change_what_is_kept_as_the_definition_says(score):
    random = np.random.default_rng(2)
    codes, arities = chain(random, 80)
    codes[random.random(codes.shape) < 0.2] = -1
    codes[:40, 4], codes[40:, 5] = -1, -1
    found = search(core_scorer(codes, arities, score=score), 6, max_parents=4)
    assert_exhaustive(found.cache, codes, arities, max_parents=4, score=score)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("make_table", TABLES)
def test_dominance_is_only_among_sets_that_hold_the_required_parents(score, make_table):
    codes, arities = make_table(np.random.default_rng(5), 60)
    required = [[3], [], [0, 1], [], [5], []]
    forbidden = [[1, 2], [5], [], [0, 1, 2, 4, 5], [], [2]]
    scorer = core_scorer(codes, arities, score=score)
    found = search(scorer, 6, max_parents=4, required=required, forbidden=forbidden)
    options = {"max_parents": 4, "score": score}
    assert_exhaustive(found.cache, codes, arities, (required, forbidden), **options)


def test_required_parents_may_fill_the_set():
    codes, arities = chain(np.random.default_rng(0), 50)
    scorer = core_scorer(codes, arities)
    found = search(scorer, 6, max_parents=2, required=[[2, 4], [], [], [], [], []])
    assert found.cache.parent_sets(0) == [(2, 4)]


@pytest.mark.parametrize("n_causes", [2, 3])
@pytest.mark.parametrize("score", SCORES)
def test_parents_that_help_only_together_are_found(n_causes, score):
    states = np.indices([2] * n_causes).reshape(n_causes, -1).T
    codes = np.tile(np.column_stack([states.sum(axis=1) % 2, states]), (50, 1))
    arities = [2] * (n_causes + 1)
    found = search(core_scorer(codes, arities, score=score), n_causes + 1, max_parents=n_causes)
    for child in range(n_causes + 1):
        others = tuple(variable for variable in range(n_causes + 1) if variable != child)
        assert found.cache.parent_sets(child) == [others, ()]


@pytest.mark.parametrize("score", SCORES)
def test_a_variable_with_one_state_neither_has_nor_is_a_parent(score):
    random = np.random.default_rng(0)
    codes = np.column_stack([random.integers(0, 2, (40, 3)), np.zeros(40, dtype=int)])
    cache = search(core_scorer(codes, [2, 2, 2, 1], score=score), 4, max_parents=3).cache
    assert cache.parent_sets(3) == [()]
    assert all(3 not in parents for child in range(3) for parents in cache.parent_sets(child))


@pytest.mark.parametrize("score", SCORES)
def test_a_budget_goes_to_the_sets_that_the_estimate_puts_first(score):
    # Enough rows that no bound rules anything out; noise that leaves no ties.
    random = np.random.default_rng(3)
    arities = [2, 3, 2, 4, 3, 2, 2, 3]
    codes = random.integers(0, arities, (1500, 8))
    codes[:, 0] = (codes[:, 1:4].sum(axis=1) + (random.random(1500) < 0.3)) % 2
    in_order = scored_in_order(codes, arities, 0, max_parents=4, n_sets=98, score=score)
    scorer = core_scorer(codes, arities, score=score)
    for budget in range(1, 99):
        found = search(scorer, 8, max_parents=4, max_evaluations=budget)
        scored = dict(list(in_order.items())[:budget])
        assert kept_sets(found.cache, 0) == pytest.approx(without_dominated(scored))
        assert found.n_evaluated[0] == budget


def test_a_budget_of_hundreds_follows_the_estimate():
    random = np.random.default_rng(4)
    arities = [2, 2, 3, 2, 2, 4, 2, 2, 3, 2]
    codes = random.integers(0, arities, (400, 10))
    codes[:, 0] ^= codes[:, 1] & codes[:, 3]
    scorer = core_scorer(codes, arities, score="log-likelihood")  # keeps all that is scored
    found = search(scorer, 10, max_parents=4, max_evaluations=200)
    for child in (0, 2, 5, 9):
        options = {"max_parents": 4, "n_sets": 200, "score": "log-likelihood"}
        expected = scored_in_order(codes, arities, child, **options)
        assert kept_sets(found.cache, child) == pytest.approx(expected)
