import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import baytree as bt
from baytree.exceptions import EmptyVariableWarning, TableError, UnknownStateError
from baytree.imputation.missing_cells import hold_out_cells
from baytree.networks.row_calls import answer_rows
from baytree.runtime.seeds import drawn_seed


# None of scikit-learn's checks is expected to fail. check_array_api_input skips itself unless
# SCIPY_ARRAY_API is set.
@pytest.mark.filterwarnings("ignore::baytree.exceptions.BaytreeWarning")
@parametrize_with_checks([bt.BayesianNetworkImputer(2)])
def test_scikit_learn_estimator_checks(estimator, check):
    check(estimator)


def test_scikit_learn_has_many_checks_for_us():
    assert len([*estimator_checks_generator(bt.BayesianNetworkImputer())]) >= 45


@pytest.fixture
def weather():
    """Dependent variables of many dtypes, with missing in all but the last."""
    random = np.random.default_rng(0)
    n = 400
    rain = random.random(n) < 0.4
    wet = rain ^ (random.random(n) < 0.1)
    cold = random.integers(0, 3, n)
    table = pd.DataFrame(
        {
            "rain": pd.array(rain, dtype="boolean"),
            "wet": pd.Series(np.where(wet, "yes", "no"), dtype="str"),
            "cold": pd.Categorical(
                np.array(["cold", "mild", "hot"])[cold], ["cold", "mild", "hot"], ordered=True
            ),
            "degrees": 10.0 * cold + random.normal(0, 3, n),
            "umbrellas": pd.array(rain * 2 + random.integers(0, 2, n), dtype="Int64"),
            "slippery": np.where(wet, "yes", "no"),
        },
        index=pd.Index(np.arange(n) * 7, name="day"),
    )
    for name in table.columns[:-1]:
        table.loc[random.random(n) < 0.15, name] = pd.NA
    return table


@pytest.fixture
def fitted(weather):
    return bt.BayesianNetworkImputer(3, random_state=0).fit(weather)


def joint_table(network):
    """Return the probability of every joint state, from the network's tables alone."""
    states = {name: network.states(name) for name in network.variables}
    rows = []
    for labels in itertools.product(*states.values()):
        row = dict(zip(states, labels, strict=True))
        probability = 1.0
        for name in states:
            parents = network.parents(name)
            cpt = network.cpt(name).to_numpy()
            at = 0
            for parent in parents:
                at = at * len(states[parent]) + states[parent].index(row[parent])
            probability *= cpt[at, states[name].index(row[name])]
        rows.append(row | {"probability": probability})
    return pd.DataFrame(rows)


@pytest.fixture
def small():
    """Four variables of text with missing, and rows to fill."""
    random = np.random.default_rng(1)
    codes = random.integers(0, 2, (300, 4))
    codes[:, 1] = codes[:, 0] ^ (random.random(300) < 0.15)
    codes[:, 3] = (codes[:, 1] + codes[:, 2]) % 3
    table = pd.DataFrame(np.array(["a", "b", "c"])[codes], columns=list("wxyz"))
    return table.mask(random.random(table.shape) < 0.2)


def given(joint, row):
    observed = row.dropna()
    is_same = (joint[observed.index] == observed).all(axis=1)
    return joint[is_same]


def test_cells_get_the_state_of_highest_posterior_by_brute_force(small):
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(small)
    joint, filled = joint_table(imputer.network_), imputer.transform(small)
    for label, row in small[small.isna().any(axis=1)].head(40).iterrows():
        for name in row.index[row.isna()]:
            marginal = given(joint, row).groupby(name)["probability"].sum()
            assert marginal[filled.loc[label, name]] == pytest.approx(marginal.max())


def test_joint_rows_are_the_most_probable_by_brute_force(small):
    imputer = bt.BayesianNetworkImputer(completion="joint", random_state=0).fit(small)
    joint, filled = joint_table(imputer.network_), imputer.transform(small)
    for label, row in small[small.isna().sum(axis=1) > 1].head(40).iterrows():
        possible = given(joint, row)
        chosen = given(possible, filled.loc[label])["probability"]
        assert chosen.iloc[0] == pytest.approx(possible["probability"].max())


