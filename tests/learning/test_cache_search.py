import pickle
import re

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import TimeLimitWarning, UnknownVariableError
from search_names import ALL_SEARCHES, K_TREES, LOCAL, OTHERS, RANDOM
from structure_checker import check_structure

# Two parents each, but a, b, c and d are all neighbours in the moral graph.
WIDE = [("a", "c"), ("b", "c"), ("a", "d"), ("c", "d"), ("b", "e"), ("d", "e")]
NAMES = ("a", "b", "c", "d", "e", "f", "g", 7)


def dependent_table(n_variables=8, n_rows=400, seed=0):
    """Each column copies the sum of two earlier ones, with noise."""
    random = np.random.default_rng(seed)
    columns = [random.integers(0, 2, n_rows), random.integers(0, 2, n_rows)]
    for i in range(2, n_variables):
        first, second = random.choice(i, 2, replace=False)
        copied = (columns[first] + columns[second]) % 3
        columns.append(np.where(random.random(n_rows) < 0.7, copied, random.integers(0, 3, n_rows)))
    return pd.DataFrame(dict(enumerate(columns)))


@pytest.fixture(scope="module")
def cache():
    table = dependent_table()
    table.columns = NAMES
    return bt.score_parent_sets(table, max_parents=3)


def search(cache, **options):
    """Result of a search, held to its promises whatever the test is about."""
    options = {"max_treewidth": 3, "max_iterations": 50, "random_state": 0} | options
    result = bt.search_structure(cache, **options)
    check_result(result, cache, options["max_treewidth"])
    return result


def check_result(result, cache, max_treewidth):
    """Hold a result to its own promises, and its score to the cache."""
    parents = dict(zip(result.variables, result.parents, strict=True))
    check_structure(parents, result.decomposition.bags, result.decomposition.edges, max_treewidth)
    assert result.variables == cache.variables
    assert result.treewidth == result.decomposition.width
    total = 0.0
    for variable, chosen in parents.items():
        scores, parent_sets = cache[variable]
        total += scores[parent_sets.index(chosen)]
    assert result.score == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("max_treewidth", [1, 2, 3, 100])
@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_every_result_is_proved_by_the_checker(cache, name, max_treewidth):
    result = search(cache, search=name, max_treewidth=max_treewidth)
    if name == "chow-liu":
        check_result(result, cache, 1)
    assert result.is_interrupted is False
    assert not result.score > cache.summary().best_score


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_one_variable_is_a_network(name):
    cache = bt.score_parent_sets(np.array([[0], [1], [1]]), max_parents=1)
    result = search(cache, search=name)
    assert (result.parents, result.treewidth) == (((),), 0)


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_history_leads_to_the_score(cache, name):
    result = search(cache, search=name)
    assert result.history.columns.tolist() == ["seconds", "iteration", "score"]
    assert result.history["score"].is_monotonic_increasing
    assert result.history["score"].iloc[-1] == pytest.approx(result.score)
    assert result.history["seconds"].iloc[0] > 0
    assert result.history["seconds"].is_monotonic_increasing
    assert result.n_iterations >= result.history["iteration"].max()
    assert result.n_accepted <= result.n_iterations


def test_annealing_counts_the_steps_that_changed_something(cache):
    steps = [search(cache, search="anneal", max_iterations=n) for n in (10, 10_000)]
    assert 0 < steps[1].n_accepted < 10_000
    assert steps[0].n_accepted < steps[1].n_accepted


@pytest.mark.parametrize("name", RANDOM)
def test_a_seed_gives_the_same_structure_on_any_number_of_threads(cache, name):
    found = [search(cache, search=name, n_jobs=n_jobs) for n_jobs in (1, 2, 4)]
    assert found[0] == found[1] == found[2]
    assert len({hash(result) for result in found}) == 1
    assert len({result.n_iterations for result in found}) == 1


