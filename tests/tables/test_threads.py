"""Tables that several threads read and fill."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from baytree.exceptions import UnknownStateError
from baytree.tables import inputs
from baytree.tables.inputs import open_table
from same_tables import assert_same_table

N_ROWS = 300


@pytest.fixture(autouse=True)
def _threads_for_small_tables(monkeypatch):
    monkeypatch.setattr(inputs, "MIN_CELLS_PER_THREAD", 1)


def mixed_frame():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "integers": random.integers(0, 3, N_ROWS),
            "wide": random.integers(0, 99, N_ROWS),
            "floats": random.random(N_ROWS),
            "texts": random.choice(["b", "a"], N_ROWS).astype(object),
            "categories": pd.Categorical(random.choice(["x", "y"], N_ROWS)),
            "truths": random.random(N_ROWS) < 0.5,
        }
    )
    frame["mostly"] = frame["integers"].where(random.random(N_ROWS) < 0.9)
    frame["texts"] = frame["texts"].where(random.random(N_ROWS) < 0.9, None)
    return frame


TABLES = {
    "pandas": mixed_frame,
    "polars": lambda: pl.from_pandas(mixed_frame()),
    "pyarrow": lambda: pa.Table.from_pandas(mixed_frame()),
    "floats": lambda: mixed_frame()[["integers", "mostly"]].to_numpy(),
    "objects": lambda: mixed_frame().to_numpy(object),
    "masked": lambda: np.ma.masked_equal(mixed_frame()[["integers", "wide"]].to_numpy(), 1),
}


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
@pytest.mark.parametrize("kind", TABLES)
def test_tables_are_read_and_filled_alike_on_any_number_of_threads(kind):
    table = TABLES[kind]()
    first, *others = [open_table(table, n_jobs=n_jobs) for n_jobs in (1, 2, 5)]
    whole = np.zeros_like(first.codes)
    for other in others:
        again = open_table(table, first.encoding, n_jobs=other.n_threads)
        assert other.n_threads > 1
        assert other.encoding.plain_states == first.encoding.plain_states
        np.testing.assert_array_equal(other.codes, first.codes)
        np.testing.assert_array_equal(again.codes, first.codes)
        assert_same_table(again.filled(whole), first.filled(whole))


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_the_first_column_with_an_unknown_state_is_named(n_jobs):
    known = pd.DataFrame({name: ["a", "b"] * 2 for name in "uvwx"})
    table = known.assign(v=["a", "c"] * 2, x=["d"] * 4)
    with pytest.raises(UnknownStateError, match="'v' has state 'c' in row 1"):
        open_table(table, open_table(known).encoding, n_jobs=n_jobs)


def test_untouched_columns_of_a_filled_frame_are_copies():
    table = mixed_frame()
    opened = open_table(table[["integers", "mostly"]], n_jobs=2)
    filled = opened.filled(np.zeros_like(opened.codes))
    assert not np.shares_memory(filled["integers"].to_numpy(), table["integers"].to_numpy())


@pytest.mark.parametrize("dtype", [float, object])
def test_columns_can_be_added_to_filled_frames_of_many_columns_without_a_warning(dtype):
    table = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (N_ROWS, 150))).astype(dtype)
    table = table.mask(table.index.to_series() < 9, np.nan).set_axis([*map(str, table)], axis=1)
    opened = open_table(table, n_jobs=2)
    filled = opened.filled(np.zeros_like(opened.codes))
    expected = table.copy()
    expected[:9] = 0
    pd.testing.assert_frame_equal(filled, expected)
    filled["new"] = 0
