import pickle
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.optimize
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from threadpoolctl import threadpool_info, threadpool_limits

import baytree as bt
from baytree.classification import model_choice
from baytree.exceptions import (
    BaytreeWarning,
    EmptyVariableWarning,
    TableError,
    TimeLimitWarning,
)
from baytree.explorer import payloads
from inference_oracle import brute_force_posterior


@pytest.mark.filterwarnings("ignore::baytree.exceptions.BaytreeWarning")
@parametrize_with_checks([bt.BayesianNetworkClassifier(2)])
def test_scikit_learn_estimator_checks(estimator, check):
    check(estimator)


def test_scikit_learn_has_many_checks_for_us():
    assert len([*estimator_checks_generator(bt.BayesianNetworkClassifier())]) >= 50


@pytest.fixture(scope="module")
def weather():
    """A class that follows three of five features, in ways that depend on each other."""
    random = np.random.default_rng(0)
    n = 600
    cold, windy = random.integers(0, 3, n), random.random(n) < 0.5
    is_wet = (cold == 0) ^ windy ^ (random.random(n) < 0.1)
    table = pd.DataFrame(
        {
            "cold": np.array(["frost", "mild", "hot"])[cold],
            "windy": windy,
            "clouds": random.integers(0, 4, n) + is_wet,
            "degrees": random.normal(10, 5, n).round(2) - is_wet,
            "day": pd.Categorical(random.choice(["Mon", "Tue"], n), ["Mon", "Tue", "Sun"]),
        }
    )
    for name in ("cold", "clouds", "degrees"):
        table[name] = table[name].mask(random.random(n) < 0.1)
    return table, pd.Series(np.where(is_wet, "wet", "dry"), name="ground")


@pytest.fixture(scope="module")
def fitted(weather):
    return classifier().fit(*weather)


def classifier(**settings):
    return bt.BayesianNetworkClassifier(**{"random_state": 0, **settings})


pytestmark = pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")


def test_probabilities_are_sums_over_all_joint_states_of_the_network(fitted, weather):
    table = weather[0].iloc[:40]
    network = fitted.network_
    for proba, (_, row) in zip(fitted.predict_proba(table), table.iterrows(), strict=True):
        evidence = {
            name: network.states(name)[code]
            for name, code in zip(
                network.variables, network.state_codes(row.to_frame().T)[0], strict=True
            )
            if code >= 0
        }
        assert proba == pytest.approx(brute_force_posterior(network, ["ground"], evidence))


def test_network_alone_gives_the_same_probabilities(fitted, weather, tmp_path):
    expected = fitted.predict_proba(weather[0])
    fitted.network_.write(tmp_path / "model.json")
    network = bt.BayesianNetwork.read(tmp_path / "model.json")
    found = network.predict_proba(weather[0], fitted.target_, handle_unknown="missing")
    assert found.to_numpy() == pytest.approx(expected, abs=1e-12)
    assert tuple(found.columns) == tuple(fitted.classes_)


def test_network_has_the_marginals_of_the_table(fitted, weather):
    table, classes = weather
    marginals = fitted.network_.marginals()
    for name in ("cold", "windy"):
        shares = table[name].value_counts(normalize=True)
        found = [marginals[name].loc[state] for state in shares.index.tolist()]
        assert found == pytest.approx(shares.tolist(), abs=0.02)
    assert marginals["ground"]["wet"] == pytest.approx((classes == "wet").mean(), abs=0.05)


def test_class_is_a_parent_of_every_feature_within_the_treewidth(weather):
    for max_treewidth in (1, 2, 3):
        network = classifier(max_treewidth=max_treewidth).fit(*weather).network_
        assert set(network.children("ground")) == set(weather[0].columns)
        assert network.treewidth <= max_treewidth


def test_more_treewidth_finds_what_naive_bayes_cannot(weather):
    naive, free = (
        cross_val_score(classifier(structure=one), *weather, scoring="accuracy").mean()
        for one in ("naive", "auto")
    )
    assert naive < 0.75 < 0.8 < free


