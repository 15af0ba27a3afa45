import numpy as np
import pytest

from baytree import _core
from core_calls import core_scorer, kept_sets, search


def noisy_scorer(n_variables=12, n_rows=300, **options):
    codes = np.random.default_rng(0).integers(0, 3, (n_rows, n_variables))
    codes[:, 1:] = np.where(codes[:, 1:] == 2, codes[:, :-1], codes[:, 1:])
    return core_scorer(codes, [3] * n_variables, **options)


def contents(cache):
    return [kept_sets(cache, variable) for variable in range(cache.n_variables)]


@pytest.mark.parametrize("n_threads", [2, 4, 40])
@pytest.mark.parametrize("max_evaluations", [1, 5, 60, 10**9])
def test_any_number_of_threads_finds_the_same_sets(n_threads, max_evaluations):
    options = {"max_parents": 3, "max_evaluations": max_evaluations, "seed": 7}
    alone = search(noisy_scorer(), 12, **options)
    together = search(noisy_scorer(), 12, n_threads=n_threads, **options)
    assert contents(together.cache) == contents(alone.cache)
    assert together.n_evaluated == alone.n_evaluated


@pytest.mark.parametrize("max_evaluations", [1, 2, 12, 13, 50])
def test_no_variable_gets_more_evaluations_than_the_budget(max_evaluations):
    found = search(noisy_scorer(), 12, max_parents=4, max_evaluations=max_evaluations)
    assert found.n_evaluated == [max_evaluations] * 12
    assert not any(found.is_complete)


def test_a_seed_decides_between_equals():
    copies = np.repeat(np.random.default_rng(0).integers(0, 2, (60, 1)), 9, axis=1)
    scorer = core_scorer(copies, [2] * 9)
    runs = [
        search(scorer, 9, max_parents=1, max_evaluations=3, seed=seed).cache for seed in range(6)
    ]
    assert len({str(run.parent_sets(0)) for run in runs}) > 1
    assert len({str(run.scores(0)) for run in runs}) == 1


@pytest.mark.parametrize("n_threads", [1, 3])
def test_no_time_at_all_still_gives_the_required_set_of_every_variable(n_threads):
    required = [[], [0], [0, 1], *[[] for _ in range(9)]]
    control = _core.RunControl(time_limit=0.0)
    found = search(
        noisy_scorer(), 12, max_parents=3, required=required, control=control, n_threads=n_threads
    )
    assert [found.cache.parent_sets(child) for child in range(12)] == [
        [tuple(parents)] for parents in required
    ]
    assert not any(found.is_complete)


def test_under_a_deadline_every_variable_gets_a_share():
    scorer = noisy_scorer(20, 20_000, score="log-likelihood")
    control = _core.RunControl(time_limit=2.0)
    found = search(scorer, 20, max_parents=8, control=control, n_threads=2)
    assert min(found.n_evaluated) > 20
    assert not any(found.is_complete)


def test_a_distant_deadline_changes_nothing():
    control = _core.RunControl(time_limit=1e12)
    in_time = search(noisy_scorer(), 12, max_parents=2, control=control)
    assert contents(in_time.cache) == contents(search(noisy_scorer(), 12, max_parents=2).cache)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"required": [[1]]}, "one list a variable"),
        ({"forbidden": [[1]]}, "one list a variable"),
        ({"required": [[1, 2], [], []]}, "more required parents than max_parents"),
        ({"required": [[0], [], []]}, "no other variable"),
        ({"forbidden": [[3], [], []]}, "no other variable"),
    ],
)
def test_constraints_that_cannot_be_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        search(noisy_scorer(3), 3, max_parents=1, **options)
