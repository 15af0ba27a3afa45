import gzip
import os

import pytest

from baytree.exceptions import FileFormatError
from baytree.tables.files.csv_tables import header_delimiter, open_csv


def read(path, **options):
    return open_csv(path, **options).native


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [
        ("v,w", ","),
        ("v;w", ";"),
        ("v\tw", "\t"),
        ("v", ","),
        ("v;w,x", ","),
        ("v;w\tx", ","),
        ("v|w", ","),
        ('"v;w"', ","),
        ('"v,w";x', ";"),
        ("\n \nv;w", ";"),
        ("", ","),
        ("v;\0", ","),
    ],
)
@pytest.mark.parametrize("is_packed", [False, True])
def test_only_a_header_without_commas_and_with_one_delimiter_counts(
    tmp_path, header, delimiter, is_packed
):
    content = f"{header}\n1,2;3\t4\n".encode()
    path = tmp_path / ("table.csv.gz" if is_packed else "table.csv")
    path.write_bytes(gzip.compress(content) if is_packed else content)
    assert header_delimiter(path, "utf-8") == delimiter


@pytest.mark.parametrize("row", ["1,2", "1", "1;2;3"])
def test_rows_that_do_not_fit_the_delimiter_of_the_header_are_refused(tmp_path, row):
    path = tmp_path / "table.csv"
    path.write_text(f"v;w\n{row}\n")
    with pytest.raises(FileFormatError, match=r"line 2, .*the row has \d cell"):
        read(path)


def test_a_pipe_is_not_read_for_its_header(tmp_path):
    os.mkfifo(tmp_path / "table.csv")
    assert header_delimiter(tmp_path / "table.csv", "utf-8") == ","
