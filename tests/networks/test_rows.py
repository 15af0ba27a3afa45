import pickle

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baytree as bt
import row_oracle
from baytree.exceptions import (
    ImpossibleEvidenceError,
    InferenceTooLargeError,
    MissingCellError,
    TableError,
    UnknownStateError,
    UnknownVariableError,
)
from baytree.networks import row_calls, rows
from encoded_tables import codes_of
from inference_oracle import brute_force_posterior, joint_table, small_networks
from score_oracle import family_score


@pytest.fixture
def sprinkler():
    return bt.BayesianNetwork(
        {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "grass": ["dry", "wet", "soaked"]},
        [("rain", "sprinkler"), ("rain", "grass"), ("sprinkler", "grass")],
        cpts={
            "rain": [0.7, 0.3],
            "sprinkler": [[0.6, 0.4], [0.9, 0.1]],
            "grass": [[[1, 0, 0], [0.2, 0.6, 0.2]], [[0.1, 0.6, 0.3], [0, 0.3, 0.7]]],
        },
    )


@pytest.fixture
def incomplete():
    return pd.DataFrame(
        {
            "rain": ["yes", None, None, None],
            "sprinkler": [None, "on", None, None],
            "grass": ["soaked", "wet", "dry", None],
        },
        index=[10, 20, 30, 40],
    )


def encoded(network, table):
    return codes_of(network._encoding, table)


def test_log_likelihood_is_that_of_the_observed_cells(sprinkler, incomplete):
    found = sprinkler.log_likelihood(incomplete)
    assert np.exp(found) == pytest.approx(
        row_oracle.likelihoods(sprinkler, encoded(sprinkler, incomplete))
    )
    assert found[3] == 0


@pytest.mark.parametrize("completion", ["joint", "independent"])
def test_impute_fills_missing_cells_and_nothing_else(sprinkler, incomplete, completion):
    filled = sprinkler.impute(incomplete, completion)
    assert filled.index.tolist() == [10, 20, 30, 40]
    assert filled.notna().all(axis=None)
    assert (filled == incomplete)[incomplete.notna()].sum().sum() == incomplete.notna().sum().sum()
    joint = joint_table(sprinkler)
    for row, completed in zip(
        encoded(sprinkler, incomplete), encoded(sprinkler, filled), strict=True
    ):
        if completion == "joint":
            assert joint[tuple(completed)] == row_oracle.row_table(joint, row).max()
        else:
            marginals = row_oracle.cell_marginals(joint, row)
            assert completed[row < 0].tolist() == [marginal.argmax() for marginal in marginals]


def test_the_two_methods_differ_where_they_should():
    network = bt.BayesianNetwork(
        {"a": ["x", "y"], "b": ["p", "q", "r"]},
        [("a", "b")],
        cpts={"a": [0.4, 0.6], "b": [[1, 0, 0], [0.0, 0.5, 0.5]]},
    )
    table = pd.DataFrame({"a": [None], "b": [None]})
    assert network.impute(table, "joint").iloc[0].tolist() == ["x", "p"]
    assert network.impute(table, "independent").iloc[0].tolist() == ["y", "p"]


def test_containers_come_back_as_they_were(sprinkler, incomplete):
    filled = sprinkler.impute(pl.from_pandas(incomplete))
    assert isinstance(filled, pl.DataFrame)
    array = sprinkler.impute(incomplete.to_numpy())
    assert isinstance(array, np.ndarray)
    assert (
        array.tolist()
        == filled.to_numpy().tolist()
        == sprinkler.impute(incomplete).to_numpy().tolist()
    )


@given(small_networks(), st.integers(0, 2**32 - 1))
def test_predict_proba_is_the_posterior_given_the_rest(network, seed):
    rng = np.random.default_rng(seed)
    target = network.variables[rng.integers(len(network.variables))]
    table = network.sample(5, random_state=seed % 1000).astype(object)
    table = table.mask(rng.random(table.shape) < 0.3)
    found = network.predict_proba(table, target)
    assert found.columns.tolist() == list(network.states(target))
    for (_, row), probabilities in zip(table.iterrows(), found.to_numpy(), strict=True):
        evidence = row.drop(target).dropna().to_dict()
        assert probabilities == pytest.approx(brute_force_posterior(network, [target], evidence))
    predicted = network.predict(table, target)
    chosen = found.to_numpy()[range(5), [found.columns.get_loc(s) for s in predicted]]
    assert (chosen == found.to_numpy().max(axis=1)).all()


