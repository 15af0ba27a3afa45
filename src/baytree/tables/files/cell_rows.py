"""Rows of text cells under a line of names, numbered column by column while they are read."""

from __future__ import annotations

import contextlib
import csv
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, Protocol

from baytree.exceptions import FileFormatError
from baytree.messages.plurals import counted
from baytree.tables.files.cell_numbering import CellNumbering, check_memory
from baytree.tables.files.text_lines import BrokenLineError, broken_file

# Rows that are held as text at a time: few, to stay in the processor's cache, unless the table is
# so wide that the work per column and block would count; never more cells than fit in memory.
BLOCK_CELLS = 40_000
MIN_BLOCK_ROWS = 256
MAX_BLOCK_CELLS = 4_000_000

_PLAIN_PROBLEMS = {  # what the csv module calls them, the delimiter aside
    "unexpected end of data": "a quotation mark is opened and never closed.",
    "expected after '\"'": "text follows a closing quotation mark. Double the marks inside.",
}
_TOO_LONG = "the cell has more than {limit:,} characters. Is a quotation mark not closed?"


class RowReader(Protocol):
    """Iterator over rows of cells (none for a blank line) that counts lines, as csv.reader."""

    @property
    def line_num(self) -> int:
        """Number of the line that was read last."""

    def __iter__(self) -> Iterator[list[str]]:
        """Return itself."""

    def __next__(self) -> list[str]:
        """Return the cells of the next row."""


class RowFile(ABC):
    """A file of rows; it can be read anew, to find the line of something wrong."""

    path: Path

    @abstractmethod
    def lines(self) -> Iterator[str]:
        """Return the lines from the top of the file."""

    @abstractmethod
    def reader(self) -> RowReader:
        """Return the rows from the top of the file."""

    @abstractmethod
    def bad_cell(self, line: str) -> int:
        """Return the position of the cell that cannot be read, or of the last one."""


@dataclass(frozen=True)
class NumberedColumns:
    """Names and cells of the columns of a file."""

    names: list[str]
    columns: list[CellNumbering]
    head: list[str]  # cells of a second header row, for formats that have one


def read_columns(file: RowFile, *, has_head: bool = False) -> NumberedColumns:
    """Read a whole file.

    Raises
    ------
    FileFormatError
        If the file has no names, two equal names, a row of another length, no rows, or text that
        cannot be read; the message names the file, the line and the column.
    """
    names: list[str] = []
    reader = file.reader()
    with _worded_errors(file, names):
        names += _checked_names(file, reader)
        head = _next_row(reader) if has_head else []
        columns = _number_cells(file, names, reader, first_row=2 if has_head else 1)
    return NumberedColumns(names, columns, head)


def read_names(file: RowFile) -> list[str]:
    """Return the names of the columns; raise as `read_columns` does."""
    with _worded_errors(file, []):
        return _checked_names(file, file.reader())


def read_rows(file: RowFile, n_rows: int) -> Iterator[list[list[str]]]:
    """Yield the rows below the names, so many at a time; raise as `read_columns` does."""
    names: list[str] = []
    reader = file.reader()
    with _worded_errors(file, names):
        names += _checked_names(file, reader)
        yield from _blocks(file, names, reader, n_rows=n_rows, first_row=1)


@contextlib.contextmanager
def _worded_errors(file: RowFile, names: Sequence[str]) -> Iterator[None]:
    """Turn what readers raise into errors that name the file, the line and the column."""
    try:
        yield
    except BrokenLineError as broken:
        column = _column_name(names, file.bad_cell(broken.before))
        raise broken_file(file.path, broken.line, column, broken.problem) from None
    except csv.Error as error:
        raise _unreadable_row(file, names, str(error)) from None


def cell_error(
    file: RowFile, names: Sequence[str], row: int, column: int, problem: str
) -> FileFormatError:
    """Return the error of one cell; rows count from 0, the line of names."""
    return broken_file(file.path, _line_of(file, row), _column_name(names, column), problem)