def test_naive_structure_is_near_logistic_regression_on_real_data():
    X, y = load_breast_cancer(return_X_y=True)
    bins = bt.Discretizer().fit_transform(pd.DataFrame(X))
    theirs = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    ours, peer = (
        cross_val_score(one, bins, y, scoring="neg_log_loss").mean()
        for one in (classifier(structure="naive"), theirs)
    )
    assert ours > peer - 0.01


def test_generative_naive_structure_is_that_of_scikit_learn():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 300)
    X = np.column_stack([random.permutation(np.repeat([0, 1, 2], 200)) for _ in range(4)])
    X[:, 0] = np.where(random.random(600) < 0.7, X[:, 0], X[:, 1])
    ours = classifier(structure="naive", training="generative").fit(X[:, 1:], y)
    theirs = CategoricalNB(alpha=1 / 3).fit(X[:, 1:], y)
    assert ours.predict_proba(X[:, 1:]) == pytest.approx(theirs.predict_proba(X[:, 1:]))


def test_structure_network_is_that_of_the_learner(weather):
    table, classes = weather
    learner = bt.NetworkLearner(2, search="hill-climb", criterion="aic", n_bins=5)
    ours = classifier(structure="network", learner=learner).fit(table, classes)
    theirs = clone(learner).set_params(random_state=0).fit(table.assign(ground=classes))
    assert set(ours.network_.arcs) == set(theirs.network_.arcs)
    assert ours.chosen_ == {}
    assert ours.score(table, classes) > 0.8


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [3, 7], [False, True], [0.0, 1.0], ["\u00e4", "b c"]],
)
def test_labels_of_any_kind_come_back(labels):
    X = np.array([["a"], ["b"]] * 30, dtype=object)
    fitted = classifier().fit(X, np.array(labels)[[0, 1] * 30])
    found = fitted.predict(X[:2])
    assert found.tolist() == labels
    assert found.dtype == np.array(labels).dtype


def test_categories_of_pandas_and_series_of_polars_are_labels():
    X = pl.DataFrame({"a": ["x", "y"] * 30})
    for y in (
        pd.Series(["u", "v"] * 30, dtype="category", name="k"),
        pl.Series("k", ["u", "v"] * 30),
        pa.array(["u", "v"] * 30),
    ):
        assert classifier().fit(X, y).predict(X)[:2].tolist() == ["u", "v"]


def test_containers_give_the_same_probabilities(weather):
    table, classes = weather
    table = table.drop(columns="day")
    frames = [table, pl.from_pandas(table), pa.Table.from_pandas(table), table.to_numpy(object)]
    found = [classifier().fit(one, classes).predict_proba(one) for one in frames]
    for other in found[1:]:
        assert other == pytest.approx(found[0])


def test_path_of_a_file_is_a_table(weather, tmp_path):
    table, classes = weather
    table.drop(columns="day").to_csv(tmp_path / "rows.csv", index=False)
    found = classifier().fit(tmp_path / "rows.csv", classes).predict(tmp_path / "rows.csv")
    assert (found == classes).mean() > 0.8


def test_unseen_states_and_missing_cells_are_the_same(fitted, weather):
    rows = weather[0].iloc[:5].astype(object)
    missing, unseen = rows.copy(), rows.copy()
    missing[["cold", "day"]], unseen["cold"], unseen["day"] = None, "scorching", "Sun"
    assert fitted.predict_proba(unseen) == pytest.approx(fitted.predict_proba(missing))


def test_a_row_without_cells_has_the_prior_of_the_class(fitted):
    nothing = pd.DataFrame({name: [None] for name in fitted.feature_names_in_})
    prior = fitted.network_.marginals()["ground"].to_numpy()
    assert fitted.predict_proba(nothing)[0] == pytest.approx(prior)


