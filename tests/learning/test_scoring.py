import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baytree as bt
from baytree.exceptions import MissingCellError, TableError, UnknownVariableError
from interrupted_runs import announcing, run_and_interrupt
from parent_set_oracle import undominated_parent_sets
from score_oracle import SCORES, family_score
from warning_marks import may_hold_identifiers

COLOURS = ["red", "green", "blue"]


@pytest.fixture
def weather():
    """A chain cloud -> rain -> wet with some noise, and a constant."""
    random = np.random.default_rng(0)
    cloud = random.integers(0, 2, 200)
    rain = np.where(random.random(200) < 0.8, cloud, random.integers(0, 3, 200))
    wet = np.where(random.random(200) < 0.8, rain > 0, random.integers(0, 2, 200) > 0)
    return pd.DataFrame({"cloud": cloud, "rain": rain, "wet": wet.astype(int), "planet": 0})


@pytest.fixture
def incomplete_weather(weather):
    weather = weather.astype("Int64")
    weather.loc[::10, "rain"] = pd.NA
    weather.loc[5, "wet"] = pd.NA
    return weather


@pytest.fixture
def large_table():
    return np.random.default_rng(0).integers(0, 3, (1000, 60))


def pickled(scorer):
    return pickle.loads(pickle.dumps(scorer))


def contents(cache):
    return [
        dict(zip(sets.parent_sets, sets.scores.tolist(), strict=True))
        for sets in (cache[variable] for variable in cache.variables)
    ]


@pytest.mark.parametrize("score", SCORES)
def test_family_score_is_that_of_the_definition(weather, score):
    scorer = bt.FamilyScorer(weather, criterion=score, equivalent_sample_size=3)
    expected = family_score(
        weather.to_numpy(), [2, 3, 2, 1], 2, (0, 1), score=score, equivalent_sample_size=3
    )
    assert scorer.score("wet", ["rain", "cloud"]) == pytest.approx(expected, rel=1e-9)
    assert scorer.score("wet", iter(["rain", "cloud", "rain"])) == pytest.approx(expected, rel=1e-9)
    assert scorer.variables == ("cloud", "rain", "wet", "planet")


def test_declared_categories_count_as_states():
    table = pd.DataFrame({"hue": pd.Categorical(["red", "blue"] * 8, categories=COLOURS)})
    expected = family_score(np.array([[0], [2]] * 8), [3], 0)
    assert bt.FamilyScorer(table).score("hue") == pytest.approx(expected)


@pytest.mark.parametrize("score", SCORES)
def test_a_family_with_missing_cells_scores_as_defined(incomplete_weather, score):
    scorer = bt.FamilyScorer(incomplete_weather, criterion=score, missing="available")
    codes = incomplete_weather.fillna(-1).to_numpy(dtype=int)
    expected = family_score(codes, [2, 3, 2, 1], 0, (1, 2), score=score)
    assert scorer.score("cloud", ["rain", "wet"]) == pytest.approx(expected, rel=1e-9)


def test_a_complete_family_is_scored_whatever_others_lack(incomplete_weather):
    scorer = bt.FamilyScorer(incomplete_weather)
    assert scorer.score("cloud", ["planet"]) == pytest.approx(scorer.score("cloud"))
    with pytest.raises(MissingCellError, match=r"'wet' \(1\), 'rain' \(20\)"):
        scorer.score("wet", ["rain"])


@pytest.mark.parametrize(
    ("child", "parents", "error", "message"),
    [
        ("snow", [], UnknownVariableError, "'snow'"),
        ("wet", ["snow"], UnknownVariableError, "'snow'"),
        (["wet"], [], UnknownVariableError, r"\['wet'\]"),
        ("wet", ["rain", "wet"], ValueError, "'wet' cannot be its own parent"),
        ("wet", "rain", ValueError, "parents must be a list of names; got 'rain'"),
        ("wet", None, ValueError, "parents must be a list of names; got None"),
    ],
)
def test_what_is_no_family_is_named(weather, child, parents, error, message):
    with pytest.raises(error, match=message):
        bt.FamilyScorer(weather).score(child, parents)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled], ids=lambda f: f.__name__)