def test_states_that_are_unknown_may_count_as_missing(sprinkler, incomplete):
    missing, strange = incomplete.assign(rain=None), incomplete.assign(rain="hail")
    for answer in (sprinkler.predict_proba, sprinkler.predict):
        with pytest.raises(UnknownStateError, match="hail"):
            answer(strange, "sprinkler")
        assert answer(strange, "sprinkler", handle_unknown="missing").equals(
            answer(missing, "sprinkler")
        )


def test_predict_takes_rows_in_blocks_that_need_little_memory(sprinkler, incomplete, monkeypatch):
    targets = ["grass", "rain"]
    expected = sprinkler.predict(incomplete, targets)
    monkeypatch.setattr(rows, "MAX_BLOCK_ENTRIES", 10)  # two rows of five states
    pd.testing.assert_frame_equal(sprinkler.predict(incomplete, targets), expected)
    assert sprinkler.predict(incomplete[:0], targets).shape == (0, 2)


def test_probabilities_that_do_not_fit_are_refused_with_their_size(
    sprinkler, incomplete, monkeypatch
):
    monkeypatch.setattr(row_calls, "available_memory", lambda: 380)  # a quarter are 95 bytes
    with pytest.raises(InferenceTooLargeError, match=r"3 states in 4 rows need 9\.6e-08 GB; .* f"):
        sprinkler.predict_proba(incomplete, "grass")


def test_predict_does_not_look_at_the_target(sprinkler, incomplete):
    expected = sprinkler.predict(incomplete, "rain")
    assert isinstance(expected, pd.Series)
    assert (expected.name, expected.index.tolist()) == ("rain", [10, 20, 30, 40])
    for table in (incomplete.drop(columns="rain"), incomplete.assign(rain="perhaps")):
        pd.testing.assert_series_equal(sprinkler.predict(table, "rain"), expected)
    array = sprinkler.predict(incomplete.drop(columns="rain").to_numpy(), "rain")
    assert isinstance(array, np.ndarray)
    assert array.tolist() == expected.tolist()
    assert sprinkler.predict(pl.from_pandas(incomplete), "rain").to_list() == expected.tolist()


def test_variables_that_rows_lack_are_missing(sprinkler, incomplete):
    some, whole = incomplete[["grass"]], incomplete.assign(rain=None, sprinkler=None)
    assert (sprinkler.log_likelihood(some) == sprinkler.log_likelihood(whole)).all()
    assert (sprinkler.state_codes(some) == sprinkler.state_codes(whole)).all()
    for ask in (sprinkler.predict, sprinkler.predict_proba):
        for target in ("rain", ["rain", "grass"]):
            assert ask(some, target).equals(ask(whole, target))
    filled = sprinkler.impute(some)
    assert filled.columns.tolist() == ["grass"]
    assert filled["grass"].tolist() == sprinkler.impute(whole)["grass"].tolist()


def test_the_target_alone_is_enough_to_predict_without_evidence(sprinkler, incomplete):
    found = sprinkler.predict_proba(incomplete[["rain"]], "rain")
    assert found.to_numpy() == pytest.approx(np.tile([0.7, 0.3], (4, 1)))


@pytest.mark.parametrize("convert", [lambda t: t, pl.from_pandas, pa.Table.from_pandas])
def test_columns_that_are_no_variables_are_ignored_and_stay(sprinkler, incomplete, convert):
    table = incomplete.reset_index(drop=True)
    more = convert(table.assign(day=[1.5, None, None, 2.0])[["day", "grass", "sprinkler", "rain"]])
    table = convert(table)
    assert (sprinkler.log_likelihood(more) == sprinkler.log_likelihood(table)).all()
    assert np.array_equal(sprinkler.predict(more, "rain"), sprinkler.predict(table, "rain"))
    filled = nw.from_native(sprinkler.impute(more), eager_only=True)
    assert filled.columns == ["day", "grass", "sprinkler", "rain"]
    days = filled["day"].to_list()
    assert (days[0], days[3]) == (1.5, 2.0)
    assert all(day is None or np.isnan(day) for day in days[1:3])
    expected = nw.from_native(sprinkler.impute(table), eager_only=True)
    assert filled["rain"].to_list() == expected["rain"].to_list()


