import pickle
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import baytree as bt
from baytree.exceptions import TableError
from baytree.mixtures import mixture_learner
from baytree.mixtures.mixture_learner import best_weights
from interrupted_runs import announcing, run_and_interrupt


def learner(n_components="auto", **options):
    return bt.MixtureLearner(n_components, **{"max_iterations": 60, "random_state": 0} | options)


@pytest.mark.filterwarnings("ignore::baytree.exceptions.BaytreeWarning")
@parametrize_with_checks([bt.MixtureLearner(2, max_iterations=5)])
def test_scikit_learn_estimator_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def clusters():
    """Three groups of rows, in each of which other states of eight variables are usual."""
    rng = np.random.default_rng(0)
    usual = rng.integers(0, 3, (3, 8))
    group = rng.integers(0, 3, 600)
    codes = np.where(rng.random((600, 8)) < 0.85, usual[group], rng.integers(0, 3, (600, 8)))
    table = pd.DataFrame(codes, columns=list("abcdefgh"))
    return table, group


@pytest.fixture(scope="module")
def planted():
    """A mixture of dependent variables, and rows that it generated."""
    rng = np.random.default_rng(1)
    states = {f"v{i}": ["no", "yes"] for i in range(10)}
    arcs = [(f"v{i}", f"v{i + 1}") for i in range(9)]
    components = []
    for _ in range(4):
        p = rng.beta(0.4, 0.4, (10, 2)) * 0.96 + 0.02
        cpts = {f"v{i}": np.stack([1 - p[i], p[i]], axis=1) for i in range(1, 10)}
        cpts["v0"] = [1 - p[0, 0], p[0, 0]]
        components.append(bt.BayesianNetwork(states, arcs, cpts=cpts))
    mixture = bt.NetworkMixture(components, [0.4, 0.3, 0.2, 0.1])
    return mixture, mixture.sample(4000, random_state=0), mixture.sample(4000, random_state=1)


def test_a_planted_mixture_is_found_again(planted):
    truth, rows, others = planted
    best = truth.log_likelihood(others).mean()
    found = bt.MixtureLearner(max_treewidth=1, n_mixtures=2, max_iterations=1500, random_state=0)
    assert found.fit(rows).score(others) > best - 0.04
    network = bt.NetworkLearner(3, search="hill-climb").fit(rows)
    assert network.score(others) < best - 0.2
    assert found.held_out_ == pytest.approx(best, abs=0.25)


def test_a_few_components_are_the_planted_clusters(clusters):
    table, group = clusters
    fitted = learner(3, max_treewidth=0, max_iterations=400).fit(table)
    found = fitted.mixture_.responsibilities(table).to_numpy().argmax(axis=1)
    pairs = pd.crosstab(group, found).to_numpy()
    assert pairs.max(axis=1).sum() > 0.97 * len(table)
    assert np.sort(fitted.mixture_.weights) == pytest.approx(
        np.sort(np.bincount(group) / len(group)), abs=0.04
    )


def test_missing_cells_are_learned_from(planted):
    _, rows, others = planted
    incomplete = rows.mask(np.random.default_rng(0).random(rows.shape) < 0.3)
    fitted = bt.MixtureLearner(8, max_treewidth=1, max_iterations=400, random_state=0)
    fitted.fit(incomplete)
    network = bt.NetworkLearner(3, search="hill-climb").fit(incomplete)
    assert fitted.score(others) > network.score(others) + 0.1
    held_out = fitted.history_["held_out"]
    assert held_out.max() > held_out.iloc[0] + 0.1


def test_one_component_is_the_network_of_the_network_learner(clusters):
    table, _ = clusters
    fitted = learner(1, max_treewidth=2, max_iterations=200).fit(table)
    expected = bt.NetworkLearner(2, max_iterations=200, random_state=0).fit(table).network_
    (network,) = fitted.mixture_.components
    assert network == expected
    assert fitted.n_components_ == 1
    assert np.isnan(fitted.held_out_)
    assert fitted.history_.empty
    assert fitted.fit(table, validation=table[:50]).held_out_ == pytest.approx(
        expected.log_likelihood(table[:50]).mean()
    )


def test_variables_are_independent_within_components_of_treewidth_zero(clusters):
    for n_components in (1, 2, "auto"):
        fitted = learner(n_components, max_treewidth=0, n_mixtures=1).fit(clusters[0])
        assert fitted.mixture_.components[0].arcs == ()
        assert fitted.mixture_.treewidth == 0


@pytest.mark.parametrize("n_components", [2, "auto"])
@pytest.mark.parametrize("is_incomplete", [False, True])
def test_a_fit_has_the_same_bits_on_any_number_of_threads(clusters, n_components, is_incomplete):
    table = clusters[0].astype(object)[:200]
    if is_incomplete:
        table = table.mask(np.random.default_rng(0).random(table.shape) < 0.1)
    fits = [
        learner(n_components, max_treewidth=2, max_iterations=15, n_jobs=n_jobs).fit(table)
        for n_jobs in (1, 2, 4)
    ]
    for other in fits[1:]:
        assert other.mixture_ == fits[0].mixture_
        assert other.held_out_ == fits[0].held_out_