@pytest.mark.parametrize("weight", [None, 0.5])
@may_hold_identifiers
def test_a_copied_scorer_scores_the_same(incomplete_weather, copied, weight):
    incomplete_weather["many"] = [f"s{i % 190}" for i in range(200)]  # codes beyond one byte
    weights = None if weight is None else [weight] * 199 + [0]
    scorer = bt.FamilyScorer(
        incomplete_weather, criterion="bdeu", missing="available", sample_weight=weights
    )
    again = copied(scorer)
    assert again.variables == scorer.variables
    for parents in ([], ["wet"], ["cloud", "many"]):
        assert again.score("rain", parents) == scorer.score("rain", parents)


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas, pd.DataFrame.to_numpy])
def test_a_scorer_of_any_container_can_be_pickled(weather, convert):
    scorer = bt.FamilyScorer(convert(weather))
    again = pickled(scorer)
    assert again.variables == scorer.variables
    assert again.score(scorer.variables[0]) == scorer.score(scorer.variables[0])


def test_a_copied_scorer_refuses_the_same_missing_cells(incomplete_weather):
    scorer = copy.deepcopy(bt.FamilyScorer(incomplete_weather))
    with pytest.raises(MissingCellError, match=r"'rain' \(20\)"):
        scorer.score("rain")


def test_the_variables_of_a_scorer_cannot_be_set(weather):
    with pytest.raises(AttributeError):
        bt.FamilyScorer(weather).variables = ()


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("max_parents", [1, 2, 3])
def test_an_unlimited_search_keeps_exactly_the_undominated_sets(weather, score, max_parents):
    weights = np.random.default_rng(1).integers(0, 3, len(weather))
    cache = bt.score_parent_sets(
        weather, max_parents=max_parents, criterion=score, sample_weight=weights
    )
    for child, found in enumerate(contents(cache)):
        options = {"max_parents": max_parents, "score": score, "weights": weights}
        sets = undominated_parent_sets(weather.to_numpy(), [2, 3, 2, 1], child, **options)
        named = {tuple(weather.columns[list(parents)]): s for parents, s in sets.items()}
        assert found == pytest.approx(named, rel=1e-9, abs=1e-9)


def test_a_search_with_missing_cells_keeps_exactly_the_undominated_sets(incomplete_weather):
    cache = bt.score_parent_sets(incomplete_weather, max_parents=3, missing="available")
    codes = incomplete_weather.fillna(-1).to_numpy(dtype=int)
    for child, found in enumerate(contents(cache)):
        sets = undominated_parent_sets(codes, [2, 3, 2, 1], child, max_parents=3)
        assert sorted(found.values()) == pytest.approx(sorted(sets.values()))


def test_arcs_decide_which_sets_are_searched(weather):
    cache = bt.score_parent_sets(
        weather,
        max_parents=2,
        constraints=bt.ArcConstraints(
            required=[("wet", "cloud"), ("planet", "cloud")],
            forbidden=[("cloud", "rain"), ("cloud", "wet")],
        ),
    )
    assert cache["cloud"].parent_sets == [("wet", "planet")]
    assert cache["rain"].parent_sets == [("wet",), ()]
    assert all("cloud" not in parents for parents in cache["wet"].parent_sets)


def test_dependence_that_only_shows_jointly_is_found():
    random = np.random.default_rng(0)
    a, b = random.integers(0, 2, (2, 400))
    table = pd.DataFrame({"a": a, "b": b, "c": a ^ b})
    assert bt.score_parent_sets(table, max_parents=2)["c"].parent_sets[0] == ("a", "b")


@pytest.mark.parametrize("n_jobs", [2, 4, -1])
@pytest.mark.parametrize("max_parent_sets", [3, 70, 150])
def test_a_budget_gives_the_same_cache_on_any_number_of_threads(
    large_table, n_jobs, max_parent_sets
):
    options = {"max_parents": 3, "max_parent_sets": max_parent_sets, "random_state": 5}
    alone = bt.score_parent_sets(large_table[:, :20], **options)
    together = bt.score_parent_sets(large_table[:, :20], n_jobs=n_jobs, **options)
    again = bt.score_parent_sets(large_table[:, :20], **options)
    assert contents(together) == contents(again) == contents(alone)


@pytest.mark.parametrize("random_state", [0, 1, np.random.RandomState(2)])
def test_random_state_changes_nothing_where_there_are_no_ties(large_table, random_state):
    options = {"max_parents": 3, "max_parent_sets": 60}
    unseeded = bt.score_parent_sets(large_table[:, :12], **options)
    seeded = bt.score_parent_sets(large_table[:, :12], random_state=random_state, **options)
    assert contents(seeded) == contents(unseeded)


