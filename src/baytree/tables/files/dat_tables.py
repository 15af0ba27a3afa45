"""BLIP's .dat files as pandas frames: names, numbers of states, then one row of codes a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from baytree.tables.bins import Codes
from baytree.tables.files.cell_rows import (
    NumberedColumns,
    RowFile,
    RowReader,
    cell_error,
    read_columns,
)
from baytree.tables.files.text_lines import text_lines

MISSING = "?"
MAX_CARDINALITY = 65_535


def read_dat(path: Path) -> pd.DataFrame:
    r"""Return the table in a .dat file.

    Parameters
    ----------
    path : Path
        File to read; a name that ends in .gz is unpacked.

    Returns
    -------
    DataFrame
        Categorical columns whose declared states are the integers below the cardinality.

    Raises
    ------
    FileFormatError
        If the file is broken or a state is not below its cardinality; the message names the line
        and the column.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "rain.dat"
    >>> _ = path.write_text("rain wet\n2 3\n0 2\n? 1\n")
    >>> read_dat(path)
      rain wet
    0    0   2
    1  NaN   1
    >>> folder.cleanup()
    """
    file = _DatFile(path)
    columns = read_columns(file, has_head=True)
    cardinalities = _cardinalities(file, columns)
    arrays = {
        name: pd.Categorical.from_codes(
            _states(file, columns, i, cardinalities[i]),
            categories=pd.Index(range(cardinalities[i]), dtype="int64"),
        )
        for i, name in enumerate(columns.names)
    }
    return pd.DataFrame(arrays, copy=False)


class _WhitespaceReader:
    """Rows of cells between blanks, with the interface of csv.reader."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.line_num = 0

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        cells = next(self._lines).split()
        self.line_num += 1
        return cells


class _DatFile(RowFile):
    """Rows of a .dat file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self) -> Iterator[str]:
        return text_lines(self.path)

    def reader(self) -> RowReader:
        return _WhitespaceReader(self.lines())

    def bad_cell(self, line: str) -> int:
        is_between = not line or line[-1].isspace()
        return len(line.split()) - (0 if is_between else 1)


def _cardinalities(file: RowFile, columns: NumberedColumns) -> list[int]:
    """Return the numbers in the second row."""
    for column, text in enumerate(columns.head):
        if not (text.isascii() and text.isdigit() and int(text[:9]) <= MAX_CARDINALITY):
            problem = f"the number of states is {text[:40]!r}; it must be from 0 to 65,535."
            raise cell_error(file, columns.names, 1, column, problem)
    if len(columns.head) != len(columns.names):
        problem = f"{len(columns.head)} numbers of states for {len(columns.names)} names."
        column = min(len(columns.head), len(columns.names))
        raise cell_error(file, columns.names, 1, column, problem)
    return [int(text) for text in columns.head]


def _states(file: RowFile, columns: NumberedColumns, column: int, cardinality: int) -> Codes:
    """Return the states of one column, -1 where missing."""
    texts, codes = columns.columns[column].texts, columns.columns[column].codes
    state_of = [_state(text, cardinality) for text in texts]
    if None in state_of:
        bad = state_of.index(None)
        row = int(np.flatnonzero(codes == bad)[0])
        problem = f"{texts[bad][:40]!r} is not a state from 0 to {cardinality - 1}."
        if cardinality == 0:
            problem = (
                f"{texts[bad][:40]!r} is not missing, but the variable is said to have 0 states."
            )
        raise cell_error(file, columns.names, row + 2, column, problem)
    states: Codes = np.array(state_of, dtype=np.int32)[codes]
    return states


def _state(text: str, cardinality: int) -> int | None:
    """Return the state that a cell names, -1 for the mark of a missing cell, None for nonsense."""
    if text == MISSING:
        return -1
    is_state = text.isascii() and text.isdigit() and len(text) < 10 and int(text) < cardinality
    return int(text) if is_state else None