@pytest.mark.parametrize("n_networks", [1, 3])
def test_cell_probabilities_are_averages_of_exact_posteriors(small, n_networks):
    imputer = bt.BayesianNetworkImputer(n_networks=n_networks, random_state=0).fit(small)
    joints = [joint_table(network) for network in imputer.networks_]
    found = imputer.cell_probabilities(small).set_index(["row", "variable", "state"])
    assert len(imputer.networks_) == n_networks
    for (label, name), cell in list(found.groupby(level=["row", "variable"]))[:30]:
        assert pd.isna(small.loc[label, name])
        for state in imputer.network_.states(name):
            shares = []
            for joint in joints:
                possible = given(joint, small.loc[label])
                of_state = possible.loc[possible[name] == state, "probability"].sum()
                shares.append(of_state / possible["probability"].sum())
            assert cell.loc[(label, name, state), "probability"] == pytest.approx(np.mean(shares))


def test_cell_probabilities_cover_every_missing_cell(fitted, weather):
    found = fitted.cell_probabilities(weather)
    cells = found.groupby(["row", "variable"], sort=False)["probability"].sum()
    assert len(cells) == weather.isna().sum().sum()
    np.testing.assert_allclose(cells, 1.0)


@pytest.mark.parametrize("states", [[0, 1], ["no", "yes"]])
def test_cell_probabilities_of_a_polars_frame_are_a_polars_frame(states):
    table = pl.DataFrame({"a": ["no", "yes", None] * 12, "b": [*states, None] * 12})
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(table)
    found, expected = map(imputer.cell_probabilities, (table, table.to_pandas()))
    assert isinstance(found, pl.DataFrame)
    assert found.columns == [*expected.columns]
    assert found["state"].to_list() == [*map(str, expected["state"].tolist())]
    assert found["row"].to_list() == expected["row"].tolist()
    assert found["variable"].to_list() == expected["variable"].tolist()
    assert found["probability"].to_list() == expected["probability"].tolist()


def test_several_networks_fill_with_the_state_of_highest_average(small):
    imputer = bt.BayesianNetworkImputer(n_networks=3, random_state=0).fit(small)
    filled = imputer.transform(small)
    found = imputer.cell_probabilities(small)
    for (label, name), cell in found.groupby(["row", "variable"]):
        if small.loc[label].notna().any():
            best = cell.loc[cell["probability"].idxmax(), "state"]
            assert filled.loc[label, name] == best


def test_joint_completion_of_several_networks_is_the_best_of_their_own(small):
    imputer = bt.BayesianNetworkImputer(n_networks=3, completion="joint", random_state=0).fit(small)
    filled = imputer.transform(small)
    own = [network.impute(small, "joint") for network in imputer.networks_]

    def posterior(rows):
        return sum(
            np.exp(n.log_likelihood(rows) - n.log_likelihood(small)) for n in imputer.networks_
        )

    best = np.max([posterior(rows) for rows in own], axis=0)
    np.testing.assert_allclose(posterior(filled), best)


def test_dtypes_categories_index_and_observed_cells_stay(fitted, weather):
    filled = fitted.transform(weather)
    assert filled.dtypes.tolist() == weather.dtypes.tolist()
    assert filled["cold"].cat.categories.tolist() == ["cold", "mild", "hot"]
    assert filled.index.equals(weather.index)
    assert filled.columns.equals(weather.columns)
    assert not filled.isna().any().any()
    for name in weather.columns:
        is_observed = weather[name].notna()
        pd.testing.assert_series_equal(
            filled.loc[is_observed, name], weather.loc[is_observed, name]
        )


def test_numbers_come_back_within_the_range_of_the_observed_ones(fitted, weather):
    numbers = fitted.transform(weather)["degrees"]
    filled = numbers[weather["degrees"].isna()].unique()
    observed = weather["degrees"].dropna()
    assert observed.min() < filled.min()
    assert filled.max() < observed.max()


@pytest.mark.parametrize("dtype", ["float32", "float64", "object", "U3"])
def test_arrays_keep_their_dtype(dtype):
    array = np.array([[0, 0], [0, 0], [1, 1], [1, 1]] * 10).astype(dtype)
    incomplete = array.astype(object) if dtype == "U3" else array.copy()
    incomplete[0, 1] = None if dtype in ("object", "U3") else np.nan
    filled = bt.BayesianNetworkImputer(random_state=0).fit_transform(incomplete)
    assert filled.dtype == incomplete.dtype
    np.testing.assert_array_equal(filled, array.astype(incomplete.dtype))


