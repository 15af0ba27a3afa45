"""Numbers drawn and predicted by networks, against the tables that they were learned from."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baytree as bt
from baytree.tables.bins import Bins, fit_bins

pytestmark = pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")

N = 3000


@pytest.fixture(scope="module")
def shop():
    """Return a table of skewed prices, weights close to them, whole pieces and a kind."""
    random = np.random.default_rng(0)
    price = np.exp(random.normal(1, 0.8, N)).round(2)
    return pd.DataFrame(
        {
            "price": price,
            "weight": 3 * price + random.normal(0, 0.6, N),
            "pieces": random.poisson(60 + 10 * price),
            "kind": np.where(price > 3, "dear", "cheap"),
        },
        index=range(5, N + 5),
    )


@pytest.fixture(scope="module")
def network(shop):
    return bt.NetworkLearner(2, search="hill-climb").fit(shop).network_


@pytest.mark.parametrize("name", ["price", "weight", "pieces"])
def test_sampled_numbers_have_the_mean_and_deviation_of_the_table(network, shop, name):
    drawn = network.sample(20 * N, random_state=0)[name]
    assert drawn.mean() == pytest.approx(shop[name].mean(), rel=0.02)
    assert drawn.std() == pytest.approx(shop[name].std(), rel=0.03)


@pytest.mark.parametrize("correlation", [-0.95, 0.7])
def test_sampled_numbers_are_correlated_nearly_as_in_the_table(correlation):
    covariance = [[1, correlation], [correlation, 1]]
    table = np.random.default_rng(1).multivariate_normal([0, 0], covariance, size=2000)
    network = bt.NetworkLearner(1, search="chow-liu").fit(table).network_
    drawn = network.sample(20_000, random_state=0).corr().iloc[0, 1]
    assert drawn == pytest.approx(np.corrcoef(table.T)[0, 1], abs=0.05)


def test_sampled_numbers_are_of_the_kind_in_the_table(network, shop):
    drawn = network.sample(N, random_state=0)
    assert drawn.dtypes.tolist() == shop.dtypes.tolist()
    np.testing.assert_array_equal(drawn["price"].round(2), drawn["price"])
    for name in ("price", "weight", "pieces"):
        assert shop[name].min() <= drawn[name].min() < drawn[name].max() <= shop[name].max()
        assert drawn[name].nunique() > 100


def test_rows_of_a_seed_do_not_depend_on_threads_nor_on_a_file(network, tmp_path):
    network.write(tmp_path / "network.json")
    again = bt.BayesianNetwork.read(tmp_path / "network.json")
    rows = network.sample(500, random_state=3)
    assert rows.equals(network.sample(500, random_state=3, n_jobs=2))
    for name, own in again.sample(500, random_state=3).items():
        assert own.tolist() == rows[name].tolist()


@pytest.mark.parametrize("container", [dict, pd.Series])
def test_a_number_as_evidence_comes_back_and_a_bin_is_drawn_from(network, container):
    name = network.states("price")[1]
    low, high = map(float, name.strip("(]").split(", "))
    given = container({"price": 2.5, "weight": None, "kind": "cheap"})
    assert set(network.sample(50, given)["price"]) == {2.5}
    drawn = network.sample(500, {"price": name}, random_state=0)["price"]
    assert low < drawn.min() < drawn.max() <= high
    assert network.sample(50, {"pieces": 1e9})["pieces"].nunique() == 1  # the largest observed


def test_networks_from_arrays_draw_numbers(shop):
    table = shop[["price", "weight"]].to_numpy()
    rows = bt.NetworkLearner(1, search="chow-liu").fit(table).network_.sample(9000, random_state=0)
    assert rows.columns.tolist() == ["x0", "x1"]
    assert rows.mean().tolist() == pytest.approx(table.mean(axis=0).tolist(), rel=0.05)


def test_predicted_numbers_are_posterior_means(network, shop):
    rows = shop.drop(columns="price")[:200]
    predicted = network.predict(rows, "price")
    assert predicted.index.equals(rows.index)
    shares = network.predict_proba(rows, "price").to_numpy()
    edges = network._encoding.bins[0].edges
    means = shop["price"].groupby(pd.cut(shop["price"], edges, include_lowest=True)).mean()
    assert predicted.tolist() == pytest.approx((shares @ means.to_numpy()).tolist())
    error = ((predicted - shop["price"][:200]) ** 2).mean() ** 0.5
    assert error < 0.5 * shop["price"].std()


def test_predicted_whole_numbers_are_whole(network, shop):
    rows = shop[["weight", "price"]][:50]
    predicted = network.predict(rows, ["pieces", "kind"])
    assert predicted["pieces"].dtype == np.int64
    assert {*predicted["kind"]} <= {"dear", "cheap"}
    of_polars = network.predict(pl.from_pandas(rows), "pieces")
    assert of_polars.dtype == pl.Int64
    assert of_polars.to_list() == predicted["pieces"].tolist()


def test_numbers_completed_independently_are_posterior_means(network, shop):
    table = shop[:100].copy()
    table.loc[table.index[::2], ["price", "pieces"]] = np.nan
    filled = network.impute(table, completion="independent")
    missing = table[::2]
    for name in ("price", "pieces"):
        predicted = network.predict(missing.drop(columns=name), name)
        assert filled[name][::2].tolist() == pytest.approx(predicted.tolist())
        assert filled[name][1::2].tolist() == table[name][1::2].tolist()


@pytest.mark.parametrize("n_bins", [2, 5])
@pytest.mark.parametrize("level", [0.0, 0.1, 0.5, 0.8, 1.0])
def test_quantiles_of_distributions_over_bins_are_those_of_draws(level, n_bins):
    random = np.random.RandomState(0)
    numbers = np.exp(random.normal(size=4000))
    bins = fit_bins(numbers, n_bins, "quantile")
    shares = random.dirichlet(np.ones(n_bins), size=4)
    shares[0], shares[1] = np.eye(n_bins)[[0, -1]]
    found = bins.quantiles(shares, level)
    for share, quantile in zip(shares, found, strict=True):
        codes = random.choice(n_bins, p=share, size=40_000).astype(np.int32)
        drawn = bins.draw(codes, random)
        below, up_to = (drawn < quantile).mean(), (drawn <= quantile).mean()
        assert below - 0.01 <= level <= up_to + 0.01


def test_medians_of_single_bins_are_near_those_of_their_numbers():
    numbers = np.exp(np.random.RandomState(0).normal(size=4000))
    bins = fit_bins(numbers, 5, "quantile")
    np.testing.assert_allclose(bins.quantiles(np.eye(5), 0.5), bins.medians, rtol=0.02)


def test_uniform_levels_draw_numbers_as_a_random_state_does():
    random = np.random.RandomState(0)
    numbers = np.floor(30 * np.exp(random.normal(size=4000)))
    bins = fit_bins(numbers, 4, "quantile")
    codes = bins.codes(np.tile(numbers, 10))
    drawn = bins.quantiles(np.eye(4)[codes], random.random_sample(len(codes)))
    np.testing.assert_array_equal(bins.codes(drawn), codes)
    np.testing.assert_array_equal(drawn, np.floor(drawn))
    assert drawn.mean() == pytest.approx(numbers.mean(), rel=0.02)
    assert drawn.std() == pytest.approx(numbers.std(), rel=0.02)


def test_quantiles_run_through_a_bin_from_end_to_end():
    bins = Bins(edges=(0.0, 1.0, 5.0), medians=(0.5, 3.0))
    fractions = np.linspace(0, 1, 101)
    for code, (low, high) in enumerate([(0, 1), (1, 5)]):
        found = bins.quantiles(np.eye(2)[np.full(101, code)], fractions)
        assert (np.diff(found) > 0).all()
        assert (found[0], found[50], found[-1]) == pytest.approx((low, (low + high) / 2, high))


def test_posteriors_over_bins_have_the_mean(network, shop):
    posterior = network.posterior("price", {"kind": "dear"})
    assert posterior.index.tolist() == [*network.states("price")]
    expected = shop["price"][shop["kind"] == "dear"].mean()
    assert posterior.attrs["mean"] == pytest.approx(expected, rel=0.02)
    assert network.posterior("kind").attrs == {}
    assert network.posterior(["price", "kind"]).attrs == {}
