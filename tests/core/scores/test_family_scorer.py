from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, permutations

import numpy as np
import pytest
from baytree._core_testing import CountingMethod, evaluate_families

from baytree._core import Dataset, FamilyScorer
from core_calls import core_scorer, evaluate


def random_scorer(n_variables, n_rows, **options):
    codes = np.random.default_rng(0).integers(0, 3, (n_rows, n_variables))
    return core_scorer(codes, [3] * n_variables, **options)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("options", [{}, {"n_table_entries": 0}, {"n_table_entries": 3}])
def test_a_remembered_score_is_the_counted_one(score, options):
    scorer = random_scorer(6, 300, score=score, **options)
    for child, parents in [(0, []), (0, [1]), (1, [0]), (5, [0, 1, 2, 3])]:
        counted = evaluate(scorer, child, parents)
        assert scorer.score(child, parents) == counted
        assert scorer.score(child, parents) == counted


def test_many_threads_get_the_scores_of_one():
    scorer = random_scorer(9, 400)
    families = [
        (child, list(parents))
        for child in range(9)
        for parents in combinations(sorted({*range(9)} - {child}), 3)
    ]
    expected = [evaluate(scorer, child, parents) for child, parents in families]
    with ThreadPoolExecutor(8) as pool:
        runs = [pool.map(lambda family: scorer.score(*family), families) for _ in range(8)]
        assert all(list(run) == expected for run in runs)


def test_scores_stay_right_where_families_push_each_other_out():
    # 342,000 families in a table of a million entries: some 50,000 share theirs with another.
    n_variables = 585
    scorer = random_scorer(n_variables, 6)
    pairs = np.array(list(permutations(range(n_variables), 2)), dtype=np.uint32)
    for child, parent in pairs.tolist():
        scorer.score(child, [parent])
    again = [scorer.score(child, [parent]) for child, parent in pairs[::5].tolist()]
    children, parents = np.ascontiguousarray(pairs[::5, 0]), np.ascontiguousarray(pairs[::5, 1:])
    counted = evaluate_families(scorer, children, parents, method=CountingMethod.automatic)
    assert again == counted.tolist()


@pytest.mark.parametrize(
    ("child", "parents", "message"),
    [
        (3, [], "an unknown variable"),
        (0, [3], "an unknown variable"),
        (0, [0], "its own parent"),
        (1, [0, 1], "its own parent"),
        (0, [2, 1], "ascending order"),
        (0, [1, 1], "ascending order"),
    ],
)
def test_what_is_no_family_is_refused(child, parents, message):
    scorer = random_scorer(3, 10)
    with pytest.raises(ValueError, match=message):
        scorer.score(child, parents)


def test_many_families_are_scored_in_one_call():
    scorer = random_scorer(4, 50)
    children = np.array([0, 1, 3], dtype=np.uint32)
    parents = np.array([[1, 2], [0, 3], [0, 2]], dtype=np.uint32)
    scores = evaluate_families(scorer, children, parents, method=CountingMethod.automatic)
    assert scores.tolist() == [
        scorer.score(0, [1, 2]),
        scorer.score(1, [0, 3]),
        scorer.score(3, [0, 2]),
    ]


@pytest.mark.parametrize("parents", [[[1]], [[1], [0], [1]]])
def test_children_and_parents_of_many_families_must_match(parents):
    children = np.array([0, 1], dtype=np.uint32)
    parents = np.array(parents, dtype=np.uint32)
    with pytest.raises(ValueError, match="parents"):
        evaluate_families(random_scorer(3, 10), children, parents, method=CountingMethod.automatic)


def families_of(n_variables):
    for child in range(n_variables):
        others = [v for v in range(n_variables) if v != child]
        for size in range(4):
            yield from ((child, list(parents)) for parents in combinations(others, size))


def scorer_after(codes, before, changed):
    dataset = Dataset(np.asfortranarray(codes, dtype=np.int32), np.full(codes.shape[1], 3))
    return FamilyScorer(dataset, before=before, changed=changed)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("n_table_entries", [0, 64, 1 << 16])
def test_scores_are_those_of_the_rows_after_every_change(score, n_table_entries):
    random = np.random.default_rng(1)
    codes = random.integers(0, 3, (200, 6))
    scorer = core_scorer(codes, [3] * 6, score=score, n_table_entries=n_table_entries)
    for changed in ([], [1, 4], [4], [0, 1, 2, 3, 4, 5]):
        for child, parents in families_of(6):
            scorer.score(child, parents)
        codes = codes.copy()
        codes[:, changed] = random.integers(0, 3, (200, len(changed)))
        scorer = scorer_after(codes, scorer, changed)
        fresh = core_scorer(codes, [3] * 6, score=score)
        for child, parents in families_of(6):
            assert scorer.score(child, parents) == pytest.approx(fresh.score(child, parents))


def test_families_without_a_change_are_not_counted_again():
    codes = np.random.default_rng(2).integers(0, 3, (100, 3))
    first = core_scorer(codes, [3] * 3)
    known = first.score(0, [1])
    other = np.roll(codes, 7, axis=0)
    other[:, 0] = codes[:, 0]
    kept = scorer_after(other, first, changed=[])  # a lie, to see where the score comes from
    assert kept.score(0, [1]) == known
    assert scorer_after(other, first, changed=[1, 2]).score(0, [1]) != known


@pytest.mark.parametrize(
    ("n_rows", "n_variables", "changed"), [(9, 3, []), (10, 4, []), (10, 3, [3])]
)
def test_rows_that_cannot_be_the_same_are_refused(n_rows, n_variables, changed):
    first = core_scorer(np.zeros((10, 3), dtype=int), [3] * 3)
    with pytest.raises(ValueError, match="variable"):
        scorer_after(np.zeros((n_rows, n_variables), dtype=int), first, changed)