@pytest.mark.parametrize("name", K_TREES)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_scores_of_all_iterations_are_kept_in_their_order(name, n_jobs):
    cache = bt.score_parent_sets(dependent_table(18), max_parents=2)
    result = search(cache, search=name, n_jobs=n_jobs, keep_scores=True)
    scores = result.iteration_scores
    assert scores.shape == (result.n_iterations,) == (50,)
    assert scores.max() == result.score
    for iteration, score in zip(*(result.history[c] for c in ("iteration", "score")), strict=True):
        assert scores[iteration] == score
    alone = search(cache, search=name, keep_scores=True, max_iterations=20)
    assert alone.iteration_scores.tolist() == scores[:20].tolist()
    assert search(cache, search=name).iteration_scores is None


@pytest.mark.parametrize("name", OTHERS)
def test_searches_without_single_iterations_keep_no_scores(cache, name):
    with pytest.raises(ValueError, match=rf'"k-max", .*got search="{name}"'):
        search(cache, search=name, keep_scores=True)


@pytest.mark.parametrize("value", ["no", 1, None])
def test_keep_scores_is_a_truth_value(cache, value):
    with pytest.raises(ValueError, match=f"keep_scores must be True or False; got {value!r}"):
        search(cache, search="k-max", keep_scores=value)


def test_a_time_limit_keeps_the_scores_of_what_was_done(cache):
    result = search(
        cache, search="k-max", max_iterations=None, time_limit=0.1, n_jobs=2, keep_scores=True
    )
    assert len(result.iteration_scores) == result.n_iterations
    assert result.iteration_scores.max() == result.score


@pytest.mark.parametrize("name", RANDOM)
def test_the_time_limit_ends_what_would_go_on_for_ever(cache, name):
    result = search(cache, search=name, max_iterations=10**15, time_limit=0.3)
    assert 0 < result.n_iterations < 10**15


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_every_search_ends_without_a_budget(cache, name):
    n_iterations = search(cache, search=name, max_iterations=None).n_iterations
    assert name not in ("k-max", "k-greedy", "s2") or n_iterations == 1000


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_forbidden_arcs_and_tiers_are_obeyed(cache, name):
    free = search(cache, search=name)
    forbidden = [arc for arc in free.network.arcs if arc[1] != 7]
    tiers = [NAMES[4:], NAMES[:4]]
    result = search(
        cache, search=name, constraints=bt.ArcConstraints(forbidden=forbidden, tiers=tiers)
    )
    assert not {*result.network.arcs} & {*forbidden}
    assert not [arc for arc in result.network.arcs if arc[0] in NAMES[:4] and arc[1] in NAMES[4:]]


@pytest.mark.parametrize("name", OTHERS)
def test_required_arcs_are_obeyed(cache, name):
    required = [("a", "b"), ("g", 7)]
    table = dependent_table()
    table.columns = NAMES
    cache = bt.score_parent_sets(
        table, max_parents=3, constraints=bt.ArcConstraints(required=required)
    )
    result = search(cache, search=name, constraints=bt.ArcConstraints(required=required))
    assert {*required} <= {*result.network.arcs}


@pytest.mark.parametrize("name", K_TREES)
def test_required_arcs_are_refused_by_name(cache, name):
    message = f'search="{name}" cannot obey required arcs. Use one of "anneal", "hill-climb"'
    with pytest.raises(ValueError, match=re.escape(message)):
        search(cache, search=name, constraints=bt.ArcConstraints(required=iter([("a", "b")])))


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_max_parents_is_kept(cache, name):
    result = search(cache, search=name, constraints=bt.ArcConstraints(max_parents=1))
    assert max(map(len, result.parents)) == 1


@pytest.mark.parametrize("name", K_TREES)
def test_blip_sets_have_a_parent_less_than_the_treewidth(cache, name):
    result = search(cache, search=name, compat="blip", max_treewidth=2)
    assert max(map(len, result.parents)) == 1


@pytest.mark.parametrize("name", OTHERS)
def test_blip_is_refused_by_other_searches(cache, name):
    with pytest.raises(ValueError, match=f'compat="blip" is for "k-max".*got search="{name}"'):
        search(cache, search=name, compat="blip")