@pytest.mark.parametrize("time_limit", [1e-9, 0.3])
def test_a_time_limit_gives_a_valid_cache_of_less(large_table, time_limit):
    cache = bt.score_parent_sets(
        large_table, max_parents=9, criterion="log-likelihood", time_limit=time_limit
    )
    assert all(() in cache[variable].parent_sets for variable in cache.variables)
    assert cache.summary().n_complete < 60
    assert not cache.is_interrupted


def test_more_parents_than_variables_may_be_asked_for(weather):
    cache = bt.score_parent_sets(weather, max_parents=100)
    assert contents(cache) == contents(bt.score_parent_sets(weather, max_parents=3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_parents": 0}, "max_parents must be an integer of at least 1; got 0"),
        ({"max_parents": True}, "max_parents must be an integer of at least 1; got True"),
        ({"max_parents": 2.0}, "max_parents must be an integer of at least 1; got 2.0"),
        ({"max_parents": "2"}, "max_parents must be an integer of at least 1; got '2'"),
        ({"max_parent_sets": 0}, "max_parent_sets must be an integer of at least 1; got 0"),
        ({"max_parent_sets": 1.5}, "max_parent_sets must be an integer of at least 1; got 1.5"),
        ({"time_limit": 0}, "time_limit must be a positive number of seconds; got 0"),
        ({"time_limit": -2.5}, "time_limit must be a positive number of seconds; got -2.5"),
        ({"time_limit": float("nan")}, "time_limit must be a positive number of seconds; got nan"),
        ({"criterion": "mdl"}, 'criterion must be one of "bic", "aic", .*; got \'mdl\''),
        ({"missing": "drop"}, 'missing must be one of "error", "available"; got \'drop\''),
        ({"equivalent_sample_size": 0}, "equivalent_sample_size must be a positive number; got 0"),
        ({"sample_weight": [1.0]}, r"sample_weight must hold one number per row, 200 in all"),
        ({"sample_weight": np.ones((200, 1))}, r"sample_weight must .* shape \(200, 1\)"),
        ({"sample_weight": [-1, *[1] * 199]}, "sample_weight must be .*; got -1.0 in row 0"),
        ({"sample_weight": [*[1] * 199, np.nan]}, "sample_weight must be .*; got nan in row 199"),
        ({"sample_weight": [np.inf, *[1] * 199]}, "sample_weight must be .*; got inf in row 0"),
        ({"sample_weight": [0.001] * 200}, "sample_weight must sum to at least 1"),
        ({"sample_weight": [0] * 200}, "sample_weight is zero in every row"),
        (
            {"constraints": bt.ArcConstraints(required=[("rain", "rain")])},
            "required has an arc from 'rain' to itself",
        ),
        (
            {"constraints": bt.ArcConstraints(required=None)},
            r"required must hold pairs \(parent, child\); got None",
        ),
        (
            {"constraints": bt.ArcConstraints(forbidden="rain")},
            r"forbidden must hold pairs .*; got 'rain'",
        ),
        ({"n_jobs": 0}, "n_jobs must be a positive number of threads, .*; got 0"),
        ({"n_jobs": True}, "n_jobs must be .*; got True"),
        ({"n_jobs": 2.0}, "n_jobs must be .*; got 2.0"),
        ({"n_jobs": "2"}, "n_jobs must be .*; got '2'"),
        ({"time_limit": True}, "time_limit must be .*; got True"),
        ({"time_limit": "60"}, "time_limit must be .*; got '60'"),
        ({"time_limit": np.ones(2)}, r"time_limit must be .*; got array\("),
        ({"criterion": np.array(["bic"])}, r"criterion must be one of .*; got array\("),
        ({"equivalent_sample_size": True}, "equivalent_sample_size must be .*; got True"),
        ({"equivalent_sample_size": "1"}, "equivalent_sample_size must be .*; got '1'"),
        ({"equivalent_sample_size": np.inf}, "equivalent_sample_size must be .*finite; got inf"),
        ({"equivalent_sample_size": 5e-324}, "equivalent_sample_size must be at least 1e-15"),
        ({"equivalent_sample_size": np.ones(1)}, "equivalent_sample_size must be .*; got array"),
        ({"verbose": "yes"}, "verbose must be an integer; got 'yes'"),
        ({"random_state": -1}, "random_state must be from 0 .*; got -1"),
    ],
)
def test_an_argument_that_cannot_be_is_named(weather, options, message):
    with pytest.raises(ValueError, match=message):
        bt.score_parent_sets(weather, **{"max_parents": 2, **options})


