import numpy as np
import pytest

from baytree import _core
from core_calls import core_cache, core_scorer, search


def test_scores_of_cached_sets_are_those_of_the_cache():
    codes = np.random.default_rng(0).integers(0, 2, (200, 7))
    scorer = core_scorer(codes, [2] * 7, score="log-likelihood")
    cache = search(scorer, 7, max_parents=4).cache
    cached = _core.CachedFamilyScores(cache)
    assert cached.n_variables == scorer.n_variables == 7
    for child in range(7):
        scores = [cached.score(child, list(s)) for s in cache.parent_sets(child)]
        assert scores == cache.scores(child).tolist()


def test_a_set_that_the_cache_lacks_scores_minus_infinity():
    cached = _core.CachedFamilyScores(core_cache([{(1,): -1.0}, {(): -2.0}, {(): -3.0}]))
    assert cached.score(0, [1]) == -1.0
    assert [cached.score(0, lacking) for lacking in ([], [2], [1, 2])] == [-np.inf] * 3
    assert cached.score(1, [0]) == -np.inf


def test_of_a_set_listed_twice_the_better_score_counts():
    twice = (np.array([-5.0, -4.0]), np.array([1, 1], np.uint32), np.array([0, 1, 2], np.uint32))
    alone = (np.zeros(1), np.zeros(0, np.uint32), np.zeros(2, np.uint32))
    assert _core.CachedFamilyScores(_core.ParentSetCache([twice, alone])).score(0, [1]) == -4.0


@pytest.mark.parametrize(("child", "parents"), [(2, []), (0, [2]), (0, [0]), (0, [1, 1])])
def test_what_is_no_family_is_refused(child, parents):
    cached = _core.CachedFamilyScores(core_cache([{(): 0.0}] * 2))
    with pytest.raises(ValueError, match=r"family|parent"):
        cached.score(child, parents)
