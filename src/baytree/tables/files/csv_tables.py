"""CSV and TSV files as pandas frames."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from baytree.exceptions import FileFormatError
from baytree.messages.arguments import is_number
from baytree.messages.quoting import shortened
from baytree.tables.columns import object_array
from baytree.tables.files import text_lines
from baytree.tables.files.cell_numbering import CellNumbering
from baytree.tables.files.cell_rows import RowFile, RowReader, read_columns
from baytree.tables.files.delimiters import header_delimiter
from baytree.tables.files.plain_rows import FloatCells, read_plain_columns
from baytree.tables.files.spelled_numbers import has_fraction, spelled_floats, spelled_integers
from baytree.tables.label_spellings import texts_of
from baytree.tables.missing_words import DEFAULT_MISSING_VALUES, is_missing_text


def read_csv(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    missing_values: Collection[str] = DEFAULT_MISSING_VALUES,
    known_states: Mapping[Hashable, Sequence[Hashable]] | None = None,
) -> pd.DataFrame:
    r"""Return the table in a CSV file whose first line names the variables.

    A column of integers as Python writes them ("7", not "07") becomes integers, a column of
    numbers of which some are written as no integer becomes floats, and everything else stays text
    as it is written, blanks included. Blanks around numbers and around words that mean missing do
    not count. Blank lines are skipped.

    Parameters
    ----------
    path : Path
        File to read; a name that ends in .gz is unpacked.
    delimiter : str, optional
        Character between cells. By default a comma, or the semicolon or tab that stands in a
        header without commas.
    encoding : str, default="utf-8"
        Encoding of the text.
    missing_values : collection of str
        Words that mean missing; the empty cell, or one of blanks, always does.
    known_states : mapping of variable to sequence of states, optional
        States of variables that are known already. Cells that spell one of them become it,
        whatever else the column holds.

    Returns
    -------
    DataFrame
        Columns of int64 (Int64 with missing cells), float64 or text.

    Raises
    ------
    FileFormatError
        If the file is broken; the message names the line and the column.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "rain.csv"
    >>> _ = path.write_text("rain,code\nyes,01\n?,02\n")
    >>> read_csv(path)
      rain code
    0  yes   01
    1  NaN   02
    >>> folder.cleanup()
    """
    words = {"", *missing_values}
    delimiter = delimiter or header_delimiter(path, encoding)
    known = known_states or {}
    columns: Any = read_plain_columns(path, delimiter, encoding, words, known)
    if columns is None:
        rows = read_columns(CsvFile(path, delimiter, encoding))
        columns = dict(zip(rows.names, rows.columns, strict=True))
    _refuse_other_delimiter(path, list(columns))
    if delimiter == ";":
        _refuse_decimal_commas(path, columns, words)
    arrays = {name: _array(cells, words, known.get(name)) for name, cells in columns.items()}
    return pd.DataFrame(arrays, copy=False)


def _refuse_other_delimiter(path: Path, names: Sequence[str]) -> None:
    """Raise if the header is one cell that looks like several."""
    for other in ";\t|":
        if len(names) == 1 and other in names[0]:
            raise FileFormatError(
                f"{path}, line 1: the header is a single cell, {shortened(names[0])}. If {other!r} "
                "separates the cells, save the table with commas, semicolons or tabs."
            )


def _refuse_decimal_commas(
    path: Path, columns: Mapping[str, CellNumbering | FloatCells], words: Collection[str]
) -> None:
    """Raise if numbers are written with commas, as is usual beside semicolons: no text is meant."""
    for name, cells in columns.items():
        texts = [] if isinstance(cells, FloatCells) else cells.texts
        present = [text.strip() for text in texts if not is_missing_text(text, words)]
        comma = next((text for text in present if "," in text), None)
        points = [text.replace(",", ".") for text in present]
        if comma is not None and spelled_floats(points) is not None:
            raise FileFormatError(
                f"{path}, column {name!r}: the numbers have decimal commas, as in {comma!r}. Save "
                "the table with decimal points."
            )


class _BoundedReader:
    """csv.reader that refuses an endless row, whatever the limits of the csv module are set to."""

    def __init__(self, lines: Iterator[str], delimiter: str) -> None:
        self._reader = csv.reader(self._bounded(lines), delimiter=delimiter, strict=True)
        self._length = 0

    @property
    def line_num(self) -> int:
        return self._reader.line_num

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        self._length = 0
        return next(self._reader)

    def _bounded(self, lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            self._length += len(line)
            if self._length > text_lines.MAX_LINE_LENGTH:
                raise csv.Error(
                    "a quotation mark is opened and not closed within "
                    f"{text_lines.MAX_LINE_LENGTH:,} characters."
                )
            yield line


class CsvFile(RowFile):
    """Rows of a CSV file."""

    def __init__(self, path: Path, delimiter: str, encoding: str) -> None:
        self.path = path
        self.delimiter = delimiter
        self.encoding = encoding

    def lines(self) -> Iterator[str]:
        """Return the lines from the top of the file."""
        return text_lines.text_lines(self.path, self.encoding)

    def reader(self) -> RowReader:
        """Return the rows from the top of the file."""
        return _BoundedReader(self.lines(), self.delimiter)

    def bad_cell(self, line: str) -> int:
        """Return the position of the cell that cannot be read, or of the last one."""
        ends = [match.start() for match in re.finditer(re.escape(self.delimiter), line)]
        for end in ends:
            try:
                next(csv.reader([line[: end + 1]], delimiter=self.delimiter, strict=True))
            except csv.Error as error:
                if str(error) != "unexpected end of data":
                    return self._last_cell(line[:end])
        return self._last_cell(line)

    def _last_cell(self, text: str) -> int:
        try:
            cells = next(csv.reader([text], delimiter=self.delimiter), [])
        except csv.Error:  # a cell is too long for the csv module
            return text.count(self.delimiter)
        return max(len(cells), 1) - 1


def _array(
    cells: CellNumbering | FloatCells, words: Collection[str], known: Sequence[Hashable] | None
) -> Any:
    """Return the cells of a column with the type that its distinct texts ask for."""
    if isinstance(cells, FloatCells):
        return cells.floats
    texts = cells.texts
    is_missing = np.array([is_missing_text(text, words) for text in texts])
    present = [text for text, is_gap in zip(texts, is_missing, strict=True) if not is_gap]
    ranks = np.where(is_missing, -1, np.cumsum(~is_missing) - 1)[cells.codes]
    if not present:
        return object_array([None] * len(ranks))
    if known is not None:
        return object_array([*states_spelled(present, known), None])[ranks]
    bare = [text.strip() for text in present]
    integers = spelled_integers(bare)
    if integers is not None:
        if (ranks < 0).any():
            return pd.array(integers, dtype="Int64").take(ranks, allow_fill=True)
        return integers[ranks]
    floats = spelled_floats(bare) if has_fraction(bare) else None
    if floats is not None:
        return np.append(floats, np.nan)[ranks]
    return pd.Series(object_array(present)).array.take(ranks, allow_fill=True)


def states_spelled(texts: Sequence[str], known: Sequence[Hashable]) -> Iterator[Hashable]:
    """Yield the state that each text spells, or the text itself; 2.0 spells the number 2."""
    spelled = {str(state): state for state in known}
    no_texts = [state for state in known if not isinstance(state, str)]
    bare = {text: state for state in no_texts for text in texts_of(state)}
    by_number = {float(state): state for state in known if is_number(state)}
    for text in texts:
        state = spelled.get(text, bare.get(text.strip(), text))
        if state is text and by_number and has_fraction([text]):
            number = spelled_floats([text.strip()])
            state = text if number is None else by_number.get(float(number[0]), text)
        yield state