def test_probabilities_of_new_rows_are_calibrated(weather):
    table, classes = weather
    fitted = classifier().fit(table[:400], classes[:400])
    loss = log_loss(classes[400:], fitted.predict_proba(table[400:]))
    assert loss < 0.5
    assert loss == pytest.approx(fitted.chosen_["log_loss"], abs=0.1)


def test_log_probabilities_are_logarithms(fitted, weather):
    rows = weather[0][:10]
    assert np.exp(fitted.predict_log_proba(rows)) == pytest.approx(fitted.predict_proba(rows))


def test_weights_are_repeated_rows(weather):
    table, classes = weather[0][:200], weather[1][:200]
    times = np.random.default_rng(5).integers(0, 3, 200)
    rows = np.arange(200).repeat(times)
    weighted = classifier().fit(table, classes, sample_weight=times)
    repeated = classifier().fit(table.iloc[rows], classes.iloc[rows])
    assert weighted.predict_proba(table) == pytest.approx(repeated.predict_proba(table))


def test_same_seed_same_network_on_any_number_of_threads(weather):
    networks = [classifier(n_jobs=n).fit(*weather).network_ for n in (1, 2)]
    assert networks[0] == networks[1]


def test_pipelines_searches_and_scores_of_scikit_learn(weather):
    table, classes = weather
    search = GridSearchCV(
        make_pipeline(FunctionTransformer(), classifier()),
        {"bayesiannetworkclassifier__structure": ["naive", "auto"]},
        scoring="neg_log_loss",
        cv=3,
    ).fit(table, classes)
    assert search.best_params_ == {"bayesiannetworkclassifier__structure": "auto"}
    assert np.isfinite(cross_val_score(classifier(), table, classes, scoring="neg_log_loss")).all()
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict(table), search.predict(table))


def test_settings_of_the_learner_are_changed_by_name():
    changed = clone(classifier()).set_params(learner__max_treewidth=2, structure="network")
    assert changed.learner.max_treewidth == 2
    assert changed.learner.search == "hill-climb"


def test_explorer_and_plots_work_on_the_network(fitted):
    payload = payloads.graph_payload(fitted.network_)
    assert len(payload["variables"]) == 6
    assert fitted.network_.plot() is not None
    assert "ground" in fitted._repr_html_()


def test_features_without_cells_are_left_out_with_a_warning(weather):
    table = weather[0].assign(nothing=np.nan)
    with pytest.warns(EmptyVariableWarning, match="'nothing'"):
        fitted = classifier().fit(table, weather[1])
    assert "nothing" not in fitted.network_.variables
    assert fitted.n_features_in_ == 6
    assert len(fitted.predict(table)) == 600


def test_one_class_is_predicted_with_certainty():
    fitted = classifier().fit(np.array([[0], [1]] * 5), ["only"] * 10)
    assert fitted.predict_proba(np.array([[1], [7]])).tolist() == [[1.0], [1.0]]


def test_states_as_many_as_rows_neither_help_nor_harm(weather):
    table = weather[0].assign(number=[f"row {i}" for i in range(600)])
    with pytest.warns(BaytreeWarning):
        score = cross_val_score(classifier(), table, weather[1]).mean()
    assert score == pytest.approx(cross_val_score(classifier(), *weather).mean(), abs=0.03)


def test_time_limit_leaves_a_network_with_a_warning(weather):
    with pytest.warns(TimeLimitWarning, match="time_limit ended the choice"):
        fitted = classifier(time_limit=1e-6).fit(*weather)
    assert fitted.chosen_["n_parents"] == 1


@pytest.mark.filterwarnings("ignore:time_limit ended the choice of bins")
def test_time_limit_ends_the_choice_of_penalties_and_of_generative_structures_too(
    weather, monkeypatch
):
    times = iter(range(10_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(times)))
    for settings in ({"structure": "naive"}, {"training": "generative"}):
        with pytest.warns(TimeLimitWarning, match="structure and its settings"):
            fitted = classifier(time_limit=12, **settings).fit(*weather)
        assert fitted.score(*weather) > 0.5


