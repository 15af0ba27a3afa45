import csv
import gzip
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree.exceptions import FileFormatError
from baytree.tables.files import cell_blocks, text_rows
from baytree.tables.files.csv_tables import open_csv
from baytree.vocabulary import DEFAULT_MISSING_VALUES


def read(path, **options):
    return open_csv(path, **options).native


@pytest.fixture
def csv_file(written):
    return partial(written, "table.csv")


def column_of(path, **options):
    return read(path, **options).iloc[:, 0]


# Types


@pytest.mark.parametrize(
    ("cells", "dtype", "labels"),
    [
        (["7", "-3", "0"], "int64", [7, -3, 0]),
        (["7", "", "0"], "Int64", [7, pd.NA, 0]),
        (["9223372036854775807", "-9223372036854775808"], "int64", [2**63 - 1, -(2**63)]),
        (["9223372036854775808", "1"], "uint64", [2**63, 1]),
        (["18446744073709551616", "1"], "str", ["18446744073709551616", "1"]),
        (["01", "2"], "int64", [1, 2]),
        (["-0", "2"], "int64", [0, 2]),
        (["+1", "2"], "int64", [1, 2]),
        (["1_0", "2"], "str", ["1_0", "2"]),
        ([" 1", "2 ", "1"], "int64", [1, 2, 1]),
        ([" 1.5", " ?", "2\t"], "float64", [1.5, np.nan, 2.0]),
        ([" 01", " 2"], "int64", [1, 2]),
        (["\u0661", "2"], "str", ["\u0661", "2"]),
        (["1.5", "2"], "float64", [1.5, 2.0]),
        (["1.0", "?", "2.0"], "float64", [1.0, np.nan, 2.0]),
        (["1e3", ".5", "-1.e-2"], "float64", [1000.0, 0.5, -0.01]),
        (["1e999", "1.5"], "str", ["1e999", "1.5"]),
        (["inf", "1.5"], "str", ["inf", "1.5"]),
        (["1.5", "x"], "str", ["1.5", "x"]),
        (["yes", "none", "None", " no"], "str", ["yes", "none", None, " no"]),
        ([" yes", " ?", "NA ", " ", "yes"], "str", [" yes", None, None, None, "yes"]),
        (["True", "false", "TRUE"], "bool", [True, False, True]),
        (["False", "?", "true"], "boolean", [False, pd.NA, True]),
        (["True", "tRue"], "str", ["True", "tRue"]),
        (["True", "1"], "str", ["True", "1"]),
        ([*DEFAULT_MISSING_VALUES], "object", [None] * len(DEFAULT_MISSING_VALUES)),
    ],
)
def test_a_column_gets_the_type_that_its_cells_spell(csv_file, cells, dtype, labels):
    column = column_of(csv_file("v,w\n" + "".join(f"{cell},1\n" for cell in cells)))
    dtype = pd.Series(["text"]).dtype if dtype == "str" else dtype  # as pandas has it
    assert column.dtype == dtype
    expected = pd.Series(labels, dtype=dtype)
    pd.testing.assert_series_equal(column, expected, check_names=False)


def test_missing_words_can_be_chosen_and_the_empty_cell_stays(csv_file):
    column = column_of(csv_file("v,w\nNA,1\n-,1\n,1\n"), missing_words=["-"])
    assert column.isna().tolist() == [False, True, True]


def test_known_states_are_recognised_whatever_else_is_there(csv_file):
    path = csv_file("v\n1\nTrue\nx\n?\n 1\n y\n")
    column = column_of(path, known_states={"v": [1, True, "y"]})
    assert column.tolist() == [1, True, "x", None, 1, " y"]


def test_truth_values_are_known_as_other_programs_spell_them(csv_file):
    path = csv_file("v\ntrue\nFALSE\nTrue\ntRue\n")
    assert column_of(path, known_states={"v": [True, False]}).tolist() == [
        True,
        False,
        True,
        "tRue",
    ]
    column = column_of(path, known_states={"v": [True, "true", "FALSE"]})
    assert column.tolist() == ["true", "FALSE", True, "tRue"]


