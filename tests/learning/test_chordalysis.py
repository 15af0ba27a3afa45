import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import baytree as bt
from baytree.exceptions import MissingCellError, TimeLimitWarning
from baytree.learning import searches
from chordalysis_oracle import selected_edges
from interrupted_runs import announcing, run_and_interrupt
from search_calls import stopping_after
from structure_checker import check_structure


@pytest.fixture
def weather():
    random = np.random.default_rng(0)
    cloud = random.integers(0, 3, 400)
    rain = np.where(random.random(400) < 0.8, cloud > 0, random.random(400) < 0.5)
    sprinkler = ~rain & (random.random(400) < 0.6)
    wet = (rain | sprinkler) & (random.random(400) < 0.95)
    return pd.DataFrame(
        {
            "cloud": np.array(["none", "few", "many"])[cloud],
            "rain": rain,
            "sprinkler": sprinkler.astype(int),
            "wet": np.where(wet, "yes", "no"),
            "slippery": wet & (random.random(400) < 0.9),
            "month": random.integers(1, 5, 400),
        }
    )


def fitted(table, search="chordalysis", *, max_treewidth=None, **options):
    return bt.NetworkLearner(max_treewidth, search=search, **options).fit(table)


def test_edges_are_those_of_the_definition(weather):
    learner = fitted(weather)
    codes = weather.apply(lambda column: column.astype("category").cat.codes).to_numpy()
    expected = selected_edges(codes, (codes.max(axis=0) + 1).tolist())
    names, tests = weather.columns, learner.p_values_
    assert [*zip(tests["first"], tests["second"], strict=True)] == [
        (names[a], names[b]) for a, b in (edge.pair for edge in expected)
    ]
    assert [*tests["separator"]] == [tuple(names[[*edge.separator]]) for edge in expected]
    assert tests["g2"].tolist() == pytest.approx([edge.g2 for edge in expected])
    assert tests["degrees_of_freedom"].tolist() == [edge.degrees for edge in expected]
    assert tests["p_value"].tolist() == pytest.approx([edge.p_value for edge in expected])
    assert tests["log_p_value"].tolist() == pytest.approx([edge.log_p_value for edge in expected])


def test_the_p_values_are_those_that_were_tested(weather):
    tests = fitted(weather, bt.Chordalysis(rounded_p_values=True)).p_values_
    first = tests.iloc[0]
    assert first["g2"] > 100
    assert (first["p_value"], first["log_p_value"]) == (0, -np.inf)


def test_the_network_has_the_edges_and_their_treewidth(weather):
    learner = fitted(weather)
    network, edges = learner.network_, learner.p_values_
    bags, joints = network.decomposition.bags, network.decomposition.edges
    check_structure(learner.parents_, bags, joints, learner.treewidth_)
    assert learner.treewidth_ == edges["separator"].map(len).max() + 1
    arcs = {frozenset(arc) for arc in network.arcs}
    assert arcs == {frozenset(pair) for pair in zip(edges["first"], edges["second"], strict=True)}
    assert learner.n_iterations_ == len(edges) == len(learner.history_) == len(network.arcs)
    assert learner.score_ == network.score == learner.history_["score"].iloc[-1]
    assert learner.score(weather) > -5


def test_a_bound_is_kept(weather):
    assert fitted(weather).treewidth_ > 1
    learner = fitted(weather, max_treewidth=1)
    assert learner.treewidth_ == 1
    assert set(learner.p_values_["separator"]) == {()}


@pytest.mark.parametrize("search", ["anneal", "k-max", "exact"])
def test_no_bound_is_for_chordalysis_alone(weather, search):
    with pytest.raises(ValueError, match=f'is for search="chordalysis"; got search="{search}"'):
        fitted(weather, search)


def test_likelihood_alone_needs_a_bound(weather):
    with pytest.raises(ValueError, match="adds edges until max_treewidth stops it; got None"):
        fitted(weather, bt.Chordalysis("kl"))
    assert fitted(weather, bt.Chordalysis("kl"), max_treewidth=2).treewidth_ == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rule": "aic"}, "rule must be one of \"smt\", .*; got 'aic'"),
        ({"alpha": 0}, "alpha must be a number between 0 and 1; got 0"),
        ({"budget_share": 1.0}, "budget_share must be a number between 0 and 1"),
        ({"phantom_state": "yes"}, "phantom_state must be True or False; got 'yes'"),
        ({"rounded_p_values": 1}, "rounded_p_values must be True or False; got 1"),
    ],
)
def test_settings_that_cannot_be_used_are_named(weather, settings, message):
    with pytest.raises(ValueError, match=message):
        fitted(weather, bt.Chordalysis(**settings))