@pytest.mark.parametrize(
    "options",
    [
        {"max_parents": 2**70},
        {"max_parent_sets": 2**70},
        {"max_parents": np.uint64(2**63), "max_parent_sets": 2**64},
        {"n_jobs": 2**70},
        {"n_jobs": -(2**70)},
        {"n_jobs": None},
        {"time_limit": 10**400},
        {"time_limit": np.float32(np.inf)},
        {"time_limit": 1e300},
        {"verbose": True},
    ],
)
def test_limits_beyond_what_there_is_are_no_limits(weather, options):
    cache = bt.score_parent_sets(weather, **{"max_parents": 3, **options})
    assert contents(cache) == contents(bt.score_parent_sets(weather, max_parents=3))


@pytest.mark.parametrize("random_state", ["seed", 1.5, True])
def test_a_random_state_of_the_wrong_type_is_named(weather, random_state):
    with pytest.raises(ValueError, match="random_state must be an integer"):
        bt.score_parent_sets(weather, max_parents=1, random_state=random_state)


def test_missing_cells_are_counted_by_variable(incomplete_weather):
    with pytest.raises(MissingCellError, match=r"'rain' \(20\), 'wet' \(1\)\. Fill them"):
        bt.score_parent_sets(incomplete_weather, max_parents=1)


@pytest.mark.parametrize("missing", ["error", "available"])
def test_a_variable_without_an_observed_cell_is_named(weather, missing):
    weather["snow"] = None
    with pytest.raises(TableError, match="single observed cell: 'snow'"):
        bt.score_parent_sets(weather, max_parents=1, missing=missing)


def test_required_parents_that_are_never_seen_with_the_child_are_named():
    table = pd.DataFrame({"a": ["x", None, "y", None], "b": [None, "x", None, "y"]})
    with pytest.raises(TableError, match="variable 'b' and its required parents 'a'"):
        bt.score_parent_sets(
            table,
            max_parents=1,
            missing="available",
            constraints=bt.ArcConstraints(required=[("a", "b")]),
        )


ENDLESS_SEARCH = """
    import os, signal, threading, time, warnings
    import numpy as np
    import baytree as bt

    exec({prepare!r})
    table = np.random.default_rng(0).integers(0, 3, (300, 60))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            cache = bt.score_parent_sets(table, max_parents=9, criterion="log-likelihood", n_jobs=2)
            time.sleep(0.2)  # a second Ctrl-C that comes after a quick return counts too
        except KeyboardInterrupt:
            raise SystemExit("raised")
    n_empty = sum(() in cache[variable].parent_sets for variable in cache.variables)
    names = [warning.category.__name__ for warning in caught]
    state = f"interrupted={{cache.is_interrupted}} n_empty={{n_empty}}"
    raise SystemExit(f"{{state}} {{names}} {{cache!r}}")
"""

# The first Ctrl-C leads to the second one while the search winds down.
INTERRUPT_TWICE = """
def interrupt_again():
    time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGINT)

def on_interrupt(number, frame):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt_again).start()
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, on_interrupt)
"""


def interrupted_run(prepare):
    """What the endless search says after a Ctrl-C."""
    code = ENDLESS_SEARCH.format(prepare=prepare)
    return run_and_interrupt(announcing("baytree._core.search_parent_sets", code))[2]


def test_ctrl_c_returns_the_sets_found_so_far_with_a_warning():
    said = interrupted_run("")
    assert said.startswith("interrupted=True n_empty=60 ['InterruptedWarning']")
    assert said.endswith("of 60 variables, interrupted)\n")


def test_a_second_ctrl_c_raises():
    assert interrupted_run(INTERRUPT_TWICE) == "raised\n"


def test_no_parent_is_of_a_later_tier(weather):
    tiers = [["rain", "planet"], ["cloud"], ["wet"]]
    cache = bt.score_parent_sets(weather, max_parents=3, constraints=bt.ArcConstraints(tiers=tiers))
    members = {name: {p for s in cache[name].parent_sets for p in s} for name in cache.variables}
    assert members == {"rain": set(), "planet": set(), "cloud": {"rain"}, "wet": {"cloud", "rain"}}
    free = bt.score_parent_sets(weather, max_parents=3)
    assert cache["wet"].parent_sets == free["wet"].parent_sets
