import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import FileFormatError, UnknownVariableError
from html_pages import Page


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    smoker = random.integers(0, 2, 100)
    cough = np.where(random.random(100) < 0.9, smoker, 1 - smoker)
    return pd.DataFrame({"smoker": smoker, "cough": cough, 0: random.integers(0, 2, 100)})


@pytest.fixture
def cache(table):
    return bt.score_parent_sets(table, max_parents=2)


def test_sets_are_found_by_name_and_by_number(cache):
    assert cache["cough"].parent_sets == cache[1].parent_sets == [("smoker",), ()]
    assert cache["cough"].scores.tolist() == cache[np.int64(1)].scores.tolist()


def test_a_name_goes_before_a_number(cache):
    assert cache.variables == ("smoker", "cough", 0)
    assert cache[0].parent_sets == cache[2].parent_sets
    assert cache[0].parent_sets != cache["smoker"].parent_sets


@pytest.mark.parametrize("variable", ["coughs", 3, -1, None, 1.5, ["cough"]])
def test_an_unknown_variable_is_named(cache, variable):
    with pytest.raises(UnknownVariableError, match="There is no variable") as caught:
        cache[variable]
    assert repr(variable) in str(caught.value)


def test_scores_are_those_of_the_scorer_best_first(table, cache):
    scorer = bt.FamilyScorer(table)
    for variable in cache.variables:
        scores, parent_sets = cache[variable]
        assert scores.tolist() == sorted(scores, reverse=True)
        assert scores.tolist() == [scorer.score(variable, parents) for parents in parent_sets]


def test_length_is_the_number_of_sets(cache):
    assert len(cache) == sum(len(cache[variable].parent_sets) for variable in cache.variables) == 5


def test_a_change_of_what_it_gave_does_not_change_the_cache(cache):
    before = cache["cough"].scores.copy()
    cache["cough"].scores[:] = 0.0
    cache["cough"].parent_sets.clear()
    assert cache["cough"].scores.tolist() == before.tolist()
    assert len(cache["cough"].parent_sets) == 2


@pytest.mark.parametrize("attribute", ["variables", "is_interrupted"])
def test_attributes_cannot_be_set(cache, attribute):
    with pytest.raises(AttributeError):
        setattr(cache, attribute, None)


def test_a_cache_cannot_be_looped_over(cache):
    with pytest.raises(TypeError, match="not iterable"):
        list(cache)


def test_summary_says_what_was_found_and_how(cache):
    summary = cache.summary()
    assert (summary.n_variables, summary.n_parent_sets, summary.largest_parent_set) == (3, 5, 1)
    assert summary.best_score == sum(cache[name].scores[0] for name in cache.variables)
    assert summary.n_complete == 3
    assert 9 <= summary.n_evaluated <= 12
    assert dataclasses.asdict(summary)["is_interrupted"] is False


def test_summary_reads_as_sentences(cache):
    first, second = str(cache.summary()).splitlines()
    assert first.startswith("5 parent sets of 3 variables, up to 1 parent; sum of best scores -")
    assert second.endswith("families scored, 3 of 3 variables searched to the end")


def test_repr_says_how_much_there_is(cache):
    assert repr(cache) == "ParentSetCache(5 parent sets of 3 variables)"


def test_a_pickle_brings_everything_back(cache):
    again = pickle.loads(pickle.dumps(cache))
    assert again.variables == cache.variables
    assert again.summary() == cache.summary()
    for variable in cache.variables:
        assert again[variable].parent_sets == cache[variable].parent_sets
        assert again[variable].scores.tobytes() == cache[variable].scores.tobytes()


@pytest.mark.parametrize("name", ["cache.jkl", "cache.jkl.gz", "cache.jkl.xz"])
def test_a_file_brings_the_sets_back(cache, tmp_path, name):
    cache.write(tmp_path / name)
    again = bt.ParentSetCache.read(str(tmp_path / name))
    assert again.variables == cache.variables
    for variable in cache.variables:
        assert again[variable].parent_sets == cache[variable].parent_sets
        assert again[variable].scores.tobytes() == cache[variable].scores.tobytes()


def test_a_cache_from_a_file_does_not_know_how_it_was_made(cache, tmp_path):
    cache.write(tmp_path / "cache.jkl")
    summary = bt.ParentSetCache.read(tmp_path / "cache.jkl").summary()
    assert summary.n_evaluated is None
    assert summary.n_complete is None
    assert len(str(summary).splitlines()) == 1


