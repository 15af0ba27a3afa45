import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baytree as bt
from baytree.exceptions import TableError

MECHANISMS = ["MCAR", "MAR", "MNAR"]


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    return random.integers(3, size=(4000, 6))


def missing_fraction(incomplete, columns, states):
    """Return by state of the column before the fraction of missing cells in the column after."""
    return np.array([np.isnan(incomplete[columns == state]).mean() for state in states])


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("rate", [0.05, 0.3, 0.7])
def test_about_the_rate_becomes_missing_and_the_rest_stays(table, mechanism, rate):
    incomplete = bt.ampute(table, rate, mechanism=mechanism, random_state=1)
    is_masked = np.isnan(incomplete)
    assert is_masked.mean() == pytest.approx(rate, abs=0.02)
    assert (incomplete[~is_masked] == table[~is_masked]).all()
    assert not np.isnan(table.astype(float)).any()


def test_a_seed_hides_the_same_cells_by_the_rule_that_is_promised(table):
    is_masked = np.random.default_rng(7).random(table.shape) < 0.2
    assert (np.isnan(bt.ampute(table, 0.2, random_state=7)) == is_masked).all()
    states = [np.random.RandomState(3) for _ in range(2)]
    first, second = (bt.ampute(table, 0.2, mechanism="MAR", random_state=s) for s in states)
    np.testing.assert_array_equal(first, second)


def test_missingness_depends_on_the_hidden_state_only_if_not_at_random(table):
    for mechanism, is_dependent in zip(MECHANISMS, (False, False, True), strict=True):
        incomplete = bt.ampute(table, 0.3, mechanism=mechanism, random_state=0)
        shares = missing_fraction(incomplete[:, 2], table[:, 2], range(3))
        assert (np.ptp(shares) > 0.2) == is_dependent, mechanism


def test_missingness_at_random_depends_on_an_observed_variable():
    table = np.random.default_rng(0).integers(2, size=(4000, 2))
    incomplete = bt.ampute(table, 0.3, mechanism="MAR", random_state=0)
    assert not np.isnan(incomplete).all(axis=1).any()
    assert np.ptp(missing_fraction(incomplete[:, 0], table[:, 1], range(2))) > 0.1


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_columns_of_every_kind_keep_their_cells(mechanism):
    frame = pd.DataFrame(
        {
            "text": ["a", "b", None, "a"] * 10,
            "category": pd.Categorical(["x", "y", "x", None] * 10),
            "flag": pd.array([True, None, False, True] * 10, dtype="boolean"),
            "size": np.linspace(0, 1, 40),
            "count": np.arange(40),
        },
        index=range(100, 140),
    )
    incomplete = bt.ampute(frame, 0.4, mechanism=mechanism, random_state=0)
    assert (incomplete.index == frame.index).all()
    assert incomplete["category"].dtype == frame["category"].dtype
    assert incomplete["flag"].dtype == frame["flag"].dtype
    kept = incomplete.notna()
    assert (frame.isna() <= incomplete.isna()).all(axis=None)
    assert kept.to_numpy().sum() < frame.notna().to_numpy().sum()
    assert (
        (incomplete[kept].astype(object) == frame[kept].astype(object))[kept]
        .fillna(True)
        .all(axis=None)
    )


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table])
def test_other_containers_come_back_as_they_are(make):
    columns = {"text": ["a", "b"] * 50, "number": [1, 2] * 50}
    incomplete = bt.ampute(make(columns), 0.3, random_state=0)
    assert type(incomplete) is type(make(columns))
    for name, cells in columns.items():
        after = incomplete[name].to_pylist() if make is pa.table else incomplete[name].to_list()
        assert {None} < set(after)
        assert all(a in (None, b) for a, b in zip(after, cells, strict=True))


def test_masked_arrays_stay_masked():
    table = np.ma.MaskedArray(np.ones((50, 2), dtype=int), mask=False)
    incomplete = bt.ampute(table, 0.5, random_state=0)
    assert isinstance(incomplete, np.ma.MaskedArray)
    assert 0 < incomplete.mask.sum() < 100


def test_a_file_is_read(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "x,y\n" * 50)
    assert bt.ampute(tmp_path / "t.csv", 0.5, random_state=0)["a"].isna().any()


@pytest.mark.parametrize("rate", [0, 1, -0.1, 1.5, float("nan"), "half", True])
def test_a_rate_is_between_0_and_1(table, rate):
    with pytest.raises(ValueError, match="rate must be a number between 0 and 1; got"):
        bt.ampute(table, rate)


def test_what_cannot_be_is_refused(table):
    with pytest.raises(ValueError, match='mechanism must be one of "MCAR", "MAR", "MNAR"; got'):
        bt.ampute(table, 0.1, mechanism="random")
    with pytest.raises(TableError, match="MAR needs a second variable"):
        bt.ampute(table[:, :1], 0.1, mechanism="MAR")
