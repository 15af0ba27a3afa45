import time
from dataclasses import replace

import numpy as np
import pytest

import baytree as bt
from baytree.exceptions import InterruptedWarning, TimeLimitWarning
from baytree.learning import searches
from baytree.learning.scoring import score_rule
from baytree.learning.searches import family_scorer, search_in_cache, search_table
from baytree.tables.weighted_rows import weighted_rows
from search_names import K_TREES
from search_problems import search_problem
from small_tables import small_table
from structure_checker import check_structure


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
    score = searches._score_parent_sets

    def cut(*args):
        scored, is_interrupted = score(*args)
        return CutScoring(scored, n_evaluated), is_interrupted

    monkeypatch.setattr(searches, "_score_parent_sets", cut)


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
    learner.set_params(
        constraints=bt.ArcConstraints(tiers=tiers, forbidden=[("x0", "x2"), ("x1", "x2")])
    ).fit(table)


@pytest.mark.parametrize(("n", "said"), [(1, "1 pair of"), (4321, "4,321 pairs of")])
def test_a_search_of_arcs_without_all_pairs_is_warned_of(table, monkeypatch, n, said):
    search = searches.search_with_scores

    def cut(*args):
        return replace(search(*args), n_unscored_pairs=n)

    monkeypatch.setattr(searches, "search_with_scores", cut)
    with pytest.warns(TimeLimitWarning, match=f"left {said} variables without a score"):
        bt.NetworkLearner(search="chow-liu", time_limit=100).fit(table)


def test_a_forest_of_all_pairs_is_no_reason_to_warn(table):
    assert bt.NetworkLearner(search="chow-liu", time_limit=1000).fit(table).network_.arcs


def scorer_of(kind, n_variables=8, **options):
    codes, arities = small_table(kind, n_variables=n_variables, **options)
    rows = weighted_rows(range(n_variables), np.array(arities), codes, None)
    return family_scorer(rows, score_rule("bic", 1.0), search_problem(n_variables).settings)


@pytest.fixture
def scored_sets(monkeypatch):
    """Let Ctrl-C end every scoring of parent sets, and keep what was scored."""
    scored = []

    def interrupted(*arguments, score=searches._score_parent_sets):
        scored.append(score(*arguments)[0])
        return scored[-1], True

    monkeypatch.setattr(searches, "_score_parent_sets", interrupted)
    return scored


@pytest.mark.parametrize("name", K_TREES)
@pytest.mark.parametrize("kind", ["copies", "xor"])  # the forest is better, the grown one
def test_ctrl_c_while_sets_are_scored_gives_the_better_of_two_networks(scored_sets, name, kind):
    problem = search_problem(8, search=name)
    with pytest.warns(InterruptedWarning, match="best network found so far") as caught:
        found = search_table(problem, scorer_of(kind), time.monotonic())
    assert (len(caught), found.is_interrupted) == (1, True)
    bags, edges = found.decomposition.bags, found.decomposition.edges
    check_structure(found.parents, bags, edges, 2)
    others = [
        search_in_cache(
            search_problem(8, search=search, max_iterations=1), scored_sets[0].cache, 0.0
        ).score
        for search in ("chow-liu", "k-greedy")
    ]
    assert found.score == max(others)


@pytest.mark.parametrize("n_before", [0, 1])
def test_a_second_ctrl_c_raises(scored_sets, monkeypatch, n_before):
    calls = []

    def second_ctrl_c(*arguments):
        calls.append(arguments)
        return replace(search_in_cache(*arguments), is_interrupted=len(calls) > n_before)

    monkeypatch.setattr(searches, "search_in_cache", second_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        search_table(search_problem(8), scorer_of("binary"), time.monotonic())
    assert len(calls) == n_before + 1


@pytest.mark.parametrize(
    ("search", "max_iterations", "expected"),
    [
        ("anneal", None, [2**18, 100 * 2**14, 2**23]),
        ("anneal", 100_000, [2**18, 400_000, 400_000]),
        ("anneal", 10, [2**14, 2**14, 2**14]),
        ("hill-climb", None, [2**14, 2**14, 10_000 * 2**7]),
        ("k-max", 10, [2**18, 100 * 2**14, 2**23]),
    ],
)
def test_a_scorer_remembers_as_much_as_a_search_needs_up_to_a_bound(
    monkeypatch, search, max_iterations, expected
):
    entries = remembered(monkeypatch, [(2, n) for n in (2, 100, 10_000)], search, max_iterations)
    assert entries == expected


def remembered(monkeypatch, shapes, search, max_iterations=None):
    """How many scores are remembered for tables of some shapes."""
    entries = []
    monkeypatch.setattr(
        searches._core,
        "FamilyScorer",
        lambda dataset, n_table_entries, **rule: entries.append(n_table_entries),
    )
    problem = search_problem(2, search=search, max_iterations=max_iterations)
    for shape in shapes:
        rows = weighted_rows(range(shape[1]), np.full(shape[1], 2), np.zeros(shape, int), None)
        family_scorer(rows, score_rule("bic", 1.0), problem.settings)
    return entries


def test_a_climb_remembers_less_of_few_rows(monkeypatch):
    entries = remembered(monkeypatch, [(8_191, 200), (8_192, 200)], "hill-climb")
    assert entries == [200 * 2**7, 200 * 2**10]
