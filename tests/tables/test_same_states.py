"""One table from a file, from frames of three libraries and from Parquet has the same states."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree.tables.inputs import open_table

pytestmark = pytest.mark.filterwarnings("ignore::baytree.exceptions.BaytreeWarning")

words = st.sampled_from(["a", "B ", " c", "none", "-", "d;e", 'f"g', "h,i", "ü", "x1", "1x", "0x1"])
integers = st.integers(-3, 30) | st.sampled_from([2**53 + 1, -(2**63), 2**63 - 1])
KINDS = {
    "text": words,
    "integers": integers,
    "floats": st.integers(-(10**6), 10**6).map(lambda number: number / 8),
    "truth values": st.booleans(),
    "days": st.dates(datetime.date(2020, 1, 1), datetime.date(2020, 1, 9)).map(str),
    "padded": st.integers(0, 20).map(lambda number: f"{number:03d}"),
    "numbers and words": st.integers(0, 5).map(str) | words,
    "constant": st.just("same"),
    "nothing": st.none(),
}


@st.composite
def tables(draw):
    """Frames of text cells, as they are written to a file; None is a missing cell."""
    n_rows = draw(st.integers(1, 40))
    columns = {}
    for position, kind in enumerate(draw(st.lists(st.sampled_from([*KINDS]), min_size=1))):
        cells = KINDS[kind] if kind == "integers" else KINDS[kind] | st.none()
        drawn = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
        columns[f"{kind} {position}"] = [None if cell is None else str(cell) for cell in drawn]
    columns["last"] = [str(row % 3) for row in range(n_rows)]  # no line is blank
    return pd.DataFrame(columns, dtype=object)


def of_all_kinds(frame, folder):
    """Return the same table in all containers."""
    frame.to_parquet(folder / "table.parquet")
    return {
        "pandas": frame,
        "nullable": frame.convert_dtypes(),
        "polars": pl.from_pandas(frame),
        "arrow": pa.Table.from_pandas(frame, preserve_index=False),
        "parquet": folder / "table.parquet",
    }


def assert_same(opened, expected, kind):
    assert opened.encoding.plain_states == expected.encoding.plain_states, kind
    np.testing.assert_array_equal(opened.codes, expected.codes, err_msg=kind)


@given(tables(), st.sampled_from([",", ";", "\t"]), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=60, deadline=None)
def test_random_tables_have_the_same_states_in_all_containers(
    tmp_path_factory, table, delimiter, end
):
    folder = tmp_path_factory.mktemp("tables")
    table.to_csv(folder / "table.csv", index=False, sep=delimiter, lineterminator=end)
    expected = open_table(folder / "table.csv")
    frame = pd.read_csv(folder / "table.csv", sep=delimiter)
    for kind, same in of_all_kinds(frame, folder).items():
        assert_same(open_table(same), expected, kind)


@pytest.mark.parametrize(
    ("content", "states"),
    [
        ("\ufeffa\nx\ny\n", {"a": ("x", "y")}),
        ("a,b\r\n1,x\r\n2,y\r\n", {"a": (1, 2), "b": ("x", "y")}),
        ("a;b\n1;x\n2;y\n", {"a": (1, 2), "b": ("x", "y")}),
        ('a,b\n"1","0.5"\n"2",""\n', {"a": (1, 2), "b": ("[0.5, 0.5]",)}),
        ("a,b\n007,TRUE\n10,\n", {"a": (7, 10), "b": (True,)}),
        (f"a,b\n{2**53 + 1},{2**64 - 1}\n5,{2**63}\n", {"a": (5, 2**53 + 1), "b": None}),
        ('a,b\n"1,000",5%\n"2,000",6%\n', {"a": ("1,000", "2,000"), "b": ("5%", "6%")}),
        ("Unnamed: 0,a\n0,x\n1,y\n", {"a": ("x", "y")}),
        ("a,b\n1,\n2,\n", {"a": (1, 2), "b": ()}),
        ("a,b\n?,n/a\n1,True\n#N/A,NULL\n", {"a": (1,), "b": (True,)}),
    ],
)
def test_odd_files_have_the_states_of_the_frames_that_pandas_reads(tmp_path, content, states):
    path = tmp_path / "odd.csv"
    path.write_text(content, encoding="utf-8", newline="")
    expected = open_table(path)
    found = expected.encoding.plain_states
    assert found == {name: found[name] if own is None else own for name, own in states.items()}
    frame = pd.read_csv(path, sep=";" if ";" in content else ",")
    for kind, same in of_all_kinds(frame, tmp_path).items():
        assert_same(open_table(same), expected, kind)


def test_large_unsigned_integers_of_a_file_are_integers(tmp_path):
    (tmp_path / "large.csv").write_text(f"a,b\n{2**64 - 1},1\n,2\n{2**63},3\n")
    states = open_table(tmp_path / "large.csv").encoding.states("a")
    assert states == (2**63, 2**64 - 1)


def test_categories_keep_their_order_in_all_containers_that_know_one(tmp_path):
    kinds = pd.Categorical(["low", "high", "low"], ["high", "never", "low"])
    frame = pd.DataFrame({"kind": kinds, "n": pd.array([1, None, 2], dtype="Int64")})
    expected = open_table(frame)
    assert expected.encoding.states("kind") == ("high", "never", "low")
    for kind, same in of_all_kinds(frame, tmp_path).items():
        if kind != "polars":  # from_pandas makes categories that are not declared
            assert_same(open_table(same), expected, kind)