def test_polars_and_arrow_tables_come_back_as_such(small):
    expected = bt.BayesianNetworkImputer(random_state=0).fit_transform(small)
    frame = pl.from_pandas(small)
    filled = bt.BayesianNetworkImputer(random_state=0).fit_transform(frame)
    assert filled.schema == frame.schema
    assert filled.to_pandas().equals(expected)
    table = pa.Table.from_pandas(small)
    filled = bt.BayesianNetworkImputer(random_state=0).fit_transform(table)
    assert filled.schema.equals(table.schema)
    assert filled.to_pandas().equals(expected)


def test_files_are_filled_like_their_tables(small, tmp_path):
    path = tmp_path / "small.csv"
    small.to_csv(path, index=False)
    imputer = bt.BayesianNetworkImputer(random_state=0)
    assert imputer.fit(path).transform(path).equals(imputer.fit_transform(small))


@pytest.mark.parametrize("mark", [-1, -1.0, np.int64(-1)])
def test_a_number_can_mean_missing_and_integers_stay_integers(mark):
    array = np.array([[0, 0], [0, 0], [1, 1], [1, 1]] * 10)
    array[0, 1] = -1
    filled = bt.BayesianNetworkImputer(missing_values=mark, random_state=0).fit_transform(array)
    assert filled.dtype == array.dtype
    assert filled[0].tolist() == [0, 0]
    frame = pd.DataFrame(array, columns=["a", "b"])
    filled = bt.BayesianNetworkImputer(missing_values=mark, random_state=0).fit_transform(frame)
    assert filled.dtypes.tolist() == frame.dtypes.tolist()
    assert filled.to_numpy().min() == 0


def test_a_word_can_mean_missing_also_as_a_category():
    words = pd.Series(["a", "a", "b", "?"] * 10)
    table = pd.DataFrame({"x": words.astype("category"), "y": words.replace("?", "b")})
    imputer = bt.BayesianNetworkImputer(missing_values="?", random_state=0).fit(table)
    assert imputer.network_.states("x") == ("a", "b")
    filled = imputer.transform(table)
    assert filled["x"].tolist() == table["y"].tolist()
    assert filled["x"].cat.categories.tolist() == ["?", "a", "b"]


def test_a_true_cell_is_not_the_number_one_that_means_missing():
    table = pd.DataFrame({"x": [True, False] * 10, "y": [1, 2] * 10})
    imputer = bt.BayesianNetworkImputer(missing_values=1, random_state=0).fit(table)
    assert imputer.network_.states("x") == (False, True)
    assert imputer.network_.states("y") == (2,)


def test_a_list_of_values_means_missing():
    table = pd.DataFrame({"a": [0, 1, -1, 1] * 20, "b": ["x", "y", "y", "gone"] * 20})
    values = ["gone", -1]
    filled = bt.BayesianNetworkImputer(missing_values=values, random_state=0).fit_transform(table)
    assert filled["a"].tolist() == [0, 1, 1, 1] * 20
    assert filled["b"].tolist() == ["x", "y", "y", "y"] * 20


@pytest.mark.parametrize("values", [{"gone"}, [["gone"]], {"a": 1}, np.array([1, 2])])
def test_missing_values_must_be_values(values):
    with pytest.raises(ValueError, match="missing_values must be one value or a list of values"):
        bt.BayesianNetworkImputer(missing_values=values).fit(np.array([[0], [1]]))


def test_transform_names_the_cell_with_an_unseen_state(small):
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(small)
    new = small.head(2).assign(w=["a", "other"])
    with pytest.raises(UnknownStateError, match="'w' has state 'other' in row 1") as caught:
        imputer.transform(new)
    assert 'Or pass handle_unknown="missing"' in str(caught.value)


def test_an_unseen_state_stays_and_is_ignored(small):
    imputer = bt.BayesianNetworkImputer(handle_unknown="missing", random_state=0).fit(small)
    new = pd.DataFrame({"w": ["other"], "x": [None], "y": ["a"], "z": [None]})
    filled = imputer.transform(new)
    expected = imputer.transform(new.assign(w=None))
    assert filled.loc[0].tolist() == ["other", *expected.loc[0].tolist()[1:]]
    assert "w" not in set(imputer.cell_probabilities(new)["variable"])