def _number_cells(
    file: RowFile, names: Sequence[str], reader: RowReader, first_row: int
) -> list[CellNumbering]:
    columns = [CellNumbering() for _ in names]
    n_rows = _block_rows(len(names))
    for block in _blocks(file, names, reader, n_rows=n_rows, first_row=first_row):
        for column, cells in zip(columns, zip(*block, strict=True), strict=True):
            column.add(cells)
        check_memory(file.path, (column.n_bytes for column in columns))
    return columns


def _blocks(
    file: RowFile, names: Sequence[str], reader: RowReader, *, n_rows: int, first_row: int
) -> Iterator[list[list[str]]]:
    """Yield rows as long as the names are, blank lines left out; raise if there are none."""
    row = first_row
    while rows := list(islice(reader, n_rows)):
        block = rows if all(rows) else [cells for cells in rows if cells]
        if not set(map(len, block)) <= {len(names)}:
            raise _ragged_row(file, names, block, row)
        if block:
            yield block
        row += len(block)
    if row == first_row:
        raise FileFormatError(f"{file.path}, line 1: there are no rows below the names.")


def _checked_names(file: RowFile, reader: RowReader) -> list[str]:
    names = _next_row(reader)
    _check_names(file, names)
    return names


def _next_row(reader: RowReader) -> list[str]:
    """Return the next row that is not blank, or no cells at the end of the file."""
    return next(filter(None, reader), [])


def _block_rows(n_columns: int) -> int:
    n_rows = max(BLOCK_CELLS // n_columns, MIN_BLOCK_ROWS)
    return max(1, min(n_rows, MAX_BLOCK_CELLS // n_columns))


def _check_names(file: RowFile, names: Sequence[str]) -> None:
    if not names:
        raise FileFormatError(f"{file.path}, line 1: the file is empty; it has no column names.")
    first_of: dict[str, int] = {}
    for column, name in enumerate(names):
        if not name.strip():
            raise cell_error(file, [], 0, column, "the name is empty. Give every column a name.")
        if first_of.setdefault(name, column) != column:
            problem = f"the name is that of column {first_of[name] + 1} too. Rename one of them."
            raise cell_error(file, names, 0, column, problem)


def _ragged_row(
    file: RowFile, names: Sequence[str], block: Sequence[Sequence[Any]], first_row: int
) -> FileFormatError:
    index = next(i for i, row in enumerate(block) if len(row) != len(names))
    n_cells = len(block[index])
    problem = f"the row has {counted(n_cells, 'cell')}; the line of names has {len(names):,}."
    return cell_error(file, names, first_row + index, min(n_cells, len(names)), problem)


def _unreadable_row(file: RowFile, names: Sequence[str], problem: str) -> FileFormatError:
    """Find the row at which the csv module gives up, and the column as well as it can be told."""
    reader = file.reader()
    start = 1
    try:
        for _ in reader:
            start = reader.line_num + 1
    except csv.Error:
        pass
    line = next(islice(file.lines(), start - 1, None), "")
    plain = (plain for end, plain in _PLAIN_PROBLEMS.items() if problem.endswith(end))
    if problem.startswith("field larger than"):
        problem = _TOO_LONG.format(limit=csv.field_size_limit())
    problem = next(plain, problem)
    return broken_file(file.path, start, _column_name(names, file.bad_cell(line)), problem)


def _line_of(file: RowFile, row: int) -> int:
    """Return the line on which a row begins; blank lines are no rows."""
    reader = file.reader()
    start = 1
    rows_left = count(row, -1)
    for cells in reader:
        if cells and next(rows_left) == 0:
            return start
        start = reader.line_num + 1
    return start


def _column_name(names: Sequence[str], column: int) -> str:
    """Return the name of a column to read, or its number where it has none."""
    return repr(names[column]) if column < len(names) else str(column + 1)
