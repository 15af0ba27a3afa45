"""Numbers that are imputed: means, medians, draws and their quality."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.linear_model import LinearRegression

import baytree as bt
from baytree.exceptions import EmptyVariableWarning, FileFormatError, UnknownStateError
from stored_imputers import WAYS, changed_file, stored_and_loaded

pytestmark = pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")

N_ROWS = 400


@pytest.fixture(scope="module")
def linear():
    """Three numbers that depend on each other, one of them skewed, and a group."""
    random = np.random.default_rng(0)
    first = random.normal(10, 3, N_ROWS)
    second = 2 * first + random.normal(0, 2, N_ROWS)
    third = np.exp(0.2 * first + random.normal(0, 0.3, N_ROWS)).round(2)
    count = pd.array((first * 10).round().astype(int), dtype="Int64")
    group = np.where(first + random.normal(0, 1, N_ROWS) > 10, "high", "low")
    columns = {"first": first, "second": second, "third": third, "count": count, "group": group}
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def hidden(linear):
    return np.random.default_rng(1).random(linear.shape) < 0.2


@pytest.fixture(scope="module")
def imputer(linear, hidden):
    return bt.BayesianNetworkImputer(random_state=0).fit(linear.mask(hidden))


def rmse(filled, truth, is_hidden):
    return float(np.sqrt(np.mean((filled[is_hidden] - truth[is_hidden]) ** 2)))


def test_a_number_is_predicted_almost_as_by_a_regression_on_the_complete_others(linear, hidden):
    truth, is_hidden = linear[["first", "second"]], hidden[:, 0] & ~hidden[:, 1]
    table = truth.copy()
    table.loc[is_hidden, "first"] = np.nan
    filled = bt.BayesianNetworkImputer(random_state=0).fit_transform(table)
    known = ~is_hidden
    line = LinearRegression().fit(truth.loc[known, ["second"]], truth.loc[known, "first"])
    expected = line.predict(truth.loc[is_hidden, ["second"]])
    error = rmse(filled["first"], truth["first"], is_hidden)
    assert error < 1.1 * np.sqrt(np.mean((expected - truth.loc[is_hidden, "first"]) ** 2))


@pytest.mark.parametrize("n_networks", [1, 3])
def test_means_of_numbers_are_better_than_means_of_columns_and_of_bins(linear, hidden, n_networks):
    table = linear.mask(hidden)
    settings = {"n_networks": n_networks, "random_state": 0}
    filled = bt.BayesianNetworkImputer(**settings).fit_transform(table)
    by_bins = bt.BayesianNetworkImputer(regressions=False, **settings).fit_transform(table)
    for column, name in enumerate(["first", "second"]):
        own, truth = hidden[:, column], linear[name]
        assert rmse(filled[name], truth, own) < 0.8 * rmse(by_bins[name], truth, own)
        assert rmse(by_bins[name], truth, own) < 0.8 * truth.std()


def test_integers_stay_integers_and_numbers_stay_in_their_range(linear, hidden, imputer):
    table = linear.mask(hidden)
    filled = imputer.transform(table)
    assert filled.dtypes.equals(table.dtypes)
    for name in ("first", "second", "third", "count"):
        assert filled[name].between(table[name].min(), table[name].max()).all()
        assert filled[name][table[name].notna()].equals(table[name].dropna())


def test_without_regressions_a_number_is_the_mean_of_its_distribution(linear, hidden):
    table = linear.mask(hidden)
    imputer = bt.BayesianNetworkImputer(regressions=False, random_state=0).fit(table)
    filled, cells = imputer.transform(table), imputer.cell_probabilities(table)
    bins = imputer.network_._encoding.bins[0]
    means = dict(zip(bins.labels, bins.means, strict=True))
    own = cells[cells["variable"] == "first"]
    expected = (own["state"].map(means) * own["probability"]).groupby(own["row"]).sum()
    found = filled["first"][expected.index]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("n_networks", [1, 2])
def test_the_median_is_in_the_middle_of_the_distribution(n_networks):
    random = np.random.default_rng(0)
    group = random.choice(["a", "b", "c"], size=400)
    low = random.random(400) < 0.3  # a narrow peak far from where most numbers are
    number = np.where(low, random.normal(0, 0.1, 400), random.normal(50, 20, 400))
    table = pd.DataFrame({"group": group, "number": number, "other": number + random.random(400)})
    table = bt.ampute(table, 0.2, random_state=1)
    settings = {"completion": "median", "n_networks": n_networks, "random_state": 0}
    imputer = bt.BayesianNetworkImputer(max_treewidth=2, **settings).fit(table)
    filled = imputer.transform(table)
    cells = imputer.cell_probabilities(table)
    bins = {name: imputer.network_._encoding.bins[i] for i, name in enumerate(table) if i}
    n_checked = 0
    for (row, name), cell in cells.groupby(["row", "variable"], sort=False):
        if name not in bins:
            continue
        states = dict(zip(cell["state"], cell["probability"], strict=True))
        up_to = itertools.accumulate(states[label] for label in bins[name].labels)
        middle = next(i for i, share in enumerate(up_to) if share >= 0.5)
        assert bins[name].codes(np.array([filled.loc[row, name]])) == [middle]
        n_checked += 1
    assert n_checked > 50


def quantiles_and_truth(imputer, linear, hidden, levels):
    """Quantiles of the hidden numbers, a column per level, and the numbers themselves."""
    cells = imputer.cell_probabilities(linear.mask(hidden), quantiles=levels)
    own = cells[cells["variable"].isin(["first", "second", "third"])]
    wide = own.pivot(index=["row", "variable"], columns="probability", values="state")
    truth = [linear.loc[row, variable] for row, variable in wide.index]
    return wide.astype(float), np.array(truth)[:, None]


def test_quantiles_of_numbers_hold_their_share_of_hidden_ones(linear, hidden, imputer):
    levels = [0.05, 0.5, 0.95]
    found, truth = quantiles_and_truth(imputer, linear, hidden, levels)
    assert list(found) == levels
    assert (found.diff(axis=1).iloc[:, 1:] >= 0).all(axis=None)
    np.testing.assert_allclose((truth <= found).mean(), levels, atol=0.06)


def pinball_loss(truth, found, levels):
    error = truth - found
    return np.maximum(levels * error, (levels - 1) * error).mean()


def test_quantiles_use_the_regressions_also_within_bins(linear, hidden, imputer):
    levels = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
    by_bins = bt.BayesianNetworkImputer(regressions=False, random_state=0).fit(linear.mask(hidden))
    losses = []
    for own in (imputer, by_bins):
        found, truth = quantiles_and_truth(own, linear, hidden, levels.tolist())
        losses.append(pinball_loss(truth, found.to_numpy(), levels))
    assert losses[0] < 0.92 * losses[1]


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_diabetes])
def test_quantiles_are_calibrated_and_better_than_those_of_bins(load):
    table = load(as_frame=True).data
    table = table / table.std()
    is_hidden = np.random.default_rng(0).random(table.shape) < 0.15
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(table.mask(is_hidden))
    levels = [0.05, 0.5, 0.95]
    cells = imputer.cell_probabilities(table.mask(is_hidden), quantiles=levels)
    of_bins = imputer.cell_probabilities(table.mask(is_hidden))
    is_covered, losses = [], []
    for position, name in enumerate(table):
        own = cells[cells["variable"] == name]
        found = own.pivot(index="row", columns="probability", values="state").astype(float)
        truth = table.loc[found.index, name].to_numpy()
        is_covered.extend((found[0.05] <= truth) & (truth <= found[0.95]))
        bins = imputer.network_._encoding.bins[position]
        shares = of_bins.loc[of_bins["variable"] == name, "probability"].to_numpy()
        shares = shares.reshape(len(truth), -1)
        losses += [
            (
                pinball_loss(truth, found[level].to_numpy(), level),
                pinball_loss(truth, bins.quantiles(shares, level), level),
            )
            for level in levels
        ]
    assert 0.86 < np.mean(is_covered) < 0.94
    ours, by_bins = np.mean(losses, axis=0)
    assert ours < by_bins


def test_quantiles_leave_the_distributions_of_states(linear, hidden, imputer):
    table = linear.mask(hidden)
    cells = imputer.cell_probabilities(table, quantiles=[0.1, 0.9])
    probabilities = imputer.cell_probabilities(table)
    states = probabilities[probabilities["variable"] == "group"].reset_index(drop=True)
    same = cells[cells["variable"] == "group"].reset_index(drop=True)
    pd.testing.assert_frame_equal(same, states.astype(same.dtypes))


@pytest.mark.parametrize("quantiles", [0.5, [0.0], [1.5], ["half"], []])
def test_quantiles_that_cannot_be_are_refused(linear, imputer, quantiles):
    with pytest.raises(ValueError, match="quantiles must be"):
        imputer.cell_probabilities(linear, quantiles=quantiles)


def test_draws_keep_means_deviations_and_correlations(linear):
    numbers = ["first", "second", "third"]
    drawn = []
    for seed in range(5):
        table = linear.mask(np.random.default_rng(seed).random(linear.shape) < 0.2)
        imputer = bt.BayesianNetworkImputer(random_state=seed).fit(table)
        drawn += imputer.sample(table, 2)
    truth = linear[numbers]
    means = np.mean([own[numbers].mean() for own in drawn], axis=0)
    deviations = np.mean([own[numbers].std() for own in drawn], axis=0)
    correlations = np.mean([own[numbers].corr() for own in drawn], axis=0)
    np.testing.assert_allclose(means, truth.mean(), rtol=0.02)
    np.testing.assert_allclose(deviations, truth.std(), rtol=0.05)
    np.testing.assert_allclose(correlations, truth.corr(), atol=0.03)
    assert drawn[0]["count"].dtype == "Int64"


def test_draws_are_spread_and_depend_on_the_seed_alone(linear, hidden, imputer):
    table = linear.mask(hidden)
    one, two = imputer.sample(table, 2, random_state=0)
    assert not one.equals(two)
    assert one["first"][hidden[:, 0]].nunique() > 0.9 * hidden[:, 0].sum()
    assert imputer.sample(table, 2, random_state=0)[1].equals(two)


def test_rows_without_an_observed_cell_get_the_means_of_columns(linear, imputer):
    empty = linear.head(2).mask(np.ones((2, linear.shape[1]), dtype=bool))
    filled = imputer.transform(empty)
    assert filled.loc[0, "first"] == pytest.approx(linear["first"].mean(), abs=1)


def test_a_table_of_numbers_alone_has_regressions(linear, hidden):
    table = linear[["first", "second"]].mask(hidden[:, :2])
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(table)
    assert imputer.transform(table).notna().all(axis=None)
    assert imputer.report().normalized_rmse < 0.8


def test_huge_and_tiny_numbers_are_filled(linear, hidden):
    for scale in (1e300, 1e-300):
        table = (linear[["first", "second"]] * scale).mask(hidden[:, :2])
        filled = bt.BayesianNetworkImputer(random_state=0).fit_transform(table)
        usual = bt.BayesianNetworkImputer(random_state=0).fit_transform(table / scale)
        np.testing.assert_allclose(filled / scale, usual, rtol=0.1)


@pytest.mark.parametrize("scale", [1e303, 1e-305])
def test_reports_know_the_errors_of_huge_and_tiny_numbers(linear, hidden, scale):
    table = linear[["first", "second"]].mask(hidden[:, :2])
    usual, scaled = (
        bt.BayesianNetworkImputer(random_state=0).fit(own).report()
        for own in (table, table * scale)
    )
    assert scaled.normalized_rmse == pytest.approx(usual.normalized_rmse, rel=0.1)
    errors = ["rmse", "mae", "mean_rmse"]
    np.testing.assert_allclose(scaled.variables[errors] / scale, usual.variables[errors], rtol=0.1)


@pytest.mark.parametrize("number", [1e308, -1.7e308])
def test_new_rows_may_hold_numbers_however_large(linear, imputer, number):
    row = linear.head(1).copy()
    row["first"] = number
    row["second"] = row["third"] = np.nan
    row["group"] = None
    filled = imputer.transform(row)
    assert filled["second"].between(linear["second"].min(), linear["second"].max()).all()
    assert imputer.sample(row, 1)[0].notna().all(axis=None)
    assert np.isfinite(imputer.cell_probabilities(row)["probability"]).all()


def test_quantiles_of_a_polars_frame_of_numbers_are_numbers(linear, hidden):
    polars = pytest.importorskip("polars")
    table = linear[["first", "second"]].mask(hidden[:, :2])
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(table)
    expected = imputer.cell_probabilities(table, quantiles=[0.1, 0.9])
    found = imputer.cell_probabilities(polars.from_pandas(table), quantiles=[0.1, 0.9])
    assert found["state"].to_list() == expected["state"].tolist()


@pytest.mark.parametrize(("completion", "words"), [("median", True), ("joint", False)])
def test_notebooks_name_regressions_where_these_complete_cells(imputer, completion, words):
    other = pickle.loads(pickle.dumps(imputer)).set_params(completion=completion)
    assert ("and regressions" in other._repr_html_()) == words


def test_numbers_do_not_depend_on_threads(linear, hidden, imputer):
    table = linear.mask(hidden)
    other = bt.BayesianNetworkImputer(n_jobs=3, random_state=0).fit(table)
    assert other.transform(table).equals(imputer.transform(table))
    assert other.sample(table, 1)[0].equals(imputer.sample(table, 1)[0])


def test_empty_columns_between_others_change_nothing(linear, hidden, imputer):
    table = linear.mask(hidden)
    wide = table.copy()
    wide.insert(0, "none", np.nan)
    wide.insert(3, "nothing", None)
    with pytest.warns(EmptyVariableWarning):
        other = bt.BayesianNetworkImputer(random_state=0).fit(wide)
    assert other.transform(wide)[table.columns].equals(imputer.transform(table))
    one, two = other.sample(wide, 1)[0], imputer.sample(table, 1)[0]
    assert one[table.columns].equals(two)


@pytest.mark.parametrize("way", WAYS)
def test_stored_imputers_bring_numbers_along(linear, hidden, imputer, tmp_path, way):
    table = linear.mask(hidden)
    other = stored_and_loaded(imputer, tmp_path, way)
    assert other.transform(table).equals(imputer.transform(table))
    assert other.sample(table, 1)[0].equals(imputer.sample(table, 1)[0])


@pytest.mark.parametrize(
    "name", ["means", "deviations", "spreads", "by_networks", "by_regressions"]
)
@pytest.mark.parametrize("value", [1e308, -1e308, 5e-324, 10**400, -(10**400), -1, "a", None])
def test_numbers_that_cannot_be_are_refused_in_files_or_harmless(
    linear, hidden, imputer, tmp_path, name, value
):
    def change(contents):
        contents["regressions"]["numbers"][name][0] = value

    path = changed_file(imputer, tmp_path, change)
    try:
        loaded = bt.BayesianNetworkImputer.read(path)
    except FileFormatError:
        return
    table = linear.mask(hidden)
    assert loaded.transform(table).notna().all(axis=None)
    assert loaded.sample(table, 1)[0].notna().all(axis=None)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("means", [0.0], '"means" must be of 4 variables'),
        ("means", [1e308] * 4, '"means" and "deviations" must be those of the numbers'),
        ("deviations", [0.0] * 4, '"deviations" must be above 0'),
        ("deviations", [5e-324] * 4, '"means" and "deviations" must be those of the numbers'),
        ("spreads", [10**400] * 4, r"spreads\[0\] must be a number from 0.001 to 1e\+09"),
        ("by_networks", [-1.0] * 4, r"by_networks\[0\] must be a number from 0 to 10"),
        ("group_weights", [[]] * 4, '"group_weights" must be above 0, one per group'),
        ("group_weights", [[1e308]] * 4, r"group_weights\[0\]\[0\] must be a number from 0 to 1"),
    ],
)
def test_numbers_that_cannot_be_are_refused_in_files(imputer, tmp_path, name, value, problem):
    def change(contents):
        contents["regressions"]["numbers"][name] = value

    with pytest.raises(FileFormatError, match=problem):
        bt.BayesianNetworkImputer.read(changed_file(imputer, tmp_path, change))


def test_the_error_on_text_among_numbers_says_that_the_column_was_numeric():
    numbers = np.random.default_rng(0).normal(size=100)
    imputer = bt.BayesianNetworkImputer(1, random_state=0).fit(pd.DataFrame({"age": numbers}))
    with pytest.raises(UnknownStateError, match="'age' has '12 kg' in row 1, which is no number"):
        imputer.transform(pd.DataFrame({"age": [np.nan, "12 kg"]}))


def test_integers_of_some_values_are_numbers_with_a_bin_each():
    random = np.random.default_rng(0)
    years = random.integers(8, 22, 600)
    level = np.where(years < 12, "school", np.where(years < 16, "college", "university"))
    pay = 1000.0 * years + random.normal(0, 3000, 600)
    table = pd.DataFrame({"years": years, "level": level, "pay": pay.round()})
    incomplete = table.mask(random.random(table.shape) < 0.15)
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(incomplete)
    assert len(imputer.network_.states("years")) == 14
    own = incomplete["years"].isna()
    filled = imputer.transform(incomplete)["years"]
    assert (filled % 1 == 0).all()
    assert rmse(filled, table["years"], own) < 0.6 * table["years"].std()
    assert "rmse" in imputer.report().variables.loc["years"].dropna()


def test_integers_that_are_all_different_are_numbers_in_short_tables():
    random = np.random.default_rng(0)
    size = np.array([1338, 1739, 363, 2039, 435, 306, 552, 189, 217, 350, 82, 156])
    table = pd.DataFrame({"size": size, "price": 5 * size + random.integers(-50, 50, 12)})
    incomplete = table.astype(float)
    incomplete.loc[[1, 3], "size"] = np.nan
    filled = bt.BayesianNetworkImputer(random_state=0).fit_transform(incomplete)
    assert (filled.loc[[1, 3], "size"] > np.median(size)).all()


def test_an_imputer_refuses_more_bins_than_it_can_impute_from(linear):
    imputer = bt.BayesianNetworkImputer(learner=bt.NetworkLearner(n_bins=65))
    with pytest.raises(ValueError, match="n_bins=65; an imputer can have at most 64 bins"):
        imputer.fit(linear)