@pytest.mark.parametrize("completion", ["joint", "independent"])
def test_a_row_without_observed_cells_gets_the_most_probable_row(small, completion):
    imputer = bt.BayesianNetworkImputer(completion=completion, random_state=0).fit(small)
    blank = pd.DataFrame({name: [None] for name in small.columns})
    joint = joint_table(imputer.network_)
    best = joint.loc[joint["probability"].idxmax(), list("wxyz")]
    assert imputer.transform(blank).loc[0].tolist() == best.tolist()


def test_a_variable_without_observed_cells_is_kept_missing_or_dropped(small):
    table = small.assign(empty=pd.array([None] * len(small), dtype="Int64"), last=small["w"])
    with pytest.warns(EmptyVariableWarning, match="'empty'. Their cells stay missing"):
        kept = bt.BayesianNetworkImputer(random_state=0).fit(table)
    filled = kept.transform(table)
    assert filled["empty"].isna().all()
    assert not filled.drop(columns="empty").isna().any().any()
    with pytest.warns(EmptyVariableWarning, match="are dropped"):
        dropping = bt.BayesianNetworkImputer(keep_empty_features=False, random_state=0).fit(table)
    assert dropping.transform(table).equals(filled.drop(columns="empty"))
    assert dropping.get_feature_names_out().tolist() == [*"wxyz", "last"]
    assert dropping.transform(pl.from_pandas(table)).columns == [*"wxyz", "last"]


def test_a_table_without_any_observed_cell_is_refused():
    with pytest.raises(TableError, match="Every cell of the table is missing"):
        bt.BayesianNetworkImputer().fit(np.full((3, 2), np.nan))


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
@pytest.mark.parametrize("convert", [lambda t: t, pl.from_pandas, pa.Table.from_pandas])
def test_indicators_follow_the_variables_and_are_for_incomplete_ones(small, convert):
    table = convert(small.assign(full=1))
    imputer = bt.BayesianNetworkImputer(add_indicator=True, random_state=0).fit(table)
    filled = imputer.transform(table)
    names = [*"wxyz", "full", *(f"missingindicator_{name}" for name in "wxyz")]
    assert imputer.get_feature_names_out().tolist() == names
    frame = filled if isinstance(filled, pd.DataFrame) else filled.to_pandas()
    assert frame.columns.tolist() == names
    np.testing.assert_array_equal(frame.iloc[:, 5:].to_numpy(), small.isna().to_numpy())


def test_indicators_of_an_array_are_numbers():
    array = np.array([[0, 0], [0, np.nan], [1, 1], [1, 1]] * 10)
    filled = bt.BayesianNetworkImputer(add_indicator=True, random_state=0).fit_transform(array)
    assert filled.dtype == np.float64
    assert filled[1].tolist() == [0, 0, 1]


def test_set_output_chooses_the_container(small):
    as_polars = bt.BayesianNetworkImputer(random_state=0).set_output(transform="polars")
    assert isinstance(as_polars.fit_transform(small), pl.DataFrame)
    as_pandas = bt.BayesianNetworkImputer(random_state=0).set_output(transform="pandas")
    assert isinstance(as_pandas.fit_transform(pl.from_pandas(small)), pd.DataFrame)
    filled = as_pandas.fit_transform(np.array([[0.0, np.nan], [1.0, 1.0]] * 10))
    assert filled.columns.tolist() == ["x0", "x1"]


def test_it_works_in_pipelines_and_column_transformers(small):
    target = np.arange(len(small)) % 2
    pipeline = make_pipeline(
        bt.BayesianNetworkImputer(random_state=0), OneHotEncoder(), LogisticRegression()
    )
    assert len(pipeline.fit(small, target).predict(small)) == len(small)
    some = ColumnTransformer(
        [("fill", bt.BayesianNetworkImputer(random_state=0), ["w", "x"])], remainder="passthrough"
    ).set_output(transform="pandas")
    filled = some.fit_transform(small)
    assert not filled[["fill__w", "fill__x"]].isna().any().any()


def test_settings_can_be_searched_by_likelihood(small):
    search = GridSearchCV(
        bt.BayesianNetworkImputer(random_state=0), {"max_treewidth": [1, 2]}, cv=2
    )
    assert search.fit(small).best_score_ < 0


