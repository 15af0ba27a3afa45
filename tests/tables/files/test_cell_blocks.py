"""Plain CSV files, parsed by pandas, against the csv module, which reads all of them."""

import csv
import gzip

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baytree.exceptions import FileFormatError
from baytree.tables.files import cell_blocks, text_rows
from baytree.tables.files.csv_tables import open_csv


def read(path, **options):
    return open_csv(path, **options).native


OPTIONS = [
    {},
    {"delimiter": "\t"},
    {"missing_words": ["-9", "1.5"]},
    {"known_states": {"v": [1, 1.5, "a"]}},
    {"encoding": "latin-1"},
]


def outcome(path, options):
    try:
        return read(path, **options)
    except FileFormatError as error:
        return str(error)


def assert_same_outcome(path, options, block_length=cell_blocks.BLOCK_LENGTH):
    """Return whether pandas parsed all of the file."""
    read_one_by_one = []

    def recorded(*arguments):
        read_one_by_one.append(True)
        return row_blocks(*arguments)

    def refused(*_):
        raise cell_blocks._NotPlainError

    row_blocks = cell_blocks.row_blocks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_blocks, "BLOCK_LENGTH", block_length)
        patch.setattr(cell_blocks, "MIN_BLOCK_ROWS", 0)
        patch.setattr(cell_blocks, "row_blocks", recorded)
        fast = outcome(path, options)
        is_plain = not read_one_by_one
        patch.setattr(cell_blocks, "_plain_blocks", refused)
        exact = outcome(path, options)
    if isinstance(exact, str):
        assert fast == exact
    else:
        pd.testing.assert_frame_equal(fast, exact, check_exact=True)
    return is_plain


words = [
    "",
    "a",
    "b c",
    " ",
    "é",
    "\u2028",
    "?",
    " ?",
    "NA ",
    "nan",
    "inf",
    "True",
    "1_0",
    "\u0661",
]
integers = ["0", "1", " 1", "01", "-9", "-0", "+1", "9223372036854775808"]
numbers = ["1.5", "2.25", "0.1", "1e3", "1e999", " 1.5"]
cells = st.sampled_from([*words, *integers, *numbers])
quoted_cells = cells.map('"{}"'.format)
odd_cells = st.sampled_from(
    [
        '"a,b"',
        '"a\tb"',
        '"a\nb"',
        '"a\r\nb"',
        '"a""b"',
        '""',
        '"',
        'a"b',
        '"a"b',
        "\0",
        "a\rb",
        "x,y",
    ]
)


@st.composite
def files(draw):
    delimiter = draw(st.sampled_from(",\t;"))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    n_columns = draw(st.integers(1, 3))
    cell = draw(st.sampled_from([cells, cells | quoted_cells, cells | quoted_cells | odd_cells]))
    row = st.lists(cell, min_size=n_columns, max_size=n_columns)
    rows = [["v", '"w"', "x y"][:n_columns], *draw(st.lists(row, max_size=12))]
    lines = [delimiter.join(row) for row in rows]
    if draw(st.booleans()):
        odd_line = st.sampled_from(["", " ", "a", "a,b,c,d", "v,v", ",", '"', "\ufeff"])
        lines.insert(draw(st.integers(0, len(lines))), draw(odd_line))
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16"])))


@given(files(), st.sampled_from(OPTIONS), st.sampled_from([1, 5, 100_000]), st.booleans())
@settings(max_examples=400)
def test_both_readers_give_the_same_frame_or_the_same_error(
    tmp_path_factory, content, options, block_length, is_packed
):
    path = tmp_path_factory.getbasetemp() / ("same.csv.gz" if is_packed else "same.csv")
    path.write_bytes(gzip.compress(content, 1) if is_packed else content)
    assert_same_outcome(path, options, block_length)


@given(st.binary(max_size=30) | st.text('av1.5?,"\n\r \t', max_size=30).map(str.encode))
def test_both_readers_give_the_same_for_any_bytes(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "bytes.csv"
    path.write_bytes(content)
    assert_same_outcome(path, {}, block_length=3)


@pytest.mark.parametrize(
    ("content", "is_plain"),
    [
        ("v,w\na,1.5\nb,?\n", True),
        ('"v","w"\r\n"a b","1.5"\r\n"",2.5', True),
        ("v,w\n" + "".join(f"{i}.5,{i}\n" for i in range(99)), True),
        ("v, w\n" + "".join(f"{i}, {i}.5\n0, ?\n" for i in range(99)), True),
        ("v,w\n" + "".join(f"{i}.5,{i}\n" for i in range(99)) + "text,1\n", True),
        ('v,w\n"a,b",1\n', True),
        ('v,w\n"a""b",1\n', True),
        ('v\na\n""\n', True),
        ('v,w\n"a,b"\n', False),
        ('v,w\na"b,1\n', False),
        ('v,w\n"a"b,1\n', False),
        ('v,w\n"a\nb",1\n', False),
        ("v,w\na,1\n\nb,2\n", False),
        ("v,w\ra,1\r", False),
        ("v,w\na,1\nb\n", False),
        ("v,w\na\nb,1,2\n", False),
        ("v,w\na\0,1\n", False),
    ],
)
def test_pandas_parses_plain_files_alone(tmp_path, content, is_plain):
    path = tmp_path / "table.csv"
    path.write_bytes(content.encode())
    assert assert_same_outcome(path, {}, block_length=50) == is_plain


@pytest.mark.parametrize("length", [131_072, 131_073])
def test_a_long_cell_is_refused_by_both_readers_or_by_none(tmp_path, length):
    path = tmp_path / "table.csv"
    path.write_text(f"v,w\n1,{'a' * length}\n")
    assert assert_same_outcome(path, {}) == (length <= csv.field_size_limit())


@pytest.mark.parametrize(
    "content", ["vvvvvvvvvv,w\n1,2\n", "v,w\n1,222222222\n", "v\n1\n2\n3\n4\n"]
)
def test_a_long_line_is_refused_by_both_readers(tmp_path, monkeypatch, content):
    monkeypatch.setattr(text_rows, "MAX_LINE_LENGTH", 8)
    path = tmp_path / "table.csv"
    path.write_text(content)
    assert_same_outcome(path, {}, block_length=2)