def test_bic_ignores_other_columns_and_refuses_a_table_that_lacks_variables(sprinkler):
    table = sprinkler.sample(50, random_state=0)
    assert sprinkler.bic(table.assign(day=None)) == sprinkler.bic(table)
    with pytest.raises(MissingCellError, match=r"missing cells: 'rain' \(50\)\. The BIC"):
        sprinkler.bic(table.drop(columns="rain"))


def test_polars_in_polars_out(sprinkler, incomplete):
    table = pl.from_pandas(incomplete)
    predicted = sprinkler.predict(table, "rain")
    assert isinstance(predicted, pl.Series)
    assert predicted.name == "rain"
    assert predicted.to_list() == sprinkler.predict(incomplete, "rain").tolist()
    several = sprinkler.predict(table, ["grass", "rain"])
    assert isinstance(several, pl.DataFrame)
    assert several.rows() == [
        *sprinkler.predict(incomplete, ["grass", "rain"]).itertuples(index=False)
    ]
    one = sprinkler.predict_proba(table, "grass")
    assert isinstance(one, pl.DataFrame)
    assert one.columns == ["dry", "wet", "soaked"]
    assert (one.to_numpy() == sprinkler.predict_proba(incomplete, "grass").to_numpy()).all()
    both = sprinkler.predict_proba(table, ["grass", "rain"])
    assert both.columns == ["grass=dry", "grass=wet", "grass=soaked", "rain=no", "rain=yes"]
    assert sprinkler.log_likelihood(table).tolist() == sprinkler.log_likelihood(incomplete).tolist()


def test_states_of_several_types_stay_apart_in_polars():
    network = bt.BayesianNetwork({"a": [0, "0", False]}, cpts={"a": [0.2, 0.5, 0.3]})
    table = pl.DataFrame({"a": ["0", None]})
    assert network.predict(table, "a").to_list() == ["'0'", "'0'"]
    assert network.predict_proba(table, "a").columns == ["0", "'0'", "False"]


def test_columns_of_probabilities_have_distinct_names_in_polars():
    states = {"a": ["b=c", "d"], "a=b": ["c", "e"]}
    network = bt.BayesianNetwork(states, cpts={"a": [0.2, 0.8], "a=b": [0.3, 0.7]})
    found = network.predict_proba(pl.DataFrame({"a": ["d"]}), ["a", "a=b"])
    assert found.columns == ["'a'='b=c'", "'a'='d'", "'a=b'='c'", "'a=b'='e'"]


def test_several_targets_are_hidden_from_each_other(sprinkler, incomplete):
    found = sprinkler.predict_proba(incomplete, ["grass", "rain"])
    assert found.columns.tolist() == [
        ("grass", "dry"),
        ("grass", "wet"),
        ("grass", "soaked"),
        ("rain", "no"),
        ("rain", "yes"),
    ]
    row = brute_force_posterior(sprinkler, ["grass"], {"sprinkler": "on"})
    assert found.loc[20, "grass"].to_numpy() == pytest.approx(row)
    labels = sprinkler.predict(incomplete, ["grass", "rain"])
    assert labels.columns.tolist() == ["grass", "rain"]
    assert labels.loc[20].tolist() == ["wet", "no"]
    assert sprinkler.predict(incomplete.to_numpy(), ["grass", "rain"]).shape == (4, 2)


def test_samples_follow_evidence_and_likelihoods(sprinkler):
    rows = sprinkler.sample(20_000, {"grass": "wet"}, random_state=1)
    assert (rows["grass"] == "wet").all()
    expected = brute_force_posterior(sprinkler, ["rain"], {"grass": "wet"})
    assert (rows["rain"] == "yes").mean() == pytest.approx(expected[1], abs=0.015)
    likelihood = {"grass": {"dry": 0.2, "wet": 3.0, "soaked": 0.0}}
    rows = sprinkler.sample(20_000, likelihood, random_state=1)
    expected = brute_force_posterior(sprinkler, ["rain", "grass"], likelihood)
    found = pd.crosstab(rows["rain"], rows["grass"], normalize="all")
    assert found.to_numpy() == pytest.approx(expected[:, :2], abs=0.015)


