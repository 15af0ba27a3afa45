"""Tables of many weak dependences, filled with and without regressions."""

import base64
import itertools
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import FileFormatError, InterruptedWarning, TimeLimitWarning
from stored_imputers import WAYS, changed_file, stored_and_loaded

N_ROWS, N_VARIABLES = 500, 40


@pytest.fixture(scope="module")
def truth():
    """Answers that depend on two hidden numbers of a person, most of them a little."""
    random = np.random.default_rng(0)
    scores = random.normal(size=(N_ROWS, 2)) @ random.normal(size=(2, N_VARIABLES))
    noisy = scores + 2 * random.normal(size=scores.shape)
    codes = np.digitize(noisy, [0.5])
    codes[:, ::4] = np.digitize(noisy[:, ::4], [-1, 1])
    return pd.DataFrame(codes, columns=[f"x{i}" for i in range(N_VARIABLES)], dtype="Int64")


@pytest.fixture(scope="module")
def incomplete(truth):
    return truth.mask(np.random.default_rng(1).random(truth.shape) < 0.1)


@pytest.fixture(scope="module")
def imputer(incomplete):
    return bt.BayesianNetworkImputer(n_networks=1, random_state=0).fit(incomplete)


@pytest.fixture(scope="module")
def plain(incomplete):
    settings = {"n_networks": 1, "regressions": False, "random_state": 0}
    return bt.BayesianNetworkImputer(**settings).fit(incomplete)


def restored(filled, truth, incomplete):
    is_gap = incomplete.isna().to_numpy()
    return (filled.to_numpy() == truth.to_numpy())[is_gap].mean()


def test_regressions_restore_more_cells_than_a_network(imputer, plain, truth, incomplete):
    filled = imputer.transform(incomplete)
    assert (
        restored(filled, truth, incomplete)
        > restored(plain.transform(incomplete), truth, incomplete) + 0.02
    )
    assert filled.where(incomplete.notna()).equals(incomplete)
    assert imputer.model_weights_["regressions"] > imputer.model_weights_["networks"]
    assert plain.model_weights_ == {"networks": 1.0, "regressions": 0.0}


def test_new_rows_are_filled_by_them_too(truth):
    incomplete = truth.mask(np.random.default_rng(1).random(truth.shape) < 0.1)
    settings = {"random_state": 0}
    first = bt.BayesianNetworkImputer(**settings).fit(incomplete.head(400))
    other = bt.BayesianNetworkImputer(regressions=False, **settings).fit(incomplete.head(400))
    new = (truth.tail(100), incomplete.tail(100))
    by_all, by_network = (restored(i.transform(new[1]), *new) for i in (first, other))
    assert by_all > by_network


def test_the_network_is_that_without_regressions(imputer, plain):
    assert imputer.network_.equals(plain.network_)
    assert len(imputer.networks_) == 1


def test_without_them_cells_have_the_posterior_of_the_network(plain, incomplete):
    cells = plain.cell_probabilities(incomplete.head(3)).set_index(["row", "variable", "state"])
    row = incomplete.iloc[1]
    variable = row.index[row.isna()][0]
    posterior = plain.network_.posterior(variable, row.dropna().to_dict())
    for state, probability in posterior.items():
        assert cells.loc[(1, variable, state), "probability"] == pytest.approx(probability)


def test_cells_have_distributions(imputer, incomplete):
    cells = imputer.cell_probabilities(incomplete)
    totals = cells.groupby(["row", "variable"])["probability"].sum()
    np.testing.assert_allclose(totals, 1)
    best = cells.loc[cells.groupby(["row", "variable"])["probability"].idxmax()]
    filled = imputer.transform(incomplete)
    assert all(filled.loc[row, name] == state for row, name, state, _ in best.to_numpy())


@pytest.mark.parametrize("method", ["joint", "draws"])
def test_whole_rows_are_completed_by_the_network_alone(imputer, plain, incomplete, method):
    if method == "draws":
        tables = [each.sample(incomplete, 2, random_state=3)[1] for each in (imputer, plain)]
    else:
        tables = [pickle.loads(pickle.dumps(each)) for each in (imputer, plain)]
        tables = [each.set_params(completion="joint").transform(incomplete) for each in tables]
    assert tables[0].equals(tables[1])


def test_a_row_in_which_nothing_is_observed_is_that_of_the_network(imputer, plain, incomplete):
    blank = incomplete.head(1).copy()
    blank.iloc[:] = pd.NA
    assert imputer.transform(blank).equals(plain.transform(blank))