def test_linear_algebra_of_a_fit_takes_one_thread(weather, monkeypatch):
    threads, minimize = set(), scipy.optimize.minimize

    def watched(*args, **options):
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
        threads.update(pool["num_threads"] for pool in pools)
        return minimize(*args, **options)

    monkeypatch.setattr(scipy.optimize, "minimize", watched)
    with threadpool_limits(2, user_api="blas"):
        classifier().fit(*weather)
    assert threads == {1}


def test_an_interrupted_fit_leaves_no_network_of_another_table(weather, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    twice = classifier().fit(*weather)
    monkeypatch.setattr(model_choice, "fit_weights", interrupt)
    with pytest.raises(KeyboardInterrupt):
        twice.fit(weather[0][["cold"]], weather[1])
    with pytest.raises(NotFittedError):
        twice.predict(weather[0][["cold"]])


def test_objects_are_labels_of_their_kind():
    X = np.array([["a"], ["b"]] * 30, dtype=object)
    for labels in ([False, True], [3, 7]):
        fitted = classifier().fit(X, pd.Series(labels * 30, dtype=object))
        assert fitted.predict(X[:2]).tolist() == labels
        assert fitted.classes_.dtype == np.array(labels).dtype


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (pd.Series(["a", 1] * 30), ValueError, "labels of the kinds 'int', 'str'.* text, as by"),
        (["a", None] * 30, ValueError, r"Input y contains NaN: 30 rows .* the first is row 1"),
        ([1.0, np.nan] * 30, ValueError, "Drop these rows"),
        (np.linspace(0, 1, 60), ValueError, "Unknown label type"),
        (["a"] * 59, ValueError, "X has 60 rows, y has 59"),
        (
            pd.Series([0, 1] * 30, name="a"),
            TableError,
            "X has a column 'a', which is the name of y",
        ),
    ],
)
def test_classes_that_cannot_be_used_are_refused(y, error, message):
    X = pd.DataFrame({"a": ["x", "y"] * 30})
    with pytest.raises(error, match=message):
        classifier().fit(X, y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"structure": "forest"}, 'structure must be one of "auto", "naive"'),
        ({"training": "fast"}, 'training must be one of "discriminative"'),
        ({"max_treewidth": 0}, "max_treewidth must be an integer of at least 1"),
        ({"learner": "anneal"}, "learner must be a NetworkLearner or None"),
        ({"learner": bt.NetworkLearner(n_jobs=2)}, "learner has n_jobs=2"),
        (
            {"learner": bt.NetworkLearner(None, search="chordalysis"), "structure": "tree"},
            'max_treewidth=None needs structure="network" and search="chordalysis"; got .*"tree"',
        ),
        (
            {"learner": bt.NetworkLearner(constraints=bt.ArcConstraints())},
            'constraints of the learner need structure="network"',
        ),
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        classifier(**settings).fit(pd.DataFrame({"a": ["x", "y"] * 5}), [0, 1] * 5)


@pytest.mark.parametrize("structure", ["network", "tree"])
def test_ignored_columns_and_an_index_are_no_features(structure):
    random = np.random.default_rng(0)
    kind = random.integers(3, size=90)
    table = pd.DataFrame({"kind": kind, "copy": np.where(random.random(90) < 0.1, 0, kind)})
    table["note"] = [f"n{i}" for i in range(90)]
    learner = bt.NetworkLearner(2, search="hill-climb", ignore=["note"])
    ours = classifier(structure=structure, learner=learner)
    with pytest.warns(bt.exceptions.IgnoredColumnWarning):
        ours.fit(table.reset_index(names="Unnamed: 0"), kind > 1)
    assert set(ours.network_.variables) == {"kind", "copy", ours.target_}
    again = table.assign(note="new").reset_index(names="Unnamed: 0")
    assert ours.score(again, kind > 1) > 0.95
