import gzip

import pandas as pd
import pytest

from baytree.exceptions import TableError
from baytree.tables.files.table_files import open_file


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b"v,w\n1,2\n"),
        ("t.CSV", b"v,w\n1,2\n"),
        ("t.csv.gz", gzip.compress(b"v,w\n1,2\n", mtime=0)),
        ("t.csv", b"v;w\n1;2\n"),
        ("t.csv", b"v\tw\n1\t2\n"),
        ("t.csv.gz", gzip.compress(b"v;w\n1;2\n", mtime=0)),
        ("t.tsv", b"v\tw\n1\t2\n"),
        ("t.tsv.gz", gzip.compress(b"v\tw\n1\t2\n", mtime=0)),
        ("t.dat", b"v w\n3 3\n1 2\n"),
        ("t.dat.gz", gzip.compress(b"v w\n3 3\n1 2\n", mtime=0)),
    ],
)
def test_the_end_of_the_name_chooses_the_format(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert open_file(str(tmp_path / name)).native.to_dict("list") == {"v": [1], "w": [2]}


def test_parquet_is_read(tmp_path):
    table = pd.DataFrame({"v": [1], "w": [2]})
    table.to_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(open_file(tmp_path / "t.parquet").native, table)


@pytest.mark.parametrize("name", ["t.xlsx", "t", "t.gz", "t.parquet.gz", "t.csv.zip"])
def test_other_endings_are_refused_with_the_list_of_good_ones(tmp_path, name):
    with pytest.raises(TableError, match=r"must end in one of \.csv, \.csv\.gz"):
        open_file(tmp_path / name)