@pytest.mark.parametrize("settings", [{"n_networks": 3}, {"tune": True}])
def test_with_several_networks_and_tuning(truth, incomplete, plain, settings):
    imputer = bt.BayesianNetworkImputer(random_state=0, **settings).fit(incomplete)
    assert imputer.model_weights_["regressions"] > 0
    assert len(imputer.networks_) == settings.get("n_networks", 5)
    by_network = restored(plain.transform(incomplete), truth, incomplete)
    assert restored(imputer.transform(incomplete), truth, incomplete) > by_network


def test_tables_of_a_small_network_need_no_regressions():
    network = bt.random_network(12, max_degree=3, random_state=0)
    incomplete = bt.ampute(network.sample(2000, random_state=0), 0.05, random_state=0)
    imputer = bt.BayesianNetworkImputer(n_networks=1, random_state=0).fit(incomplete)
    assert imputer.model_weights_["regressions"] == 0


def test_reports_and_tuning_include_regressions(imputer, plain, incomplete):
    assert imputer.report().accuracy > plain.report().accuracy + 0.01
    tuned, other = (
        bt.BayesianNetworkImputer(tune=True, regressions=each, random_state=0).fit(incomplete)
        for each in (True, False)
    )
    assert tuned.tuning_["log_score"].max() > other.tuning_["log_score"].max() + 0.005


def test_tables_of_few_cells_have_no_regressions():
    coins = pd.DataFrame(np.random.default_rng(0).integers(2, size=(8, 6))).rename(columns=str)
    imputer = bt.BayesianNetworkImputer(n_networks=3, random_state=0).fit(coins)
    plain = bt.BayesianNetworkImputer(n_networks=3, regressions=False, random_state=0).fit(coins)
    assert imputer.model_weights_["regressions"] == 0
    assert all(a.equals(b) for a, b in zip(imputer.networks_, plain.networks_, strict=True))


def test_time_limits_may_be_longer_than_clocks(incomplete):
    assert bt.BayesianNetworkImputer(time_limit=1e10, random_state=0).fit(incomplete).networks_


def test_a_variable_of_very_many_states_is_left_to_the_network(truth):
    table = truth.assign(name=[f"n{i % 100}" for i in range(N_ROWS)])
    incomplete = table.mask(np.random.default_rng(1).random(table.shape) < 0.1)
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(incomplete)
    assert imputer.model_weights_["regressions"] > 0
    assert not imputer.transform(incomplete).isna().any().any()


def test_the_same_on_any_number_of_threads(incomplete, imputer):
    other = bt.BayesianNetworkImputer(n_networks=1, random_state=0, n_jobs=3).fit(incomplete)
    pd.testing.assert_frame_equal(
        imputer.cell_probabilities(incomplete), other.cell_probabilities(incomplete)
    )


@pytest.mark.parametrize("way", WAYS)
def test_saved_imputers_bring_regressions_along(imputer, incomplete, tmp_path, way):
    other = stored_and_loaded(imputer, tmp_path, way)
    assert other.model_weights_ == imputer.model_weights_
    pd.testing.assert_frame_equal(
        other.cell_probabilities(incomplete), imputer.cell_probabilities(incomplete)
    )


def encoded(*numbers):
    return base64.b64encode(np.array(numbers, dtype="<f4").tobytes()).decode()


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (3, "regressions must be an object; got 3"),
        ({"extra": 1}, "'extra' is no part of regressions, which has means, factor, weights"),
        ({"means": [0.5]}, '"means" must be 60 numbers'),
        ({"means": ["a"] * 60}, "means[0] must be a number from -1e+09 to 1e+09; got 'a'"),
        ({"weights": [1, 1, 1]}, "weights must be a list of 2 items; got [1, 1, 1]"),
        ({"weights": [1, -1]}, "weights[1] must be a number from 0 to 10; got -1"),
        ({"weights": [1, 1e300]}, "weights[1] must be a number from 0 to 10; got 1e+300"),
        (
            {"weights": [1, 0]},
            '"weights" must give regressions more than 0; without them they are null',
        ),
        ({"factor": "no base64!"}, '"factor" must be finite numbers'),
        ({"factor": encoded([0.1])}, '"factor" must be finite numbers'),
        ({"factor": encoded([np.nan] * 60)}, '"factor" must be finite numbers'),
        ({"factor": encoded([2.0] * 60)}, '"factor" must be that of an inverse'),
        ({"factor": encoded([1e38] * 60)}, '"factor" must be that of an inverse'),
    ],
)
def test_regressions_that_cannot_be_are_refused_in_files(imputer, tmp_path, changed, problem):
    def change(contents):
        whole = contents["regressions"]
        contents["regressions"] = whole | changed if isinstance(changed, dict) else changed

    path = changed_file(imputer, tmp_path, change)
    with pytest.raises(FileFormatError, match=re.escape(problem)):
        bt.BayesianNetworkImputer.read(path)


