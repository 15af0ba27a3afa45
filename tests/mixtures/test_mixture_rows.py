import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baytree as bt
import row_oracle
from baytree.exceptions import InferenceTooLargeError, UnknownStateError, UnknownVariableError
from baytree.mixtures import mixture_rows
from baytree.networks import row_calls
from mixture_oracle import mixture_table, small_mixtures

SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture
def year():
    states = {"rain": [0, 1], "wet": [False, True]}
    winter = bt.BayesianNetwork(
        states, [("rain", "wet")], cpts={"rain": [0.2, 0.8], "wet": [[1.0, 0.0], [0.1, 0.9]]}
    )
    summer = bt.BayesianNetwork(states, cpts={"rain": [0.9, 0.1], "wet": [1.0, 0.0]})
    return bt.NetworkMixture([winter, summer], [0.25, 0.75])


@pytest.fixture
def rows():
    return pd.DataFrame(
        {"rain": [None, 1, 0, None], "wet": [True, None, True, None]}, index=[10, 20, 30, 40]
    )


@pytest.fixture
def binned():
    """A mixture of numbers: two groups of rows, apart in both columns."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 400)
    table = pd.DataFrame(
        {"length": np.round(group * 5 + rng.normal(size=400), 2), "group": group.astype(str)}
    )
    learner = bt.MixtureLearner(2, n_bins=4, max_iterations=300, random_state=0)
    return learner.fit(table).mixture_, table


def random_rows(mixture, rng, n_rows=12):
    arities = [len(mixture.states(name)) for name in mixture.variables]
    codes = np.column_stack([rng.integers(-1, arity, n_rows) for arity in arities])
    labels = {
        name: [None if code < 0 else mixture.states(name)[code] for code in own]
        for name, own in zip(mixture.variables, codes.T, strict=True)
    }
    return codes, pd.DataFrame(labels, dtype=object)


@given(small_mixtures(), SEEDS)
def test_row_calls_equal_sums_over_all_joint_states(drawn, seed):
    mixture, joint = drawn
    codes, table = random_rows(mixture, np.random.default_rng(seed))
    likelihoods = np.array([row_oracle.row_table(joint, row).sum() for row in codes])
    with np.errstate(divide="ignore"):
        assert mixture.log_likelihood(table) == pytest.approx(np.log(likelihoods))
    by_component = [
        weight
        * np.array([row_oracle.row_table(mixture_table([own], [1]), row).sum() for row in codes])
        for own, weight in zip(mixture.components, mixture.weights, strict=True)
    ]
    is_possible = likelihoods > 0
    shares = np.transpose(by_component)[is_possible] / likelihoods[is_possible, None]
    assert mixture.responsibilities(table).to_numpy()[is_possible] == pytest.approx(shares)
    assert np.isfinite(mixture.responsibilities(table)).all(axis=None)


@given(small_mixtures(), SEEDS)
def test_predictions_equal_sums_over_all_joint_states(drawn, seed):
    mixture, joint = drawn
    codes, table = random_rows(mixture, np.random.default_rng(seed))
    target = mixture.variables[-1]
    found = mixture.predict_proba(table, target).to_numpy()
    labels = mixture.predict(table, target)
    assert found.sum(axis=1) == pytest.approx(1)
    for row, own, label in zip(codes, found, labels, strict=True):
        masked = row_oracle.row_table(joint, [*row[:-1], -1])
        if masked.sum() > 0:
            expected = masked.sum(axis=tuple(range(masked.ndim - 1))) / masked.sum()
            assert own == pytest.approx(expected)
            assert own.max() == pytest.approx(own[mixture.states(target).index(label)])


@pytest.mark.parametrize("n_entries", [1, 4_000_000])
@given(drawn=small_mixtures(), seed=SEEDS)
def test_each_cell_is_imputed_by_its_posterior(n_entries, drawn, seed):
    mixture, joint = drawn
    codes, table = random_rows(mixture, np.random.default_rng(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixture_rows, "MAX_BLOCK_ENTRIES", n_entries)
        filled = mixture.state_codes(mixture.impute(table))
    for row, completed in zip(codes, filled, strict=True):
        assert (completed >= 0).all()
        assert (completed[row >= 0] == row[row >= 0]).all()
        if row_oracle.row_table(joint, row).sum() > 0 and (row < 0).any():
            marginals = row_oracle.cell_marginals(joint, row)
            for code, marginal in zip(completed[row < 0], marginals, strict=True):
                assert marginal[code] == pytest.approx(marginal.max())


@given(drawn=small_mixtures(), seed=SEEDS)
def test_a_joint_completion_is_the_best_of_one_component(drawn, seed):
    mixture, joint = drawn
    codes, table = random_rows(mixture, np.random.default_rng(seed))
    filled = mixture.state_codes(mixture.impute(table, completion="joint"))
    tables = [
        weight * mixture_table([own], [1])
        for own, weight in zip(mixture.components, mixture.weights, strict=True)
    ]
    for row, completed in zip(codes, filled, strict=True):
        assert (completed[row >= 0] == row[row >= 0]).all()
        best = max(row_oracle.row_table(own, row).max() for own in tables)
        assert max(own[tuple(completed)] for own in tables) == pytest.approx(best)
        assert joint[tuple(completed)] * mixture.n_components >= (
            row_oracle.row_table(joint, row).max() * (1 - 1e-9)
        )


def test_rows_without_an_observed_cell_and_impossible_rows_have_answers(year, rows):
    found = year.log_likelihood(rows)
    assert found[3] == pytest.approx(0)
    assert found[2] == -np.inf
    assert year.responsibilities(rows).loc[40].tolist() == pytest.approx([0.25, 0.75])
    assert year.responsibilities(rows).loc[30].sum() == pytest.approx(1)
    assert year.responsibilities(rows).loc[10].tolist() == [1, 0]
    assert year.impute(rows).notna().all(axis=None)
    assert np.isfinite(year.predict_proba(rows, ["rain", "wet"])).all(axis=None)


def test_labels_come_back_as_they_are(year, rows):
    assert year.predict(rows, "wet").tolist() == [False, True, False, False]
    filled = year.impute(rows)
    assert filled["rain"].tolist() == [1, 1, 0, 0]
    assert [type(state) for state in filled["wet"]] == [bool] * 4
    assert year.predict_proba(rows, "rain").columns.tolist() == [0, 1]


@pytest.mark.parametrize("n_jobs", [2, 4, -1])
def test_answers_do_not_depend_on_threads(year, n_jobs):
    rng = np.random.default_rng(0)
    table = random_rows(year, rng, 500)[1]
    for call in (year.log_likelihood, year.impute, year.responsibilities):
        first, second = call(table), call(table, n_jobs=n_jobs)
        assert np.array_equal(first, second)
    assert year.predict_proba(table, "rain").equals(
        year.predict_proba(table, "rain", n_jobs=n_jobs)
    )


def test_every_container_comes_back(year, rows):
    of_polars = pl.from_pandas(rows.reset_index(drop=True))
    assert isinstance(year.impute(of_polars), pl.DataFrame)
    assert isinstance(year.predict(of_polars, "rain"), pl.Series)
    assert isinstance(year.predict_proba(of_polars, "rain"), pl.DataFrame)
    assert isinstance(year.impute(pa.Table.from_pandas(rows, preserve_index=False)), pa.Table)
    array = np.array([[1, np.nan], [np.nan, 0]])
    numbers = bt.NetworkMixture(
        [bt.BayesianNetwork({0: [0, 1], 1: [0, 1]}, cpts={0: [0.4, 0.6], 1: [0.9, 0.1]})]
    )
    assert numbers.impute(array).tolist() == [[1, 0], [1, 0]]
    assert numbers.responsibilities(array).to_numpy().tolist() == [[1], [1]]
    assert year.responsibilities(of_polars).shape == (4, 2)


def test_rows_may_be_none_and_variables_may_be_absent(year):
    empty = pd.DataFrame({"rain": pd.Series([], dtype=object)})
    assert year.log_likelihood(empty).shape == (0,)
    assert year.responsibilities(empty).shape == (0, 2)
    assert year.predict(empty, "wet").shape == (0,)
    assert year.predict_proba(empty, "wet").shape == (0, 2)
    for completion in ("joint", "independent"):
        assert len(year.impute(empty, completion=completion)) == 0
    found = year.log_likelihood(pd.DataFrame({"rain": [0], "day": ["Mon"]}))
    assert found == pytest.approx(np.log([0.25 * 0.2 + 0.75 * 0.9]))


def test_unknown_states_are_refused_or_missing(year):
    table = pd.DataFrame({"rain": [0, 7]})
    with pytest.raises(UnknownStateError, match="state 7"):
        year.log_likelihood(table)
    assert year.log_likelihood(table, handle_unknown="missing")[1] == pytest.approx(0)
    assert len(year.predict(table, "wet", handle_unknown="missing")) == 2
    assert len(year.responsibilities(table, handle_unknown="missing")) == 2
    with pytest.raises(UnknownVariableError):
        year.predict(table, "component")
    with pytest.raises(ValueError, match="completion must be"):
        year.impute(table, completion="median")


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
def test_numbers_are_predicted_by_their_mean(binned):
    mixture, table = binned
    assert mixture.binned_variables == ("length",)
    means = {group: own["length"].mean() for group, own in table.groupby("group")}
    groups = pd.DataFrame({"group": ["0", "1"]})
    assert mixture.predict(groups, "length").tolist() == pytest.approx(
        [means["0"], means["1"]], abs=0.3
    )
    filled = mixture.impute(table.assign(length=np.nan).head(20))
    expected = table.head(20)["group"].map(means)
    assert filled["length"].to_numpy() == pytest.approx(expected.to_numpy(), abs=0.3)
    assert mixture.posterior("length", {"group": "1"}).attrs["mean"] == pytest.approx(
        means["1"], abs=0.3
    )
    assert mixture.posterior("group", {"length": 5.1})["1"] > 0.9
    assert mixture.sample(2000, random_state=0)["length"].mean() == pytest.approx(
        table["length"].mean(), abs=0.3
    )


def test_tables_are_read_in_the_states_of_the_mixture(year, written):
    table = year.read_table(written("rows.csv", "rain,wet,day\n1,true,Mon\n,false,Tue\n"))
    assert table["rain"].tolist() == [1, None]
    assert table["wet"].tolist() == [True, False]


def test_answers_that_memory_cannot_hold_are_refused(year, rows, monkeypatch):
    monkeypatch.setattr(row_calls, "available_memory", lambda: 50)
    with pytest.raises(InferenceTooLargeError, match="2 states in 4 rows"):
        year.responsibilities(rows)
