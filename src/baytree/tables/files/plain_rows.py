"""Rows of plain CSV files, split many at a time.

Plain is a file in which every line is a row of as many cells as there are names, and quotation
marks stand around whole cells only. Anything else is left to the csv module, which is slower and
knows what is wrong, and where.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import TextIO

import numpy as np

from baytree.tables.columns import Array
from baytree.tables.files import text_lines
from baytree.tables.files.cell_numbering import CELL_BYTES, CellNumbering, check_memory
from baytree.tables.files.spelled_numbers import has_fraction, spelled_floats
from baytree.tables.missing_words import is_missing_text

# Characters that are split at a time: few, to stay in the processor's cache, unless the table is
# so wide that the work per column and block would count.
BLOCK_LENGTH = 100_000
MIN_BLOCK_ROWS = 256
MAX_BLOCK_LENGTH = 2**24


class FloatCells:
    """Cells of a column of numbers that are mostly distinct, so that numbering does not pay."""

    def __init__(self, words: Collection[str]) -> None:
        self._words = words
        self._has_number_words = any(spelled_floats([word]) is not None for word in words)
        self._blocks: list[Array] = []
        self.n_bytes = 0

    @property
    def floats(self) -> Array:
        """Numbers of all cells, NaN where missing."""
        return np.concatenate(self._blocks)

    def add(self, cells: Sequence[str]) -> None:
        """Convert the cells of the next rows."""
        floats = None if self._has_number_words else spelled_floats(cells)
        self._blocks.append(self._floats_with_gaps(cells) if floats is None else floats)
        self.n_bytes += CELL_BYTES * len(cells)

    def _floats_with_gaps(self, cells: Sequence[str]) -> Array:
        is_present = np.array([not is_missing_text(cell, self._words) for cell in cells])
        present = spelled_floats([cell.strip() for cell in compress(cells, is_present)])
        if present is None:
            raise _NotPlainError
        floats = np.full(len(cells), np.nan)
        floats[is_present] = present
        return floats


class _NotPlainError(Exception):
    """The file is not plain."""


def read_plain_columns(
    path: Path,
    delimiter: str,
    encoding: str,
    words: Collection[str],
    text_names: Collection[Hashable],
) -> dict[str, CellNumbering | FloatCells] | None:
    """Return the columns of a plain file by name, or None if the file is not plain.

    Only columns that are not in `text_names` may be turned into floats.
    """
    try:
        with text_lines.open_text(path, encoding) as stream:
            blocks = _plain_blocks(stream, delimiter)
            names = next(blocks, [""])
            if not all(map(str.strip, names)) or len(set(names)) < len(names):
                return None
            columns: list[CellNumbering | FloatCells] = []
            for cells in blocks:
                by_column = [cells[i :: len(names)] for i in range(len(names))]
                columns = columns or [
                    CellNumbering() if name in text_names else _fitting_column(cells, words)
                    for name, cells in zip(names, by_column, strict=True)
                ]
                for column, column_cells in zip(columns, by_column, strict=True):
                    column.add(column_cells)
                check_memory(path, (column.n_bytes for column in columns))
    except (_NotPlainError, UnicodeError, EOFError, gzip.BadGzipFile, zlib.error):
        return None
    return dict(zip(names, columns, strict=True)) if columns else None


def _fitting_column(cells: Sequence[str], words: Collection[str]) -> CellNumbering | FloatCells:
    """Return an empty column for cells like these."""
    present = {cell.strip() for cell in set(cells) if not is_missing_text(cell, words)}
    if len(present) > len(cells) / 2 and has_fraction([*present]):
        return CellNumbering() if spelled_floats([*present]) is None else FloatCells(words)
    return CellNumbering()


def _plain_blocks(stream: TextIO, delimiter: str) -> Iterator[list[str]]:
    """Yield the names, and then the cells of some rows at a time, one row behind the other."""
    names = stream.readline(text_lines.MAX_LINE_LENGTH + 1)
    length = min(max(BLOCK_LENGTH, MIN_BLOCK_ROWS * len(names)), MAX_BLOCK_LENGTH)
    limit = csv.field_size_limit()
    block, n_cells = names, set[int]()
    while block:
        block = _plain_text(block, delimiter)
        n_cells.update(line.count(delimiter) + 1 for line in block.split("\n")[:-1])
        cells = block[:-1].replace("\n", delimiter).split(delimiter)
        if len(n_cells) > 1 or (len(block) > limit and max(map(len, cells)) > limit):
            raise _NotPlainError
        yield cells
        block = stream.read(length)
        block += stream.readline(text_lines.MAX_LINE_LENGTH) if block else ""


def _plain_text(block: str, delimiter: str) -> str:
    """Return lines without quotation marks and with plain ends."""
    if len(block) > text_lines.MAX_LINE_LENGTH or not text_lines.is_sound(block):
        raise _NotPlainError
    block = block.replace("\r\n", "\n")
    block = block if block.endswith("\n") else f"{block}\n"
    if '"' in block:
        block = _unquoted(block, delimiter)
    if "\r" in block or "\n\n" in block or block.startswith("\n"):
        raise _NotPlainError
    return block


def _unquoted(block: str, delimiter: str) -> str:
    """Return lines without the quotation marks around cells that hold nothing special."""
    ends = (delimiter, "\n")
    parts = f"\n{block}".split('"')
    inside, outside = "".join(parts[1::2]), set(parts[::2])
    has_whole_cells = all(part.startswith(ends) and part.endswith(ends) for part in outside)
    if len(parts) % 2 == 0 or not has_whole_cells or any(end in inside for end in ends):
        raise _NotPlainError
    return "".join(parts)[1:]