def test_each_seed_gives_its_own_mixture_again(clusters):
    table = clusters[0][:100]
    first, again, other = (learner(2, random_state=seed).fit(table) for seed in (0, 0, 1))
    assert first.mixture_ == again.mixture_
    assert first.mixture_ != other.mixture_


def test_rows_of_weight_zero_do_not_count(clusters):
    table = clusters[0]
    weights = np.where(np.arange(600) < 300, 1.0, 0.0)
    assert (
        learner(2).fit(table, sample_weight=weights).mixture_
        == learner(2).fit(table[:300], sample_weight=weights[:300]).mixture_
    )


def test_weights_count_rows(clusters):
    table = clusters[0]
    is_odd = np.arange(600) % 2 == 1
    fitted = learner(2, max_treewidth=0, max_iterations=300)
    heavy = fitted.fit(table.assign(odd=is_odd), sample_weight=np.where(is_odd, 9.0, 1.0))
    assert heavy.mixture_.posterior("odd")[True] == pytest.approx(0.9, abs=0.03)


def test_a_validation_table_weights_the_mixtures(planted):
    _, rows, others = planted
    fitted = learner(8, n_mixtures=3, max_treewidth=2).fit(rows, validation=others)
    assert fitted.held_out_ == pytest.approx(fitted.score(others), abs=1e-6)
    assert fitted.mixture_.weights.sum() == pytest.approx(1)
    unknown = others.astype(object).replace("yes", "perhaps")
    assert np.isfinite(learner(2).fit(rows[:100], validation=unknown).held_out_)


@pytest.mark.filterwarnings("ignore::baytree.exceptions.IdentifierWarning")
@pytest.mark.parametrize("n_rows", [1, 2, 3, 19, 20, 21])
@pytest.mark.parametrize("n_components", [1, 2, "auto"])
def test_tiny_tables_are_learned(clusters, n_rows, n_components):
    table = clusters[0][:n_rows]
    fitted = learner(n_components, max_iterations=10).fit(table)
    assert np.isfinite(fitted.score_samples(table)).all()


@pytest.mark.parametrize("n_components", [1, 2, "auto"])
def test_constant_columns_and_single_columns_are_learned(clusters, n_components):
    table = clusters[0][["a"]].assign(planet="earth")
    for own in (table, table[["a"]], table[["planet"]]):
        fitted = learner(n_components, max_iterations=10).fit(own)
        assert fitted.score(own) <= 1e-9
        assert len(fitted.mixture_.sample(5)) == 5


@pytest.mark.parametrize("seed", range(5))
def test_a_cell_alone_in_its_column_is_learned_from(clusters, seed):
    table = clusters[0][:60].astype(object)
    table.loc[1:, "a"] = None
    fitted = learner(max_iterations=5, random_state=seed).fit(table)
    assert np.isfinite(fitted.score(table))
    with pytest.raises(TableError, match="without a single observed cell: 'a'"):
        learner(2).fit(table.assign(a=None))


def test_scores_are_log_likelihoods(clusters):
    table = clusters[0]
    fitted = learner(2).fit(table)
    rows = fitted.mixture_.log_likelihood(table)
    assert np.array_equal(fitted.score_samples(table), rows)
    assert fitted.score(table) == rows.mean()
    assert np.isfinite(fitted.score(table.assign(a="unknown")))
    with pytest.raises(NotFittedError):
        learner().score(table)
    with pytest.raises(TableError, match="X has 2 features, but MixtureLearner is expecting 8"):
        fitted.score(np.zeros((3, 2)))


def test_settings_are_cloned_changed_and_searched(clusters):
    table = clusters[0][:120]
    own = learner(2, n_mixtures=2)
    assert clone(own).get_params() == own.get_params()
    assert own.set_params(max_treewidth=1).max_treewidth == 1
    grid = GridSearchCV(learner(2, max_iterations=10), {"max_treewidth": [0, 1, 2]}, cv=2)
    found = grid.fit(table)
    assert found.best_params_["max_treewidth"] in (0, 1, 2)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


def test_any_container_is_learned_from(clusters):
    table = clusters[0][:60]
    frame = learner(2).fit(table)
    assert frame.feature_names_in_.tolist() == list(table)
    assert learner(2).fit(pl.from_pandas(table)).score(table) == frame.score(table)
    array = learner(2).fit(table.to_numpy())
    assert not hasattr(array, "feature_names_in_")
    assert array.score(table.to_numpy()) == frame.score(table)
    assert pickle.loads(pickle.dumps(array)).mixture_ == array.mixture_


def test_history_tells_the_course_of_each_mixture(clusters):
    fitted = learner(2, n_mixtures=2, max_treewidth=1).fit(clusters[0])
    history = fitted.history_
    assert list(history) == ["mixture", "structure", "step", "seconds", "held_out"]
    best = history.groupby("mixture")["held_out"].max()
    assert fitted.held_out_ == pytest.approx(best.mean())
    assert (history.groupby("mixture")["step"].diff().dropna() > 0).all()


