import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from baytree.exceptions import FileFormatError
from baytree.tables.files.table_files import open_file
from encoded_tables import encode_states, fill


def read(path, **options):
    return open_file(path, **options).native


def test_a_parquet_file_keeps_types_and_declared_states(tmp_path):
    path = tmp_path / "table.parquet"
    table = pd.DataFrame(
        {"v": pd.Categorical(["b", None], categories=["c", "b"]), "w": [True, None], "x": [1, None]}
    )
    table.to_parquet(path)
    pd.testing.assert_frame_equal(read(path), table)
    encoding, codes = encode_states(path)
    assert encoding.states("v") == ("c", "b")
    assert codes.tolist() == [[1, 0, 0], [-1, -1, -1]]


@pytest.mark.parametrize(
    ("integer_type", "integers"),
    [("int64", [2**60 + 1, 2**60]), ("uint64", [2**64 - 1, 2**64 - 2])],
)
def test_large_integers_with_missing_cells_keep_their_digits(tmp_path, integer_type, integers):
    path = tmp_path / "table.parquet"
    table = pa.table({"v": pa.array([*integers, None], integer_type), "w": ["a", "b", "a"]})
    pq.write_table(table, path)
    encoding, codes = encode_states(path)
    assert encoding.states("v") == tuple(sorted(integers))
    assert codes[:, 0].tolist() == [1, 0, -1]
    filled = fill(encoding, path, np.zeros_like(codes))
    assert filled["v"].tolist() == [*integers, min(integers)]


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FileFormatError, match=r"table.parquet: this is not a sound Parquet file"):
        read(path)


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'baytree\[parquet\]'"):
        read(tmp_path / "table.parquet")
