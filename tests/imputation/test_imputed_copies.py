"""Tables that hold rows twice, filled with and without the knowledge of it."""

import base64
import json

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree import _core
from baytree.exceptions import FileFormatError, InterruptedWarning, TimeLimitWarning
from baytree.imputation import copy_fit as _copy_estimation
from stored_imputers import WAYS, stored_and_loaded

N_ROWS, N_VARIABLES = 240, 30


@pytest.fixture(scope="module")
def truth():
    """Rows of independent cells in which a network sees nothing; the first 80 are there twice."""
    random = np.random.default_rng(0)
    codes = random.integers(3, size=(N_ROWS, N_VARIABLES))
    codes[80:160] = codes[:80]
    return pd.DataFrame(codes, columns=[f"x{i}" for i in range(N_VARIABLES)], dtype="Int64")


@pytest.fixture(scope="module")
def holes(truth):
    return truth.mask(np.random.default_rng(1).random(truth.shape) < 0.1)


@pytest.fixture(scope="module")
def imputer(holes):
    return bt.BayesianNetworkImputer(copies=True, random_state=0).fit(holes)


def restored(filled, truth, holes, rows=slice(0, 160)):
    is_gap = holes.isna().to_numpy()[rows]
    return (filled.to_numpy()[rows] == truth.to_numpy()[rows])[is_gap].mean()


def test_copies_are_found_and_filled_from_each_other(imputer, truth, holes):
    assert imputer.copied_share_ == pytest.approx(160 / 240, abs=0.05)
    filled = imputer.transform(holes)
    assert restored(filled, truth, holes) > 0.85  # both may lack the cell
    assert filled.where(holes.notna()).equals(holes)
    without = bt.BayesianNetworkImputer(regressions=False, random_state=0).fit(holes)
    assert without.copied_share_ == 0
    assert restored(without.transform(holes), truth, holes) < 0.5


@pytest.mark.parametrize("settings", [{"method": "joint"}, {"n_networks": 3}])
def test_with_every_method_and_several_networks(truth, holes, settings):
    imputer = bt.BayesianNetworkImputer(copies=True, random_state=0, **settings).fit(holes)
    assert restored(imputer.transform(holes), truth, holes) > 0.85


def test_samples_copy_too(imputer, truth, holes):
    one, two = imputer.sample(holes, 2, random_state=3)
    assert restored(one, truth, holes) > 0.85
    assert not one.equals(two)
    assert one.where(holes.notna()).equals(holes)


def test_cells_say_how_sure_a_copy_is(imputer, holes):
    cells = imputer.cell_probabilities(holes)
    totals = cells.groupby(["row", "variable"])["probability"].sum()
    np.testing.assert_allclose(totals, 1)
    assert (cells["probability"] > 0.95).sum() > 300


def test_new_rows_are_copies_of_those_of_fit(imputer, truth):
    new = truth.iloc[[200, 201]].copy()
    new.iloc[:, :5] = pd.NA
    assert (imputer.transform(new) == truth.iloc[[200, 201]]).to_numpy().mean() > 0.95


def test_a_row_in_which_nothing_is_observed_is_that_of_the_network(imputer, holes):
    blank = holes.head(1).copy()
    blank.iloc[:] = pd.NA
    alone = bt.BayesianNetworkImputer(random_state=0).fit(holes)
    assert imputer.transform(blank).equals(alone.transform(blank))


def test_where_nothing_is_copied_all_stays_as_it_was(truth):
    holes = truth.tail(80).mask(np.random.default_rng(2).random((80, N_VARIABLES)) < 0.1)
    imputers = [
        bt.BayesianNetworkImputer(copies=copies, random_state=0).fit(holes)
        for copies in (False, True)
    ]
    assert imputers[1].copied_share_ == 0
    one, two = (imputer.cell_probabilities(holes) for imputer in imputers)
    pd.testing.assert_frame_equal(one, two)


def test_the_report_fills_with_copies(imputer, truth):
    report = imputer.report()
    assert report.accuracy > report.mode_accuracy + 0.2


def test_tuning_knows_of_copies(holes):
    imputer = bt.BayesianNetworkImputer(copies=True, tune=True, random_state=0).fit(holes)
    alone = bt.BayesianNetworkImputer(tune=True, random_state=0).fit(holes)
    assert imputer.tuning_["log_score"].max() > alone.tuning_["log_score"].max() + 0.2


def test_the_same_on_any_number_of_threads(holes, imputer):
    other = bt.BayesianNetworkImputer(copies=True, random_state=0, n_jobs=3).fit(holes)
    pd.testing.assert_frame_equal(
        imputer.cell_probabilities(holes), other.cell_probabilities(holes)
    )


@pytest.mark.parametrize("way", WAYS)
def test_saved_imputers_bring_the_rows_along(imputer, holes, tmp_path, way):
    other = stored_and_loaded(imputer, tmp_path, way)
    assert other.transform(holes).equals(imputer.transform(holes))
    assert other.copied_share_ == imputer.copied_share_
    pd.testing.assert_frame_equal(
        other.cell_probabilities(holes), imputer.cell_probabilities(holes)
    )


def test_without_copies_no_rows_are_written(truth, tmp_path):
    imputer = bt.BayesianNetworkImputer(copies=True, random_state=0).fit(truth.tail(80))
    imputer.save(tmp_path / "imputer.json")
    assert json.loads((tmp_path / "imputer.json").read_text())["copies"] is None


def encoded(*codes):
    return base64.b64encode(np.array(codes, dtype="<i4").tobytes()).decode()