def test_clones_and_pickles_fill_alike_and_carry_no_table(small):
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(small)
    expected = imputer.transform(small)
    copied = pickle.loads(pickle.dumps(imputer))
    assert copied.transform(small).equals(expected)
    with pytest.raises(ValueError, match="is not kept in files"):
        copied.report()
    assert copied.report(small).accuracy == imputer.report().accuracy
    assert clone(imputer).fit(small).transform(small).equals(expected)


def test_the_same_seed_gives_the_same_table_on_any_number_of_threads(small):
    def filled(n_jobs):
        imputer = bt.BayesianNetworkImputer(n_networks=3, n_jobs=n_jobs, random_state=3)
        return imputer.fit_transform(small), *imputer.sample(small, 2)

    for one, two in zip(filled(1), filled(2), strict=True):
        assert one.equals(two)


def test_columns_in_another_order_are_matched_by_name():
    table = pd.DataFrame({0: ["a", "b"] * 20, 1: ["c", "d"] * 20})
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(table)
    new = pd.DataFrame({1: ["c", None], 0: [None, "b"]})
    assert imputer.transform(new).to_numpy().tolist() == [["c", "a"], ["d", "b"]]


def test_tuning_takes_the_settings_that_find_held_out_cells_most_probable(small):
    imputer = bt.BayesianNetworkImputer(tune=True, random_state=0)
    imputer.set_params(learner__equivalent_sample_size=3.0).fit(small)
    tuning = imputer.tuning_
    assert tuning.iloc[0][["criterion", "equivalent_sample_size"]].tolist() == ["aic", 3.0]
    assert len(tuning) == 5
    best = tuning.loc[tuning["log_score"].idxmax()]
    plain = bt.BayesianNetworkImputer(random_state=0).set_params(
        learner__criterion=best["criterion"],
        learner__equivalent_sample_size=best["equivalent_sample_size"],
    )
    assert imputer.networks_ == plain.fit(small).networks_
    assert imputer.learner.equivalent_sample_size == 3.0


@pytest.mark.parametrize(("n_rows", "meant"), [(81, "aic"), (80, "ebic")])
def test_the_criterion_depends_on_the_rows_per_variable(n_rows, meant):
    table = np.random.default_rng(0).integers(2, size=(n_rows, 20)).astype(str)
    found = {
        criterion: bt.BayesianNetworkImputer(random_state=0)
        .set_params(learner__criterion=criterion)
        .fit(table)
        for criterion in ("auto", "aic", "ebic")
    }
    assert found["aic"].network_ != found["ebic"].network_
    assert found["auto"].network_ == found[meant].network_
    assert found["auto"].chosen_ == {"criterion": meant, "equivalent_sample_size": 10.0}


@pytest.mark.parametrize(("n_rows", "meant"), [(25, 5), (24, 10), (7, 10), (6, 20)])
def test_the_number_of_networks_depends_on_the_rows_per_variable(n_rows, meant):
    table = np.random.default_rng(0).integers(2, size=(n_rows, 6)).astype(str)
    found = {
        given: bt.BayesianNetworkImputer(n_networks=given, random_state=0).fit(table)
        for given in ("auto", meant)
    }
    assert found["auto"].networks_ == found[meant].networks_
    assert found["auto"].get_params()["n_networks"] == "auto"


def test_tuning_tries_the_criterion_of_auto_first():
    table = np.random.default_rng(0).integers(2, size=(12, 6)).astype(str)
    tuning = bt.BayesianNetworkImputer(tune=True, random_state=0).fit(table).tuning_
    tried = list(zip(tuning["criterion"], tuning["equivalent_sample_size"], strict=True))
    assert tried == [("ebic", 10.0), ("bic", 1.0), ("bic", 10.0), ("aic", 1.0), ("aic", 10.0)]


def test_an_unknown_criterion_is_refused(small):
    with pytest.raises(ValueError, match=r'criterion must be one of "auto", "bic", .*mdl'):
        bt.BayesianNetworkImputer(learner=bt.NetworkLearner(criterion="mdl")).fit(small)


def test_log_scores_are_those_of_the_held_out_cells(small):
    imputer = bt.BayesianNetworkImputer(tune=True, random_state=0).fit(small)
    is_hidden = hold_out_cells(imputer._rows.codes, 0.05, drawn_seed(0))
    shown = small.mask(is_hidden)
    first = bt.BayesianNetworkImputer(random_state=0).fit(shown)
    found = first.cell_probabilities(shown).set_index(["row", "variable", "state"])["probability"]
    hidden = zip(*np.nonzero(is_hidden), strict=True)
    expected = [found[row, "wxyz"[i], small.iloc[row, i]] for row, i in hidden]
    assert imputer.tuning_.loc[0, "log_score"] == pytest.approx(np.log(expected).mean())