def test_a_missing_word_with_blanks_can_be_chosen(csv_file):
    column = column_of(csv_file("v,w\n - ,1\n-,1\na,1\n"), missing_words=[" - "])
    assert column.isna().tolist() == [True, False, False]


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8), st.sampled_from([1, 3, 10**6]))
@settings(deadline=None)
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, rows, block_cells):
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("v", "w"), *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_blocks, "MAX_CELLS_PER_BLOCK", block_cells)
        table = read(path, known_states={"v": [], "w": []}, missing_words=())
    expected = [tuple(cell if cell.strip() else "" for cell in row) for row in rows]
    assert [tuple(row) for row in table.fillna("").to_numpy()] == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_end_of_line_and_blank_lines_and_a_missing_last_one(csv_file, end):
    table = read(csv_file(end.join(["v,w", "a,1", "", "b,2"])))
    assert table.to_dict("list") == {"v": ["a", "b"], "w": [1, 2]}


def test_a_byte_order_mark_is_not_part_of_the_first_name(csv_file):
    assert read(csv_file(b"\xef\xbb\xbfv,w\na,1\n")).columns.tolist() == ["v", "w"]


def test_gzip_and_tabs_and_other_encodings(tmp_path):
    path = tmp_path / "table.tsv.gz"
    path.write_bytes(gzip.compress("größe\tw\nklein, fein\t1\n".encode("latin-1")))
    table = read(path, delimiter="\t", encoding="latin-1")
    assert table.to_dict("list") == {"größe": ["klein, fein"], "w": [1]}


def test_utf_16_can_be_named(csv_file):
    table = read(csv_file("v,w\né,1\n".encode("utf-16")), encoding="utf-16")
    assert table["v"].tolist() == ["é"]


# Broken files


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: the file is empty"),
        ("\n\n", "the file is empty"),
        ("v,w\n", "line 1: there are no rows"),
        ("v,w,v\n1,2,3\n", "line 1, column 'v': the name is that of column 1"),
        ("v,,w\n1,2,3\n", "line 1, column 2: the name is empty"),
        ("\nv, \n1,2\n", "line 2, column 2: the name is empty"),
        ("v,w\n1,2\n1\n", "line 3, column 'w': the row has 1 cell; the line of names has 2"),
        ("v,w\n1,2\n\n1,2,3\n", "line 4, column 3: the row has 3 cells"),
        ('v,w\n"a\nb",2\n1,2,3\n', "line 4, column 3: the row has 3 cells"),
        ("v,w\n1,2\n1,a\0b\n", "line 3, column 'w': a NUL byte"),
        (
            b"v,w\n1,2\n\xff,2\n",
            "line 3, column 'v': byte 0xff is not utf-8. Convert the file to UTF-8",
        ),
        (b"v,w\n1,2\n1,a\xe4b\n", "line 3, column 'w': byte 0xe4 is not utf-8"),
        (b"v,\xe4\n1,2\n", "line 1, column 2: byte 0xe4 is not utf-8"),
        ('v,w\n1,2\n1,"open\n1,2\n', "line 3, column 'w': a quotation mark is opened"),
        ('v,w\n1,2\n"a"b,2\n1,2\n', "line 3, column 'v': text follows a closing"),
        ('v,w\n1,2\n1,"a"b\n1,2\n', "line 3, column 'w': text follows a closing"),
        (b"\xed\xa0\x80,w\n1,2\n", "line 1, column 1: byte 0xed is not utf-8"),
    ],
)
def test_a_broken_file_is_named_with_line_and_column(csv_file, content, message):
    path = csv_file(content)
    with pytest.raises(FileFormatError) as caught:
        read(path)
    assert f"{path}, " in str(caught.value)
    assert message in str(caught.value)


def test_an_unknown_encoding_is_named(csv_file):
    with pytest.raises(FileFormatError, match="no encoding 'klingon'"):
        read(csv_file("v\n1\n"), encoding="klingon")