def test_a_class_is_no_search(weather):
    with pytest.raises(ValueError, match=r'search must be one of "anneal", .*"chordalysis"; got'):
        fitted(weather, bt.Chordalysis)


def test_a_phantom_state_takes_edges_away(weather):
    few_rows = weather.head(60)
    with_phantom = fitted(few_rows, bt.Chordalysis(phantom_state=True)).p_values_
    assert len(with_phantom) < len(fitted(few_rows).p_values_)
    assert with_phantom["degrees_of_freedom"].iloc[0] in {4.0, 6.0}


def test_copies_and_files_keep_the_settings(weather):
    learner = bt.NetworkLearner(None, search=bt.Chordalysis("bic", phantom_state=True))
    for copied in (clone(learner), pickle.loads(pickle.dumps(learner))):
        assert copied.search == learner.search
        assert copied.search is not learner.search
        assert copied.fit(weather).p_values_.equals(learner.fit(weather).p_values_)
    assert pickle.loads(pickle.dumps(learner)).p_values_.equals(learner.p_values_)


def test_nested_settings_make_and_change_the_object(weather):
    learner = bt.NetworkLearner(search="chordalysis").set_params(search__alpha=0.01)
    assert learner.search == bt.Chordalysis(alpha=0.01)
    assert learner.get_params()["search__alpha"] == 0.01
    assert learner.set_params(search__rule="mml").search == bt.Chordalysis("mml", 0.01)
    with pytest.raises(ValueError, match="search='anneal' has no settings of its own"):
        bt.NetworkLearner().set_params(search__alpha=0.01)


def test_a_grid_search_tries_rules(weather):
    grid = {"search__rule": ["smt", "bic"], "search__alpha": [0.001, 0.1]}
    learner = bt.NetworkLearner(None, search=bt.Chordalysis())
    found = GridSearchCV(learner, grid, cv=2).fit(weather)
    assert len(found.cv_results_["params"]) == 4
    assert len(found.best_estimator_.p_values_) > 2


def test_another_search_leaves_no_tests_behind(weather):
    learner = fitted(weather)
    learner.set_params(search="chow-liu", max_treewidth=1).fit(weather)
    assert not hasattr(learner, "p_values_")


def test_results_are_shown(weather):
    learner = fitted(weather, bt.Chordalysis(alpha=0.01))
    facts = dict(learner._facts())
    assert facts["search"] == f"chordalysis, {len(learner.p_values_)} iterations"
    assert facts["treewidth"] == str(learner.treewidth_)
    assert "alpha=0.01" in repr(learner)
    assert "chordalysis" in learner._repr_html_()


def test_names_of_any_kind_are_in_the_table(weather):
    names = [("a", 1), 2, "three", 4.5, False, "six"]
    table = weather.set_axis(pd.Index(names, dtype=object, tupleize_cols=False), axis=1)
    edges = fitted(table).p_values_
    assert {*edges["first"], *edges["second"]} <= {*names}
    assert all(set(separator) <= {*names} for separator in edges["separator"])


def test_independent_variables_have_no_edges():
    table = np.array(np.meshgrid(*[[0, 1]] * 5)).reshape(5, -1).T
    learner = fitted(table, time_limit=60)
    assert learner.p_values_.shape == (0, 7)
    assert learner.network_.arcs == ()
    assert learner.treewidth_ == 0


def test_weights_count_rows(weather):
    weights = np.random.default_rng(1).integers(0, 3, len(weather))
    weighted = bt.NetworkLearner(None, search="chordalysis").fit(weather, sample_weight=weights)
    repeated = fitted(weather.loc[np.repeat(weather.index, weights)])
    assert weighted.p_values_.equals(repeated.p_values_)


def test_missing_cells_are_refused(weather):
    table = bt.ampute(weather, 0.1, random_state=0)
    with pytest.raises(MissingCellError, match=r"missing cells: 'cloud' .*tests complete rows\. F"):
        fitted(table)


def test_an_imputer_refuses_it(weather):
    learner = bt.NetworkLearner(search="chordalysis")
    with pytest.raises(ValueError, match="an imputer learns from incomplete ones"):
        bt.BayesianNetworkImputer(learner=learner).fit(weather)