def test_draws_follow_the_joint_posterior(small):
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(small)
    row = pd.DataFrame({"w": [None], "x": [None], "y": ["a"], "z": ["a"]})
    tables = imputer.sample(pd.concat([row] * 500, ignore_index=True), 8, random_state=0)
    drawn = pd.concat(tables).groupby(["w", "x"]).size() / 4000
    expected = given(joint_table(imputer.network_), row.loc[0]).set_index(["w", "x"])["probability"]
    expected = expected / expected.sum()
    assert (drawn.reindex(expected.index, fill_value=0) - expected).abs().max() < 0.03
    assert not tables[0].equals(tables[1])


def test_draws_of_several_networks_follow_their_average(small):
    imputer = bt.BayesianNetworkImputer(n_networks=3, random_state=0).fit(small)
    rows = pd.DataFrame({"w": ["a"], "x": [None], "y": ["a"], "z": ["b"]})
    many = pd.concat([rows] * 4000, ignore_index=True)
    share = (imputer.sample(many, 1, random_state=0)[0]["x"] == "a").mean()
    found = imputer.cell_probabilities(rows).set_index("state")["probability"]
    assert share == pytest.approx(found["a"], abs=0.03)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"completion": "best"}, "completion must be one of"),
        ({"handle_unknown": "ignore"}, "handle_unknown must be one of"),
        ({"n_networks": 0}, "n_networks must be an integer of at least 1; got 0"),
        ({"n_networks": "many"}, "n_networks must be \"auto\" or an integer .*; got 'many'"),
        ({"add_indicator": 1}, "add_indicator must be True or False"),
        ({"max_treewidth": 0}, "max_treewidth must be"),
        ({"learner__criterion": "best"}, "criterion must be one of"),
        ({"learner__n_bins": "drop"}, "n_bins must be an integer, or one of"),
    ],
)
def test_a_wrong_setting_is_named(small, settings, problem):
    with pytest.raises(ValueError, match=problem):
        bt.BayesianNetworkImputer().set_params(**settings).fit(small)


def test_a_fit_that_fails_leaves_no_networks_of_another_table(small):
    imputer = bt.BayesianNetworkImputer(tune=True, random_state=0).fit(small)
    assert not hasattr(imputer.set_params(tune=False).fit(small), "tuning_")
    imputer.set_params(learner__constraints__required=[("no", "variable")])
    with pytest.raises(bt.exceptions.UnknownVariableError):
        imputer.fit(small)
    with pytest.raises(NotFittedError):
        imputer.transform(small)
    assert "imputed by" not in imputer._repr_html_()


def test_nothing_works_before_fit(small):
    for method in ("transform", "cell_probabilities", "sample"):
        with pytest.raises(NotFittedError):
            getattr(bt.BayesianNetworkImputer(), method)(small)


def test_identifiers_are_warned_of_once():
    table = pd.DataFrame({"id": [f"p{i}" for i in range(60)], "a": ["x", "y", None] * 20})
    with pytest.warns(bt.exceptions.IdentifierWarning) as caught:
        bt.BayesianNetworkImputer(n_networks=2, random_state=0).fit(table)
    assert len(caught) == 1


@pytest.mark.parametrize("settings", [{"n_networks": 1}, {}, {"regressions": False}])
def test_transform_computes_the_posteriors_of_a_row_once_per_network(
    weather, monkeypatch, settings
):
    imputer = bt.BayesianNetworkImputer(3, random_state=0, **settings).fit(weather)
    n_rows = 0

    def counted(call, network, codes, **options):
        nonlocal n_rows
        n_rows += np.count_nonzero((codes < 0).any(axis=1))
        return answer_rows(call, network, codes, **options)

    for module in ("imputation.completion", "networks.row_answers"):
        monkeypatch.setattr(f"baytree.{module}.answer_rows", counted)
    imputer.transform(weather)
    n_networks = settings.get("n_networks", 5)
    assert n_rows == n_networks * np.count_nonzero(weather.isna().any(axis=1))
