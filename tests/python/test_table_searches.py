import time

import numpy as np
import pytest

import baytree as bt
from baytree import _table_searches
from baytree.exceptions import TimeLimitWarning


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, (200, 1))
    return np.where(rng.random((200, 5)) < 0.3, rng.integers(0, 2, (200, 5)), first)


class CutScoring:
    """What a scoring of parent sets found that ended early."""

    def __init__(self, scored, n_evaluated):
        self.cache = scored.cache
        self.n_evaluated = n_evaluated
        self.is_complete = [False] * len(n_evaluated)


def cut_scoring(monkeypatch, n_evaluated):
    score = _table_searches._score_parent_sets

    def cut(*args):
        scored, is_interrupted = score(*args)
        return CutScoring(scored, n_evaluated), is_interrupted

    monkeypatch.setattr(_table_searches, "_score_parent_sets", cut)


@pytest.mark.parametrize(
    ("n_evaluated", "message"),
    [
        ([9, 5, 5, 4, 2], "every pair of variables had its score: 4 arcs were never tried"),
        ([9, 5, 5, 4, 1], "1 of 5 variables had any to choose from: they have no parents"),
        ([1, 1, 1, 1, 1], "5 of 5 variables had any"),
    ],
)
def test_a_time_limit_that_cuts_the_scoring_of_pairs_is_warned_of(
    table, monkeypatch, n_evaluated, message
):
    cut_scoring(monkeypatch, n_evaluated)
    with pytest.warns(TimeLimitWarning, match=f"ended the scoring of parent sets before {message}"):
        bt.NetworkLearner(2, search="k-max", max_iterations=3, random_state=0).fit(table)


def test_larger_sets_that_were_not_scored_are_no_reason_to_warn(table, monkeypatch):
    cut_scoring(monkeypatch, [5, 5, 3, 7, 5])
    tiers = [["x0", "x1", "x3", "x4"], ["x2"]]
    learner = bt.NetworkLearner(2, search="k-max", max_iterations=3, random_state=0)
    learner.set_params(tiers=tiers, forbidden_arcs=[("x0", "x2"), ("x1", "x2")]).fit(table)


def test_a_forest_of_some_of_the_pairs_is_warned_of(table, monkeypatch):
    search = _table_searches.search_with_scores

    def slow(problem, *args):
        found = search(problem, *args)
        time.sleep(max(problem.settings.deadline - time.monotonic(), 0))
        return found

    monkeypatch.setattr(_table_searches, "search_with_scores", slow)
    with pytest.warns(TimeLimitWarning, match="ended the scoring of pairs of variables: the fores"):
        bt.NetworkLearner(search="chow-liu", time_limit=0.5).fit(table)


def test_a_forest_of_all_pairs_is_no_reason_to_warn(table):
    assert bt.NetworkLearner(search="chow-liu", time_limit=1000).fit(table).network_.arcs