def test_samples_repeat_with_a_seed_on_any_number_of_threads(sprinkler):
    first = sprinkler.sample(3000, random_state=3)
    pd.testing.assert_frame_equal(sprinkler.sample(3000, random_state=3, n_jobs=4), first)
    assert not sprinkler.sample(3000, random_state=4).equals(first)
    assert sprinkler.sample(0).shape == (0, 3)


def test_bic_is_that_of_the_structure(sprinkler):
    table = sprinkler.sample(500, random_state=0)
    codes = encoded(sprinkler, table)
    expected = sum(
        family_score(codes, [2, 2, 3], child, tuple(parents))
        for child, parents in enumerate(sprinkler._parent_positions)
    )
    assert sprinkler.bic(table) == pytest.approx(expected)
    structure = bt.BayesianNetwork(
        {name: sprinkler.states(name) for name in sprinkler.variables}, sprinkler.arcs
    )
    assert structure.bic(table) == pytest.approx(expected)


def test_bic_of_a_table_with_missing_cells_is_refused(sprinkler, incomplete):
    with pytest.raises(MissingCellError, match=r"counts complete rows\. Fill the cells"):
        sprinkler.bic(incomplete.iloc[:3])


def test_a_network_that_answered_can_be_pickled(sprinkler, incomplete):
    expected = sprinkler.log_likelihood(incomplete)
    again = pickle.loads(pickle.dumps(sprinkler))
    assert (again.log_likelihood(incomplete) == expected).all()


@pytest.mark.parametrize("method", ["log_likelihood", "state_codes"])
def test_an_unknown_state_names_the_setting_that_takes_it_as_missing(sprinkler, method):
    table = pd.DataFrame({"rain": ["mud"]}, index=["r1"])
    hint = r"row 0 \(index 'r1'\).* handle_unknown=\"missing\" takes"
    with pytest.raises(UnknownStateError, match=hint):
        getattr(sprinkler, method)(table)
    with pytest.raises(UnknownStateError, match=r"make the cell missing\.$"):
        sprinkler.impute(table)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (
            lambda n, t: n.log_likelihood(pd.DataFrame({"snow": [1]})),
            TableError,
            "no column that is a variable of the network: its columns are 'snow', the variables",
        ),
        (lambda n, t: n.impute(pd.DataFrame({"snow": [1]})), TableError, "no column that is a var"),
        (lambda n, t: n.predict(t[[]], "grass"), TableError, "The table has no variables"),
        (lambda n, t: n.impute(t.to_numpy()[:, :2]), TableError, "The array has 2 columns; there"),
        (lambda n, t: n.predict(t, "snow"), UnknownVariableError, "There is no variable 'snow'"),
        (lambda n, t: n.predict(t, []), ValueError, "target must be a variable, or a list"),
        (lambda n, t: n.predict(t, ["rain", "rain"]), ValueError, "target must be a variable, or"),
        (lambda n, t: n.impute(t, "mean"), ValueError, 'completion must be one of "joint", "indep'),
        (
            lambda n, t: n.impute(t.fillna("mud")),
            UnknownStateError,
            r"has state 'mud' in row 1 \(index 20\), which is none of its states \(known: '\w+', ",
        ),
        (lambda n, t: n.sample(-1), ValueError, "n must be an integer of at least 0; got -1"),
        (lambda n, t: n.sample(1, {"snow": 1}), UnknownVariableError, "no variable 'snow'"),
        (
            lambda n, t: n.sample(1, {"rain": "no", "sprinkler": "off", "grass": "wet"}),
            ImpossibleEvidenceError,
            "The evidence has probability zero",
        ),
        (
            lambda n, t: n.sample(1, {"rain": {"no": 0, "yes": 0}}),
            ImpossibleEvidenceError,
            "The evidence has probability zero",
        ),
        (lambda n, t: n.log_likelihood(t, n_jobs=0), ValueError, "n_jobs must be a positive"),
    ],
)
def test_what_cannot_be_is_named(sprinkler, incomplete, ask, error, message):
    with pytest.raises(error, match=message):
        ask(sprinkler, incomplete)


def test_a_structure_alone_has_no_answers(incomplete):
    states = {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "grass": ["dry", "wet", "soaked"]}
    structure = bt.BayesianNetwork(states, [("rain", "grass")])
    for ask in (
        lambda: structure.log_likelihood(incomplete),
        lambda: structure.impute(incomplete),
        lambda: structure.predict(incomplete, "rain"),
        lambda: structure.sample(3),
    ):
        with pytest.raises(ValueError, match=r"without probabilities\. Estimate them from a table"):
            ask()


