import gzip
from functools import partial

import pytest

from baytree.exceptions import FileFormatError
from baytree.tables.files.dat_tables import open_dat


def read(path, **options):
    return open_dat(path, **options).native


@pytest.fixture
def dat_file(written):
    return partial(written, "table.dat")


def test_states_are_declared_integers_below_the_cardinality(dat_file):
    table = read(dat_file("rain wet\n2   3\n0 2\n\n?\t1\n"))
    assert table["rain"].cat.categories.tolist() == [0, 1]
    assert table["wet"].cat.categories.tolist() == [0, 1, 2]
    assert table["rain"].cat.codes.tolist() == [0, -1]
    assert table["wet"].tolist() == [2, 1]


def test_gzip_is_unpacked(tmp_path):
    path = tmp_path / "table.dat.gz"
    path.write_bytes(gzip.compress(b"rain\n2\n1\n"))
    assert read(path)["rain"].tolist() == [1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: the file is empty"),
        ("a b\n", "line 1: there are no rows"),
        ("a b\n2 2\n", "line 1: there are no rows"),
        ("a a\n2 2\n0 0\n", "line 1, column 'a': the name is that of column 1"),
        ("a b\n2\n0 0\n", "line 2, column 'b': 1 numbers of states for 2 names"),
        ("a b\n2 2 2\n0 0\n", "line 2, column 3: 3 numbers of states for 2 names"),
        ("a b\n2 x\n0 0\n", "line 2, column 'b': the number of states is 'x'"),
        ("a b\n2 65536\n0 0\n", "line 2, column 'b': the number of states is '65536'"),
        ("a b\n2 2\n0 0\n\n1 2\n", "line 5, column 'b': '2' is not a state from 0 to 1"),
        ("a b\n2 0\n0 0\n", "line 3, column 'b': '0' is not missing, but"),
        ("a b\n2 2\n0 -1\n", "line 3, column 'b': '-1' is not a state"),
        ("a b\n2 2\n0 1.0\n", "line 3, column 'b': '1.0' is not a state"),
        ("a b\n2 2\n0 ²\n", "line 3, column 'b': '²' is not a state"),
        ("a b\n2 2\n0 0 0\n", "line 3, column 3: the row has 3 cells"),
        ("a b\n2 2\n0\n", "line 3, column 'b': the row has 1 cell"),
        (b"a b\n2 2\n0 \xff\n", "line 3, column 'b': byte 0xff is not utf-8"),
        (b"a b\n2 2\n0\x00 1\n", "line 3, column 'a': a NUL byte"),
    ],
)
def test_a_broken_file_is_named_with_line_and_column(dat_file, content, message):
    path = dat_file(content)
    with pytest.raises(FileFormatError) as caught:
        read(path)
    assert f"{path}, {message}" in str(caught.value)