def test_an_empty_factor_means_independence(imputer, incomplete, tmp_path):
    def change(contents):
        contents["regressions"] |= {"factor": "", "weights": [0.0, 1.0]}

    row = incomplete.head(1).copy()
    row["x1"] = pd.NA
    other = row.copy()
    other["x3"] = 1 - other["x3"].fillna(0)
    loaded = bt.BayesianNetworkImputer.read(changed_file(imputer, tmp_path, change))
    one, two = (loaded.cell_probabilities(each).set_index("variable") for each in (row, other))
    assert one.loc["x1", "probability"].tolist() == two.loc["x1", "probability"].tolist()


def test_regressions_must_be_true_or_false(incomplete):
    with pytest.raises(ValueError, match="regressions must be True or False; got 'auto'"):
        bt.BayesianNetworkImputer(regressions="auto").fit(incomplete)


@pytest.mark.parametrize("search", ["k-max", "anneal", "hill-climb"])
def test_searches_leave_time_for_regressions(incomplete, search):
    imputer = bt.BayesianNetworkImputer(2, time_limit=5, random_state=0)
    imputer.set_params(learner__search=search).fit(incomplete)
    assert imputer.model_weights_["regressions"] > 0


@pytest.mark.parametrize(
    ("error", "warning", "words"),
    [
        (TimeoutError, TimeLimitWarning, "too short for regressions"),
        (KeyboardInterrupt, InterruptedWarning, "there are no regressions"),
    ],
)
@pytest.mark.parametrize("step", ["fit_regressions", "_learn_other"])
def test_what_ends_regressions_is_warned_of_and_leaves_the_network(
    plain, incomplete, monkeypatch, step, error, warning, words
):
    def ended(*args, **options):
        raise error

    monkeypatch.setattr(f"baytree.imputation.learned_networks.{step}", ended)
    with pytest.warns(warning, match=words):
        imputer = bt.BayesianNetworkImputer(n_networks=1, random_state=0).fit(incomplete)
    assert imputer.is_interrupted_ == (error is KeyboardInterrupt)
    assert imputer.transform(incomplete).equals(plain.transform(incomplete))


def test_notebooks_name_the_models_that_impute(imputer):
    assert "1 network and regressions" in imputer._repr_html_()
    joint = pickle.loads(pickle.dumps(imputer)).set_params(completion="joint")
    assert "and regressions" not in joint._repr_html_()


@pytest.fixture(scope="module")
def factorial():
    """All combinations of the states of six variables, in which nothing depends on anything."""
    states = ["abcd", "abcd", "abcd", "abc", "abc", "abc"]
    return pd.DataFrame(list(itertools.product(*states)), columns=[*"uvwxyz"])


@pytest.mark.parametrize("n_networks", [1, 5])
def test_where_nothing_can_be_learned_the_most_frequent_states_are_imputed(factorial, n_networks):
    for seed in range(3):
        incomplete = factorial.mask(np.random.default_rng(seed).random(factorial.shape) < 0.15)
        imputer = bt.BayesianNetworkImputer(n_networks=n_networks, random_state=seed)
        modes = incomplete.fillna(incomplete.mode().iloc[0])
        found = restored(imputer.fit_transform(incomplete), factorial, incomplete)
        assert found >= restored(modes, factorial, incomplete) - 0.005


def test_the_weights_of_a_small_table_hardly_depend_on_the_seed(truth):
    table = truth.iloc[:150, :12]
    incomplete = table.mask(np.random.default_rng(1).random(table.shape) < 0.1)
    found = []
    for seed in range(6):
        imputer = bt.BayesianNetworkImputer(random_state=seed)
        filled = imputer.fit_transform(incomplete)
        weights = imputer.model_weights_
        weight = weights["regressions"] / sum(weights.values())
        found.append((weights["regressions"], weight, restored(filled, table, incomplete)))
    exponents, weights, shares = np.transpose(found)
    assert (exponents > 0.3).all()
    assert np.ptp(weights) < 0.2
    assert np.ptp(shares) < 0.05
