"""CSV and TSV files as pandas frames."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from baytree._columns import Array, object_array
from baytree.formats.cell_rows import RowFile, RowReader, read_columns
from baytree.formats.missing_words import DEFAULT_MISSING_VALUES
from baytree.formats.text_lines import text_lines

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_INT64 = np.iinfo(np.int64)


def read_csv(
    path: Path,
    *,
    delimiter: str = ",",
    encoding: str = "utf-8",
    missing_values: Collection[str] = DEFAULT_MISSING_VALUES,
    known_states: Mapping[Hashable, Sequence[Hashable]] | None = None,
) -> pd.DataFrame:
    r"""Return the table in a CSV file whose first line names the variables.

    A column of integers as Python writes them ("7", not "07") becomes integers, a column of
    numbers of which some are written as no integer becomes floats, and everything else stays text
    as it is written, blanks included. Blank lines are skipped.

    Parameters
    ----------
    path : Path
        File to read; a name that ends in .gz is unpacked.
    delimiter : str, default=","
        Character between cells.
    encoding : str, default="utf-8"
        Encoding of the text.
    missing_values : collection of str
        Words that mean missing; the empty cell always does.
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
    columns = read_columns(_CsvFile(path, delimiter, encoding))
    words = {"", *missing_values}
    known = known_states or {}
    arrays = {
        name: _column(columns.texts[i], columns.codes[i], words, known.get(name))
        for i, name in enumerate(columns.names)
    }
    return pd.DataFrame(arrays, copy=False)


class _CsvFile(RowFile):
    """Rows of a CSV file."""

    def __init__(self, path: Path, delimiter: str, encoding: str) -> None:
        self.path = path
        self.delimiter = delimiter
        self.encoding = encoding

    def lines(self) -> Iterator[str]:
        return text_lines(self.path, self.encoding)

    def reader(self) -> RowReader:
        return csv.reader(self.lines(), delimiter=self.delimiter, strict=True)

    def bad_cell(self, line: str) -> int:
        ends = [match.start() for match in re.finditer(re.escape(self.delimiter), line)]
        for end in ends:
            try:
                next(csv.reader([line[: end + 1]], delimiter=self.delimiter, strict=True))
            except csv.Error as error:
                if str(error) != "unexpected end of data":
                    return self._last_cell(line[:end])
        return self._last_cell(line)

    def _last_cell(self, text: str) -> int:
        cells = next(csv.reader([text], delimiter=self.delimiter), [])
        return max(len(cells), 1) - 1


def _column(
    texts: Sequence[str], codes: Array, words: Collection[str], known: Sequence[Hashable] | None
) -> Any:
    """Return the cells of a column with the type that its distinct texts ask for."""
    is_missing = np.array([text in words for text in texts])
    present = [text for text in texts if text not in words]
    ranks = np.where(is_missing, -1, np.cumsum(~is_missing) - 1)[codes]
    if not present:
        return object_array([None] * len(codes))
    if known is not None:
        spelled = {str(state): state for state in known}
        return _take_objects([spelled.get(text, text) for text in present], ranks)
    if all(map(_is_integer, present)):
        integers = np.array([int(text) for text in present], dtype=np.int64)
        if (ranks < 0).any():
            return pd.array(integers, dtype="Int64").take(ranks, allow_fill=True)
        return integers[ranks]
    if all(map(_NUMBER.fullmatch, present)) and not all(map(_WHOLE.fullmatch, present)):
        numbers = np.array([*map(float, present), np.nan])
        if np.isfinite(numbers[:-1]).all():
            return numbers[ranks]
    return pd.Series(object_array(present)).array.take(ranks, allow_fill=True)


def _take_objects(labels: Sequence[Hashable], ranks: Array) -> Array:
    return object_array([*labels, None])[ranks]


def _is_integer(text: str) -> bool:
    return bool(_INTEGER.fullmatch(text)) and _INT64.min <= int(text) <= _INT64.max
