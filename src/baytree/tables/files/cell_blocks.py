"""Cells of text files in blocks of rows, and columns of numbered texts.

pandas parses the blocks of a CSV file until one of them is not plain: with line ends in quotation
marks, blank lines, lines of unequal lengths or anything broken. From there on rows are read by the
csv module, which is slower and words errors.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Protocol, Self

import numpy as np
import pandas as pd

from baytree.exceptions import FileFormatError
from baytree.runtime.memory import available_memory
from baytree.tables.columns import Array, Mask, StateCodes, object_array
from baytree.tables.files import text_rows
from baytree.tables.files.text_rows import RowFile

BLOCK_LENGTH = 2**22  # characters
MIN_BLOCK_ROWS = 256  # of wide tables, for the cost per column and block
MAX_BLOCK_LENGTH = 2**25
CELLS_PER_BLOCK = 40_000  # of rows read one by one: few, to stay in the processor's cache
MAX_CELLS_PER_BLOCK = 4_000_000

BYTES_PER_CELL = 16  # the code of its text while reading, and the finished column beside it
BYTES_PER_TEXT = 100  # a distinct text and its place in a dictionary, beside its characters

_QUOTE, _NEWLINE = ord('"'), ord("\n")


class TextColumn:
    """Distinct texts of a column, and the number of the text of every cell."""

    def __init__(self) -> None:
        self._number_of: defaultdict[str, int] = defaultdict(count().__next__)
        self._blocks: list[StateCodes] = []
        self.n_bytes = 0

    @property
    def texts(self) -> list[str]:
        """Distinct texts, in the order of their numbers."""
        return list(self._number_of)

    @property
    def codes(self) -> StateCodes:
        """Number of the text of every cell."""
        return np.concatenate(self._blocks)

    def text_blocks(self) -> Iterator[Array]:
        """Yield the texts of the cells that were added at once, one block after the other."""
        texts = object_array(self.texts)
        yield from (texts[codes] for codes in self._blocks)

    def add(self, cells: Array) -> None:
        """Add the cells of the next rows."""
        codes, texts = pd.factorize(cells)
        n_known = len(self._number_of)
        numbers = np.fromiter(map(self._number_of.__getitem__, texts), np.int32, count=len(texts))
        self._blocks.append(numbers[codes])
        n_new = len(self._number_of) - n_known
        n_characters = sum(map(len, islice(reversed(self._number_of), n_new)))
        self.n_bytes += BYTES_PER_CELL * len(cells) + BYTES_PER_TEXT * n_new + n_characters


class TextSource(Protocol):
    """A column that has kept its cells as they are written."""

    def text_blocks(self) -> Iterator[Array]:
        """Yield the texts of the cells, block after block."""


@dataclass(frozen=True, eq=False)
class CellTexts:
    """Cells of a CSV file as they are written, by block of rows, then by column."""

    names: Sequence[str]
    delimiter: str
    blocks: Iterable[list[Array]]

    @classmethod
    def of(cls, columns: Mapping[str, TextSource], delimiter: str | None) -> Self:
        """Return the cells of columns in memory."""
        by_column = (column.text_blocks() for column in columns.values())
        return cls([*columns], delimiter or ",", map(list, zip(*by_column, strict=True)))


def check_memory(path: Path, n_bytes: Iterable[int]) -> None:
    """Refuse columns that do not fit in memory; a small gzip file may hold such."""
    needed, memory = sum(n_bytes), available_memory()
    if needed > memory:
        raise FileFormatError(
            f"{path}: the table needs more than {needed / 1e9:,.1f} GB of memory, and "
            f"{memory / 1e9:,.1f} GB are there. Leave out rows or columns."
        )


def csv_blocks(file: RowFile) -> tuple[list[str], Iterator[list[Array]]]:
    """Return the names of a CSV file's columns, and its cells by block of rows, then by column.

    Raises
    ------
    FileFormatError
        If the file is broken: at once if the names are, else at the block that is.
    """
    if not file.path.is_file():  # a pipe can be read only once
        rows = file.rows()
        names = next(rows)[1]
        return names, row_blocks(file, names, rows)
    names = next(file.rows())[1]
    return names, _csv_blocks(file, names)


def row_blocks(
    file: RowFile, names: Sequence[str], rows: Iterator[tuple[int, list[str]]]
) -> Iterator[list[Array]]:
    """Yield the cells of rows by block of rows, then by column; raise if there are no rows."""
    n_rows = max(CELLS_PER_BLOCK // len(names), MIN_BLOCK_ROWS)
    n_rows = max(1, min(n_rows, MAX_CELLS_PER_BLOCK // len(names)))
    cells = (cells for _, cells in rows)
    block = list(islice(cells, n_rows))
    if not block:
        raise file.error(1, names, None, "there are no rows below the names.")
    while block:
        yield [object_array(column) for column in zip(*block, strict=True)]
        block = list(islice(cells, n_rows))


class _NotPlainError(Exception):
    """A block that pandas and the csv module may read differently."""


def _csv_blocks(file: RowFile, names: Sequence[str]) -> Iterator[list[Array]]:
    n_rows = 0
    try:
        for block in _plain_blocks(file, names):
            yield block
            n_rows += len(block[0])
    except (_NotPlainError, UnicodeError, EOFError, gzip.BadGzipFile, zlib.error):
        yield from row_blocks(file, names, islice(file.rows(), 1 + n_rows, None))
        return
    if not n_rows:
        raise file.error(1, names, None, "there are no rows below the names.")


def _plain_blocks(file: RowFile, names: Sequence[str]) -> Iterator[list[Array]]:
    """Yield blocks parsed by pandas; raise _NotPlainError at the first that is not plain."""
    delimiter = file.delimiter or ","
    with file.open_text() as stream:
        header = stream.readline(text_rows.MAX_LINE_LENGTH)
        if next(csv.reader([header], delimiter=delimiter), None) != names:
            raise _NotPlainError
        length = max(BLOCK_LENGTH, min(MIN_BLOCK_ROWS * len(header), MAX_BLOCK_LENGTH))
        while text := stream.read(length):
            text += stream.readline(text_rows.MAX_LINE_LENGTH)
            yield _parsed(_plain_bytes(text, delimiter, len(names)), delimiter, len(names))


def _plain_bytes(text: str, delimiter: str, n_columns: int) -> bytes:
    """Return lines with plain ends; refuse lines with more or fewer cells than columns.

    A count of delimiters is enough, as pandas refuses lines with more cells than the first.
    """
    if len(text) > text_rows.MAX_LINE_LENGTH or not text_rows.is_sound(text):
        raise _NotPlainError
    text = text.replace("\r\n", "\n") if "\r" in text else text
    text = text if text.endswith("\n") else f"{text}\n"
    if "\r" in text or "\n\n" in text or text.startswith(("\n", "\ufeff")):
        raise _NotPlainError
    data = text.encode()
    characters = np.frombuffer(data, dtype=np.uint8)
    is_delimiter, is_end = characters == ord(delimiter), characters == _NEWLINE
    if '"' in text:
        is_quoted = _is_quoted(characters, characters == _QUOTE, delimiter)
        if (is_quoted & is_end).any():
            raise _NotPlainError
        is_delimiter &= ~is_quoted
    ends = np.flatnonzero(is_end)
    is_even = np.count_nonzero(is_delimiter) == len(ends) * (n_columns - 1)
    if not is_even or np.count_nonzero(is_delimiter[: ends[0]]) != n_columns - 1:
        raise _NotPlainError
    if np.diff(ends, prepend=-1).max() > csv.field_size_limit():
        cell_ends = np.flatnonzero(is_delimiter | is_end)
        if np.diff(cell_ends, prepend=-1).max() - 1 > csv.field_size_limit():
            raise _NotPlainError
    return data


def _is_quoted(characters: Array, is_quote: Mask, delimiter: str) -> Mask:
    """Return the mask of characters in quotation marks; raise unless those hold whole cells."""
    quotes = np.flatnonzero(is_quote)
    is_boundary = np.zeros(256, dtype=bool)
    is_boundary[[_NEWLINE, _QUOTE, ord(delimiter)]] = True
    before, behind = characters[quotes[::2] - 1], characters[quotes[1::2] + 1]
    if len(quotes) % 2 or not is_boundary[before].all() or not is_boundary[behind].all():
        raise _NotPlainError
    is_quoted: Mask = np.logical_xor.accumulate(is_quote)
    return is_quoted


def _parsed(data: bytes, delimiter: str, n_columns: int) -> list[Array]:
    """Return the cells of lines by column."""
    try:
        frame = pd.read_csv(
            io.BytesIO(data),
            sep=delimiter,
            header=None,
            names=range(n_columns),
            index_col=False,
            dtype=object,
            na_filter=False,
            skip_blank_lines=False,
            low_memory=False,
            engine="c",
        )
    except pd.errors.ParserError:
        raise _NotPlainError from None
    return [column.to_numpy() for _, column in frame.items()]