def test_a_file_may_lack_the_empty_set(tmp_path):
    (tmp_path / "cache.jkl").write_text("2\n0 1\n-1 1 1\n1 1\n-2 0\n")
    cache = bt.ParentSetCache.read(tmp_path / "cache.jkl")
    assert cache["x0"].parent_sets == [("x1",)]


def test_a_broken_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "cache.jkl"
    path.write_text("2\n0 1\nhigh 0\n")
    with pytest.raises(FileFormatError, match=r"cache\.jkl, line 3: expected a finite score"):
        bt.ParentSetCache.read(path)


def test_one_family_is_not_counted_as_several():
    summary = bt.score_parent_sets(pd.DataFrame({"a": [1, 1]}), max_parents=1).summary()
    assert "\n1 family scored, 1 of 1 variable searched" in str(summary)


def test_a_cache_made_by_hand_is_that_of_the_scores(cache):
    again = bt.ParentSetCache({name: cache[name] for name in cache.variables})
    assert again.variables == cache.variables
    for name in cache.variables:
        assert again[name].parent_sets == cache[name].parent_sets
        assert again[name].scores.tolist() == cache[name].scores.tolist()
    assert again.summary().n_evaluated is None


def test_sets_made_by_hand_are_sorted_best_first():
    cache = bt.ParentSetCache(
        {"a": ([-3, -1, -2], [[], ["c", "b"], {"b"}]), "b": ([0], [()]), "c": ([-1], [()])}
    )
    assert cache["a"].parent_sets == [("b", "c"), ("b",), ()]
    assert cache["a"].scores.tolist() == [-1.0, -2.0, -3.0]
    found = bt.search_structure(cache, search="exact")
    assert (found.score, found.parents) == (-2.0, (("b", "c"), (), ()))


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (None, r"Variable 'a' must have a pair of lists \(scores, parent sets\); got None"),
        ((-1.0, [()]), r"Variable 'a' must have a pair of lists .*; got \(-1\.0, \[\(\)\]\)"),
        (([-1.0], 3), "Variable 'a' must have a pair of lists"),
        ("ab", "Variable 'a' must have a pair of lists .*; got 'ab'"),
        (([], []), "as many scores as parent sets, at least one; got 0 and 0"),
        (([-1.0], [(), ("b",)]), "as many scores as parent sets, at least one; got 1 and 2"),
        (([np.nan], [()]), "Scores must be finite numbers; variable 'a' has nan"),
        ((["-1"], [()]), "Scores must be finite numbers; variable 'a' has '-1'"),
        (([-1.0], [("a",)]), "Variable 'a' cannot be its own parent"),
        (([-1.0], ["b"]), "A parent set must hold names; 'a' has 'b'"),
        (([-1.0, -2.0], [("b",), ["b"]]), "Variable 'a' has a parent set twice"),
    ],
)
def test_sets_made_by_hand_that_cannot_be_are_named(pair, message):
    with pytest.raises(ValueError, match=message):
        bt.ParentSetCache({"a": pair, "b": ([-1.0], [()])})


def test_parents_of_sets_made_by_hand_are_variables():
    with pytest.raises(UnknownVariableError, match="A parent set of 'a' names 'z', which is not"):
        bt.ParentSetCache({"a": ([-1.0], [("z",)])})


@pytest.mark.parametrize("parent_sets", [{}, [("a", ())], None])
def test_a_cache_needs_variables(parent_sets):
    with pytest.raises(ValueError, match="parent_sets must be a dict of variables with a pair"):
        bt.ParentSetCache(parent_sets)


EVIL = "<script>alert('x')</script>&amp;\""


def test_html_says_the_summary_and_the_best_set_of_each_variable():
    table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    cache = bt.score_parent_sets(table, max_parents=1)
    page = Page(cache._repr_html_())
    assert page.texts[0] == "ParentSetCache"
    assert page.texts[2].startswith("4 parent sets of 2 variables, up to 1 parent; sum of best")
    best = f"{cache['wet'].scores[0]:,.3f}"
    assert page.texts[-4:] == ["wet", "2", best, "rain"]


def test_names_cannot_become_tags():
    table = pd.DataFrame({EVIL: [0, 0, 1, 1] * 10, "wet": [0, 0, 1, 1] * 10})
    page = Page(bt.score_parent_sets(table, max_parents=1)._repr_html_())
    assert "script" not in page.tags
    assert page.texts.count(EVIL) == 2


def test_html_of_a_large_cache_is_small():
    names = [f"{'long name ' * 20}{i}" for i in range(300)]
    table = pd.DataFrame([range(300), range(1, 301)] * 4, columns=names) % 2
    html = bt.score_parent_sets(table, max_parents=1)._repr_html_()
    assert len(html) < 30_000
    assert "and 250 more" in html