def stored(**changed):
    """Copies as files have them, with something changed."""
    donors = encoded([0] * N_VARIABLES)
    return {
        "copied_share": 0,
        "shares": [1, 0, 0, 0, 0, 0],
        "offset": 0,
        "donors": donors,
    } | changed


@pytest.mark.parametrize(
    ("copies", "problem"),
    [
        (3, '"copies" must be null or an object'),
        (stored(extra=1), "copies must have the keys copied_share, donors, offset, shares"),
        (stored(shares=[1, 0]), '"shares" must be 6 numbers that sum to 1'),
        (stored(shares=[2, -1, 0, 0, 0, 0]), '"shares" must be 6 numbers that sum to 1'),
        (stored(shares=[1, 1, 0, 0, 0, 0]), '"shares" must be 6 numbers that sum to 1'),
        (stored(shares=["1"] * 6), '"shares" must be a list of numbers'),
        (stored(copied_share=2), '"copied_share" must be a number between 0 and 1'),
        (stored(copied_share=None), '"copied_share" must be a number between 0 and 1'),
        (stored(offset="a"), '"offset" must be a number of at least 0'),
        (stored(offset=-1), '"offset" must be a number of at least 0'),
        (stored(donors=[[0] * N_VARIABLES]), '"donors" must be codes of whole rows as base64'),
        (stored(donors="no base64!"), '"donors" must be codes of whole rows as base64'),
        (stored(donors="ä"), '"donors" must be codes of whole rows as base64'),
        (stored(donors="AAAA"), '"donors" must be codes of whole rows as base64'),
        (stored(donors=encoded([0])), '"donors" must be codes of whole rows as base64'),
        (stored(donors=""), '"donors" must be codes of states, or -1'),
        (stored(donors=encoded([-2] * N_VARIABLES)), '"donors" must be codes of states, or -1'),
        (stored(donors=encoded([3] * N_VARIABLES)), '"donors" must be codes of states, or -1'),
    ],
)
def test_copies_that_cannot_be_are_refused_in_files(imputer, tmp_path, copies, problem):
    path = tmp_path / "imputer.json"
    imputer.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"copies": copies}))
    with pytest.raises(FileFormatError, match=problem):
        bt.BayesianNetworkImputer.load(path)


def test_copies_are_asked_for_by_true_or_false(holes):
    with pytest.raises(ValueError, match="copies must be True or False; got 'auto'"):
        bt.BayesianNetworkImputer(copies="auto").fit(holes)


@pytest.mark.parametrize("search", ["k-max", "anneal", "hill-climb"])
def test_searches_leave_time_for_copies(holes, search):
    imputer = bt.BayesianNetworkImputer(
        2, search=search, copies=True, time_limit=2, random_state=0
    ).fit(holes)
    assert imputer.copied_share_ > 0.5


def test_new_rows_need_not_be_copies_though_all_of_fit_are():
    random = np.random.default_rng(0)
    half = random.integers(2, size=(150, 15))
    table = pd.DataFrame(np.repeat(half, 2, axis=1), dtype="Int64").rename(columns=str)
    imputer = bt.BayesianNetworkImputer(copies=True, random_state=0).fit(
        pd.concat([table.head(100)] * 2, ignore_index=True)
    )
    assert imputer.copied_share_ > 0.9
    truth = table.tail(50)
    holes = truth.mask(np.random.default_rng(1).random(truth.shape) < 0.1)
    assert restored(imputer.transform(holes), truth, holes, slice(None)) > 0.85


@pytest.mark.parametrize("n_variables", [120, 200])
def test_wide_tables_of_even_states(n_variables):
    codes = np.random.default_rng(0).integers(2, size=(60, n_variables))
    truth = pd.DataFrame(np.vstack([codes, codes]), dtype="Int64").rename(columns=str)
    holes = truth.mask(np.random.default_rng(1).random(truth.shape) < 0.05)
    imputer = bt.BayesianNetworkImputer(2, copies=True, random_state=0).fit(holes)
    assert restored(imputer.transform(holes), truth, holes, slice(None)) > 0.9


@pytest.mark.parametrize("rows", ["complete", "unlike any", "blank"])
def test_tables_in_which_nothing_is_copied_are_sampled(imputer, truth, rows):
    new = truth.head(2).copy()
    if rows == "unlike any":
        new[:] = np.random.default_rng(9).integers(3, size=new.shape)
        new.iloc[:, 0] = pd.NA
    elif rows == "blank":
        new[:] = pd.NA
    assert not any(drawn.isna().any().any() for drawn in imputer.sample(new, 2))


def test_time_that_is_too_short_for_copies_is_told(holes, monkeypatch):
    def late(*args, **options):
        raise TimeoutError

    monkeypatch.setattr("baytree.imputation.learned_networks.estimated_copies", late)
    with pytest.warns(TimeLimitWarning, match="too short to look for copies"):
        imputer = bt.BayesianNetworkImputer(copies=True, random_state=0).fit(holes)
    assert imputer.copied_share_ == 0
    assert not imputer.interrupted_


def test_ctrl_c_in_the_search_for_copies_keeps_the_networks(holes, monkeypatch):
    class Interrupted(_core.RunControl):
        is_interrupted = True

    monkeypatch.setattr(_copy_estimation, "run_control", lambda *_: Interrupted())
    with pytest.warns(InterruptedWarning, match="copies among the rows were not looked for"):
        imputer = bt.BayesianNetworkImputer(copies=True, random_state=0).fit(holes)
    assert imputer.interrupted_
    assert not imputer.transform(holes).isna().any().any()
