import re

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.imputation.missing_cells import hold_out_cells
from baytree.imputation.report import most_frequent


@pytest.fixture
def table():
    """A copy, a noisy copy and an independent variable, with missing in two of them."""
    random = np.random.default_rng(0)
    first = random.integers(0, 3, 500)
    noisy = np.where(random.random(500) < 0.1, random.integers(0, 3, 500), first)
    frame = pd.DataFrame({"first": first, "copy": first, "noisy": noisy, "coin": first}).astype(str)
    frame["coin"] = random.integers(0, 2, 500).astype(str)
    frame.loc[:99, "copy"] = None
    frame.loc[50:149, "noisy"] = None
    return frame


@pytest.fixture
def report(table):
    return bt.BayesianNetworkImputer(2, random_state=0).fit(table).report()


def test_missing_cells_are_counted_by_variable_and_pattern(report, table):
    assert report.n_missing == table.isna().sum().sum() == 200
    assert report.n_cells == table.size
    assert report.variables["missing"].to_dict() == table.isna().sum().to_dict()
    assert report.variables.loc["copy", "missing_fraction"] == 0.2
    patterns = report.patterns.set_index("variables")["rows"].to_dict()
    assert patterns == {(): 350, ("copy",): 50, ("copy", "noisy"): 50, ("noisy",): 50}
    assert report.patterns["rows"].tolist()[0] == 350


def test_hold_out_cells_of_copies_are_restored_and_coins_are_not(report):
    accuracy = report.variables["accuracy"]
    assert accuracy["first"] > 0.85
    assert 0.3 < accuracy["coin"] < 0.8
    assert report.accuracy > report.mode_accuracy + 0.2
    hidden = report.variables["held_out"]
    assert hidden.sum() == report.n_held_out
    assert report.accuracy == pytest.approx((accuracy * hidden).sum() / hidden.sum())


def test_the_report_can_be_read(report):
    text = repr(report)
    assert "200 of 2,000 cells missing (10.0%), in 4 variables and 500 rows" in text
    assert "accuracy: " in text
    assert "copy, noisy " in text
    assert re.search(r"none +0 +350", text)


def test_the_check_does_not_see_what_it_hides(table, monkeypatch):
    imputer = bt.BayesianNetworkImputer(2, random_state=0).fit(table)
    seen = []
    learn = imputer._learn
    monkeypatch.setattr(imputer, "_learn", lambda c, *how: (seen.append(c), learn(c, *how))[1])
    report = imputer.report(held_out_fraction=0.2)
    assert (seen[0].codes < 0).sum() == report.n_missing + report.n_held_out
    assert report.n_held_out == pytest.approx(0.2 * 1800, rel=0.2)


def test_the_last_observed_cell_of_a_variable_is_never_hidden():
    codes = np.full((50, 2), -1, dtype=np.int32)
    codes[:, 0] = 0
    codes[7, 1] = 0
    is_hidden = hold_out_cells(codes, 0.99, seed=0)
    assert not is_hidden[7, 1]
    assert not is_hidden[:, 0].all()
    assert not (is_hidden & (codes < 0)).any()


def test_the_most_frequent_state_is_the_smallest_of_several():
    codes = np.array([[1, 2], [0, 2], [1, -1], [0, 0]], dtype=np.int32)
    assert most_frequent(codes).tolist() == [0, 2]


@pytest.mark.parametrize("fraction", [0, 1, -0.1, "some"])
def test_a_fraction_that_cannot_be_held_out_is_refused(table, fraction):
    imputer = bt.BayesianNetworkImputer(2, random_state=0).fit(table)
    with pytest.raises(ValueError, match="held_out_fraction must be a number between 0 and 1"):
        imputer.report(held_out_fraction=fraction)