def test_bytes_cut_in_the_middle_of_a_character_are_refused(csv_file):
    with pytest.raises(FileFormatError, match="not utf-16"):
        read(csv_file("v,w\n1,2\n".encode("utf-16") + b"\x41"), encoding="utf-16")


def test_an_endless_line_ends_with_an_error(csv_file, monkeypatch):
    monkeypatch.setattr(text_rows, "MAX_LINE_LENGTH", 1000)
    with pytest.raises(FileFormatError, match=r"line 2, column .*more than 1,000 characters"):
        read(csv_file("v,w\n" + "1" * 2000 + "\n"))


def test_an_endless_quoted_cell_ends_with_an_error(csv_file):
    with pytest.raises(FileFormatError, match=r"line 3, column 'w': .* 131,072 characters"):
        read(csv_file("v,w\n1,2\n1," + '"' + "text\n" * 40_000))


def test_an_endless_quoted_cell_ends_also_if_the_csv_module_has_no_limit(csv_file, monkeypatch):
    monkeypatch.setattr(text_rows, "MAX_LINE_LENGTH", 1000)
    limit = csv.field_size_limit(10**9)
    try:
        with pytest.raises(FileFormatError, match=r"line 3, column 'w': .*1,000 characters"):
            read(csv_file("v,w\n1,2\n1," + '"' + "text\n" * 40_000))
    finally:
        csv.field_size_limit(limit)


@pytest.mark.parametrize("row", ["1,{}", "{},1"])
def test_a_cell_that_is_too_long_is_named(csv_file, row):
    with pytest.raises(
        FileFormatError, match=rf"line 2, column '{'vw'[row[0] == '1']}': .*characters"
    ):
        read(csv_file("v,w\n" + row.format("a" * 200_000) + "\n"))


@pytest.mark.parametrize("cell", ["1", '"1,2"', "1.5"])
def test_a_small_file_of_too_many_cells_ends_with_an_error(tmp_path, monkeypatch, cell):
    monkeypatch.setattr(cell_blocks, "available_memory", lambda: 10**6)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"v,w\n" + f"1,{cell}\n".encode() * 10**6))
    message = r"bomb.csv.gz: the table needs more than .* GB of memory, and 0\.0 GB"
    with pytest.raises(FileFormatError, match=message):
        read(path)


@pytest.mark.parametrize(
    "content", [b"not gzip", gzip.compress(b"v,w\n" + b"1,2\n" * 99, mtime=0)[:-12]]
)
def test_broken_gzip_data_is_named(tmp_path, content):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"table.csv.gz, line \d+.*broken gzip data"):
        read(path)


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing.csv")


@pytest.mark.parametrize("header", ["a|b", "a;b\tc", "\na|b"])
def test_a_header_that_another_delimiter_would_split_is_refused(csv_file, header):
    with pytest.raises(FileFormatError, match=r"line 1: the header is a single cell"):
        read(csv_file(f"{header}\n1\n"))


def test_text_behind_a_quotation_mark_is_named_with_any_delimiter(csv_file):
    with pytest.raises(FileFormatError, match="line 2, column 'v': text follows a closing"):
        read(csv_file('v;w\n"a"b;2\n'))


@pytest.mark.parametrize("cells", [["1,5"], ["-1,25", "3"], ['"1,5"'], [" 1,5", "?", ""]])
def test_decimal_commas_are_refused_by_name(csv_file, cells):
    rows = "".join(f"1;{cell}\n" for cell in cells)
    with pytest.raises(FileFormatError, match=r"column 'w': the numbers have decimal commas"):
        read(csv_file(f"v;w\n{rows}"))


def test_commas_in_text_between_semicolons_stay(csv_file):
    table = read(csv_file("v;w\nklein, fein;1,5\ngroß;x\n"))
    assert table.to_dict("list") == {"v": ["klein, fein", "groß"], "w": ["1,5", "x"]}