def test_a_fitted_learner_says_what_it_found(clusters):
    fitted = learner(2).fit(clusters[0])
    assert "held-out log-likelihood" in fitted._results_html()
    assert fitted._results_html() in fitted._repr_html_()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"n_components": 0}, 'n_components must be an integer of at least 1 or "auto"; got 0'),
        ({"n_components": "many"}, "n_components must be .*; got 'many'"),
        ({"n_mixtures": 2.5}, "n_mixtures must be .*; got 2.5"),
        ({"max_treewidth": -1}, "max_treewidth must be an integer of at least 0"),
        ({"max_treewidth": None}, "max_treewidth must be an integer of at least 0"),
        ({"max_iterations": 0}, "max_iterations must be an integer of at least 1"),
        ({"time_limit": 0}, "time_limit must be a positive number"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"max_clique_states": 1}, "max_clique_states"),
        ({"random_state": "x"}, "random_state"),
    ],
)
def test_unusable_settings_are_refused(clusters, options, problem):
    with pytest.raises(ValueError, match=problem):
        learner(**options).fit(clusters[0])


def test_variables_of_very_many_states_are_refused(clusters, monkeypatch):
    monkeypatch.setattr(mixture_learner, "MAX_STATES", 2)
    with pytest.raises(TableError, match="Variable 'a' has 3 states; a mixture takes at most 2"):
        learner().fit(clusters[0])


def test_more_components_than_memory_holds_are_refused(clusters):
    with pytest.raises(ValueError, match=r"n_components=10,000,000,000 may need .* GB"):
        learner(10**10, max_treewidth=0).fit(clusters[0])


@pytest.mark.parametrize(
    ("shape", "missing", "n_components"),
    [((20_000, 60), 0.0, "auto"), ((3000, 40), 0.3, "auto"), ((20_000, 60), 0.0, 5)],
)
def test_a_time_limit_is_kept(shape, missing, n_components):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 3, shape)).astype(object)
    table = table.mask(rng.random(shape) < missing).set_axis(
        [f"v{i}" for i in range(shape[1])], axis=1
    )
    fitted = bt.MixtureLearner(n_components, time_limit=4, n_jobs=2, random_state=0)
    started = time.monotonic()
    fitted.fit(table)
    assert time.monotonic() - started < 4 * 1.1 + 2  # the machine of a test may be busy
    assert np.isfinite(fitted.held_out_)
    assert len(fitted.history_) > 1


def test_em_of_the_weights_never_lowers_the_likelihood():
    rng = np.random.default_rng(0)
    for _ in range(20):
        logs = rng.normal(-10, rng.uniform(0.1, 5), (rng.integers(1, 40), rng.integers(1, 6)))
        means = [best_weights(logs, n)[1] for n in (1, 2, 5, 20, 1000)]
        assert (np.diff(means) >= -1e-9).all()
        weights, mean = best_weights(logs)
        assert weights.sum() == pytest.approx(1)
        assert mean == pytest.approx(np.log(np.exp(logs) @ weights).mean())
        assert mean >= np.log(np.exp(logs).mean(axis=1)).mean() - 1e-4


def test_weights_are_found_by_brute_force():
    rng = np.random.default_rng(1)
    logs = rng.normal(-3, 1, (30, 2))
    grid = np.linspace(0, 1, 2001)
    means = [np.log(np.exp(logs) @ [share, 1 - share]).mean() for share in grid]
    weights, mean = best_weights(logs)
    assert weights[0] == pytest.approx(grid[np.argmax(means)], abs=2e-3)
    assert mean == pytest.approx(max(means), abs=1e-6)


LONG_FIT = """
    import numpy as np, time, baytree as bt
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (20_000, 60)).astype(float)
    table[rng.random(table.shape) < {missing}] = np.nan
    learner = bt.MixtureLearner(n_jobs=2, random_state=0, max_iterations=10**6, max_treewidth={k})
    try:
        learner.fit(table)
    except KeyboardInterrupt:
        print("interrupted")
    else:
        print(learner.is_interrupted_, np.isfinite(learner.score(table[:10])))
"""


@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_ctrl_c_gives_the_best_so_far(missing):
    script = LONG_FIT.format(missing=missing, k=1)
    script = announcing("baytree._core.learn_latent_mixtures", script)
    code, out, err = run_and_interrupt(script, delay=1.5)
    assert (code, out) == (0, "True True\n"), err
    assert "InterruptedWarning: Interrupted: the best mixture so far is returned" in err


def test_ctrl_c_before_there_is_a_mixture_raises():
    script = announcing("baytree._core.search_dags", LONG_FIT.format(missing=0.0, k=5))
    code, out, err = run_and_interrupt(script, delay=0.1)
    assert (code, out) == (0, "interrupted\n"), err
