import sys

import pandas as pd
import pytest

from baytree._encoding import encode_states
from baytree.exceptions import FileFormatError
from baytree.formats.parquet_tables import read_parquet


def test_a_parquet_file_keeps_types_and_declared_states(tmp_path):
    path = tmp_path / "table.parquet"
    table = pd.DataFrame(
        {"v": pd.Categorical(["b", None], categories=["c", "b"]), "w": [True, None], "x": [1, None]}
    )
    table.to_parquet(path)
    pd.testing.assert_frame_equal(read_parquet(path), table)
    encoding, codes = encode_states(path)
    assert encoding.states("v") == ("c", "b")
    assert codes.tolist() == [[1, 0, 0], [-1, -1, -1]]


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FileFormatError, match=r"table.parquet: this is not a sound Parquet file"):
        read_parquet(path)


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install baytree\[parquet\]"):
        read_parquet(tmp_path / "table.parquet")