def test_a_classifier_takes_it_for_a_network_alone(weather):
    learner = bt.NetworkLearner(None, search="chordalysis")
    features, labels = weather.drop(columns="wet"), weather["wet"]
    settings = {"learner": learner, "training": "generative"}
    classifier = bt.BayesianNetworkClassifier(structure="network", **settings)
    classifier.fit(features, labels)
    assert classifier.score(features, labels) > 0.8
    with pytest.raises(ValueError, match=r'max_treewidth=None.*got structure="tree"'):
        bt.BayesianNetworkClassifier(structure="tree", **settings).fit(features, labels)


def test_arcs_have_strengths(weather):
    learner = bt.NetworkLearner(None, search="chordalysis", random_state=0)
    strengths = bt.arc_strength(weather, 3, learner=learner)
    assert strengths["strength"].max() == 1.0


def test_a_cache_is_refused(weather):
    cache = bt.score_parent_sets(weather, max_parents=1)
    for search in ("chordalysis", bt.Chordalysis()):
        with pytest.raises(ValueError, match="tests the rows of a table, which a cache lacks"):
            bt.search_structure(cache, search=search)


def test_a_pair_forbidden_both_ways_is_no_edge(weather):
    forbidden = [("rain", "wet"), ("wet", "rain")]
    learner = fitted(weather, constraints=bt.ArcConstraints(forbidden=forbidden))
    assert not {*forbidden} & {*learner.network_.arcs}
    assert {*forbidden} & {*fitted(weather).network_.arcs}


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"required": [("rain", "wet")]}, "cannot obey required arcs"),
        ({"forbidden": [("rain", "wet")]}, "arc from 'rain' to 'wet', but not the reverse"),
        (
            {"tiers": [["rain"], ["cloud", "sprinkler", "wet", "slippery", "month"]]},
            "without a direction, so it cannot obey tiers",
        ),
    ],
)
def test_constraints_of_a_direction_are_refused(weather, constraints, message):
    with pytest.raises(ValueError, match=message):
        fitted(weather, constraints=bt.ArcConstraints(**constraints))


def test_a_number_of_parents_bounds_the_cliques(weather):
    learner = fitted(weather, constraints=bt.ArcConstraints(max_parents=1))
    assert learner.treewidth_ == 1


def test_cliques_have_no_more_states_than_allowed(weather):
    learner = fitted(weather, max_clique_states=8)
    arities = weather.nunique()
    assert max(arities[list(bag)].prod() for bag in learner.network_.decomposition.bags) <= 8


def test_an_initial_network_is_refused(weather):
    with pytest.raises(ValueError, match='search="chordalysis" takes no initial_network'):
        fitted(weather, initial_network=[("rain", "wet")])


def test_max_iterations_is_a_number_of_edges(weather):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner = fitted(weather, max_iterations=2, time_limit=60)
    assert learner.p_values_.equals(fitted(weather).p_values_.head(2))


def test_a_time_limit_before_the_first_edge_is_warned_of(weather):
    with pytest.warns(TimeLimitWarning, match="before its first step: the network") as caught:
        learner = fitted(weather, time_limit=1e-6)
    assert len(caught) == 1
    assert learner.p_values_.empty


def test_a_time_limit_between_edges_is_warned_of(monkeypatch):
    monkeypatch.setattr(searches, "run_control", lambda *_: stopping_after(1))
    random = np.random.default_rng(0)
    table = (random.integers(0, 4, (20_000, 1)) + random.integers(0, 3, (20_000, 200)) // 2) % 4
    with pytest.warns(TimeLimitWarning, match=r"ended the selection after [\d,]+ edges?, before"):
        learner = fitted(table, bt.Chordalysis("kl"), max_treewidth=4, time_limit=60)
    assert 0 < len(learner.p_values_) < 790
    assert learner.treewidth_ <= 4


INTERRUPTED = """
import numpy as np
import baytree as bt
table = np.random.default_rng(0).integers(0, 12, (50_000, 600))
learner = bt.NetworkLearner(None, search="chordalysis", n_bins=12).fit(table)
print(learner.is_interrupted_, len(learner.p_values_), learner.treewidth_)
"""


def test_ctrl_c_gives_the_edges_so_far():
    script = announcing("baytree._core.select_edges", INTERRUPTED)
    code, out, err = run_and_interrupt(script, delay=0.3)
    assert (code, out) == (0, "True 0 0\n"), err
    assert "InterruptedWarning: Interrupted: the best network found so far is returned" in err


def test_the_network_is_written_and_read(weather, tmp_path):
    network = fitted(weather).network_
    network.write(tmp_path / "network.json")
    assert bt.BayesianNetwork.read(tmp_path / "network.json") == network
    assert json.loads((tmp_path / "network.json").read_text())