@pytest.mark.parametrize("name", LOCAL)
def test_a_search_is_never_worse_than_its_start(cache, name):
    start = search(cache, search="k-max", max_iterations=5)
    for given in (start.network, dict(zip(NAMES, start.parents, strict=True)), start.network.arcs):
        result = search(cache, search=name, initial_network=given, max_iterations=1)
        assert result.score >= start.score - 1e-9


@pytest.mark.parametrize("name", [n for n in ALL_SEARCHES if n not in LOCAL])
def test_a_start_is_refused_by_the_others(cache, name):
    with pytest.raises(
        ValueError, match=r'takes no initial_network\. Use one of "anneal", "hill-climb"'
    ):
        search(cache, search=name, initial_network=[])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"initial_network": [("a", "b"), ("b", "a")]}, "The arcs of initial_network form a cycle"),
        (
            {"initial_network": {"a": ["b", "c", "d", "e"]}},
            "initial_network gives variable 'a' 4 parents; at most 3",
        ),
        (
            {"initial_network": {"a": "b"}},
            "initial_network must give a list of parents for 'a'; got 'b'",
        ),
        (
            {"initial_network": "network"},
            "initial_network must be a BayesianNetwork, parents by variable, or pairs",
        ),
        ({"initial_network": 3}, "initial_network must be a BayesianNetwork"),
        (
            {
                "initial_network": [("a", "b")],
                "constraints": bt.ArcConstraints(forbidden=[("a", "b")]),
            },
            "initial_network has the arc from 'a' to 'b', which forbidden or tiers rule out",
        ),
        (
            {"initial_network": [], "constraints": bt.ArcConstraints(required=[("a", "b")])},
            "initial_network lacks required arcs: 'a' to 'b'",
        ),
        (
            {"initial_network": WIDE, "max_treewidth": 2},
            "arcs of initial_network have treewidth 3.* max_treewidth is 2",
        ),
        (
            {
                "constraints": bt.ArcConstraints(
                    required=[("a", "d"), ("b", "d"), ("c", "d"), ("e", "d")]
                )
            },
            "required gives variable 'd' 4 parents; max_treewidth is 3",
        ),
        (
            {"constraints": bt.ArcConstraints(required=[("a", "d"), ("b", "d")], max_parents=1)},
            "required gives variable 'd' 2 parents; max_parents is 1",
        ),
        (
            {
                "constraints": bt.ArcConstraints(required=[("a", "d"), ("b", "d")]),
                "search": "chow-liu",
            },
            "\"chow-liu\" gives a variable one parent at most; required gives 'd' 2",
        ),
        (
            {"constraints": bt.ArcConstraints(required=WIDE), "max_treewidth": 2},
            "The required arcs have treewidth 3",
        ),
        ({"search": "tabu"}, "search must be one of \"anneal\", .* got 'tabu'"),
        ({"max_treewidth": 0}, "max_treewidth must be an integer of at least 1; got 0"),
        ({"max_treewidth": 2.5}, "max_treewidth must be an integer of at least 1; got 2.5"),
        (
            {"constraints": bt.ArcConstraints(max_parents=0)},
            "max_parents must be an integer of at least 1",
        ),
        ({"max_iterations": 0}, "max_iterations must be an integer of at least 1"),
        ({"time_limit": 0}, "time_limit must be a positive number of seconds"),
        ({"n_jobs": 0}, "n_jobs must be a positive number of threads"),
        ({"verbose": "yes"}, "verbose must be an integer"),
        ({"compat": "blap", "search": "k-max"}, 'compat must be one of "blip"'),
        ({"compat": "blip", "search": "k-max", "max_treewidth": 1}, "leaves no parents"),
        ({"constraints": bt.ArcConstraints(tiers=[["a"]])}, "tiers must name every variable"),
    ],
)
def test_what_cannot_be_is_named(cache, options, message):
    with pytest.raises(ValueError, match=message):
        search(cache, **options)