def test_rows_that_need_too_much_memory_are_refused_with_figures():
    n = 40
    arities = {i: list(range(2)) for i in range(n)}
    arcs = [(i, j) for i in range(n - 10, n) for j in range(n - 10) if (i * j) % 3]
    rng = np.random.default_rng(0)
    parents = {j: [i for i, child in arcs if child == j] for j in arities}
    cpts = {j: rng.dirichlet([1, 1], [2] * len(parents[j])) for j in arities}
    network = bt.BayesianNetwork(arities, arcs, cpts=cpts)
    table = pd.DataFrame(np.zeros((1, n), dtype=int))
    table[list(range(n - 10, n))] = None
    assert np.isfinite(network.log_likelihood(table)).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("baytree.networks.row_calls.available_memory", lambda: 4000)
        with pytest.raises(InferenceTooLargeError, match=r"need tables of .* GB at once"):
            network.log_likelihood(table)
        with pytest.raises(InferenceTooLargeError, match="Rows given this evidence need tables"):
            network.sample(5, dict.fromkeys(range(n - 10), 0))


EMPTY_TABLES = {
    "pandas": pd.DataFrame({"rain": [], "sprinkler": [], "grass": []}, dtype=object),
    "categorical": pd.DataFrame(
        {name: pd.Categorical([], categories=["x"]) for name in ("rain", "sprinkler", "grass")}
    ),
    "polars": pl.DataFrame(schema={"rain": pl.String, "sprinkler": pl.String, "grass": pl.String}),
    "pyarrow": pa.table(
        {name: pa.array([], pa.string()) for name in ("rain", "sprinkler", "grass")}
    ),
    "numpy": np.empty((0, 3), dtype=object),
}


@pytest.mark.parametrize("container", EMPTY_TABLES)
@pytest.mark.parametrize("completion", ["joint", "independent"])
def test_a_table_without_rows_comes_back_as_it_is(sprinkler, container, completion):
    table = EMPTY_TABLES[container]
    filled = sprinkler.impute(table, completion)
    assert type(filled) is type(table)
    assert filled.shape == (0, 3)
    if container in ("pandas", "categorical"):
        pd.testing.assert_frame_equal(filled, table)


@pytest.mark.parametrize("container", EMPTY_TABLES)
def test_no_rows_give_no_answers_of_the_usual_kind(sprinkler, incomplete, container):
    table = EMPTY_TABLES[container]
    some = {
        "numpy": incomplete.to_numpy(),
        "polars": pl.from_pandas(incomplete),
        "pyarrow": incomplete.to_numpy(),
    }
    for ask in (
        sprinkler.log_likelihood,
        lambda rows: sprinkler.predict(rows, "rain"),
        lambda rows: sprinkler.predict(rows, ["rain", "grass"]),
        lambda rows: sprinkler.predict_proba(rows, "grass"),
        lambda rows: sprinkler.predict_proba(rows, ["grass", "rain"]),
    ):
        none, usual = ask(table), ask(some.get(container, incomplete))
        assert type(none) is type(usual)
        assert none.shape == (0, *usual.shape[1:])
        if isinstance(none, pd.DataFrame):
            pd.testing.assert_frame_equal(none, usual.iloc[:0], check_index_type=False)
        elif isinstance(none, pl.DataFrame):
            assert none.schema == usual.schema
        else:
            assert none.dtype == usual.dtype


def test_no_rows_are_refused_where_a_figure_needs_some(sprinkler, tmp_path):
    with pytest.raises(TableError, match="no rows"):
        sprinkler.bic(EMPTY_TABLES["pandas"])
    EMPTY_TABLES["pandas"].to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(TableError, match="no rows"):
        sprinkler.log_likelihood(tmp_path / "rows.parquet")


def test_estimators_refuse_tables_without_rows():
    rows = pd.DataFrame({"a": [0, 1, 1], "b": [1, 0, 0]})
    with pytest.raises(TableError, match="no rows"):
        bt.BayesianNetworkImputer(random_state=0).fit(rows).transform(rows.iloc[:0])
    with pytest.raises(TableError, match="no rows"):
        bt.NetworkLearner(random_state=0).fit(rows).score(rows.iloc[:0])