@pytest.mark.parametrize("argument", ["required", "forbidden", "initial_network"])
def test_unknown_variables_are_named(cache, argument):
    arcs = {argument: [("x", "a")]}
    is_start = argument == "initial_network"
    options = arcs if is_start else {"constraints": bt.ArcConstraints(**arcs)}
    with pytest.raises(UnknownVariableError, match=f"{argument} names 'x'"):
        search(cache, **options)


def test_a_start_outside_the_cache_is_named(cache):
    table = dependent_table()
    table.columns = NAMES
    small = bt.score_parent_sets(table, max_parents=1)
    with pytest.raises(
        ValueError, match="initial_network gives variable 'c' the parents 'a', 'b', a set"
    ):
        search(small, search="hill-climb", initial_network={"c": ["a", "b"]})


@pytest.mark.parametrize(("name", "most"), [("exact", 28), ("s2+", 64)])
def test_searches_for_few_variables_refuse_more(name, most):
    cache = bt.score_parent_sets(np.zeros((3, most + 1), dtype=int), max_parents=1)
    message = f'search="{name}" takes at most {most} variables; got {most + 1}. Use search="anneal"'
    with pytest.raises(ValueError, match=re.escape(message)):
        search(cache, search=name)


@pytest.mark.parametrize("name", LOCAL)
def test_a_time_limit_before_the_first_step_is_warned_of(cache, name):
    with pytest.warns(TimeLimitWarning, match="time_limit ended the search before its first step"):
        result = search(cache, search=name, time_limit=1e-6, max_iterations=None)
    assert result.n_iterations == 0


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_only_exact_and_s2_plus_prove_something(cache, name):
    result = search(cache, search=name, max_treewidth=2)
    assert result.is_proven == (name in ("exact", "s2+"))
    assert result.score_bound == (result.score if name == "exact" else np.inf)


def test_s2_plus_without_time_proves_nothing():
    cache = bt.score_parent_sets(dependent_table(16), max_parents=2)
    with pytest.warns(TimeLimitWarning):
        result = search(cache, search="s2+", time_limit=1e-6, max_iterations=None)
    assert not result.is_proven


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_a_cache_without_a_network_is_no_network(name, tmp_path):
    path = tmp_path / "cache.jkl"
    path.write_text("2\n0 1\n-1 1 1\n1 1\n-1 1 0\n")
    with pytest.raises(ValueError, match="they do not go together without a cycle and within max"):
        search(bt.ParentSetCache.read(path), search=name)


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_a_variable_without_a_set_that_it_may_have_is_named(name, tmp_path):
    path = tmp_path / "cache.jkl"
    path.write_text("2\n0 1\n-1 0\n1 1\n-1 1 0\n")
    cache = bt.ParentSetCache.read(path)
    first, second = cache.variables
    with pytest.raises(ValueError, match=f"the cache has no parent set of {second!r} that max_"):
        search(cache, search=name, constraints=bt.ArcConstraints(forbidden=[(first, second)]))


def test_a_table_is_no_cache():
    with pytest.raises(ValueError, match=r"cache must be a ParentSetCache; got .*NetworkLearner"):
        bt.search_structure(np.zeros((2, 2)))


def test_a_result_is_frozen_readable_and_survives_a_pickle(cache):
    result = search(cache, search="k-max")
    assert repr(result).startswith("SearchResult(8 variables, ")
    assert repr(result).endswith(f", treewidth {result.treewidth}, score {result.score:,.3f})")
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    pd.testing.assert_frame_equal(again.history, result.history)
    with pytest.raises(AttributeError):
        result.score = 0.0


def test_the_network_of_a_result_is_the_same_structure(cache):
    result = search(cache, search="k-max")
    assert tuple(result.network.parents(name) for name in NAMES) == result.parents
    assert result.network.decomposition == result.decomposition
    assert result.network.score == result.score


def test_without_a_seed_the_global_generator_of_numpy_decides(cache):
    found = []
    for _ in range(2):
        np.random.seed(3)
        found.append(search(cache, search="k-greedy", max_iterations=1, random_state=None))
    assert found[0] == found[1]
