"""CSV files read and written in chunks, with the text of every cell as it is."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from baytree.runtime.atomic_files import replaced_file
from baytree.tables.column_matching import check_columns
from baytree.tables.columns import Mask, object_array
from baytree.tables.files.cell_rows import read_names, read_rows
from baytree.tables.files.csv_tables import CsvFile, states_spelled
from baytree.tables.files.delimiters import header_delimiter
from baytree.tables.files.spelled_numbers import spelled_floats
from baytree.tables.missing_words import is_missing_text
from baytree.tables.variable_encoding import VariableEncoding


@dataclass(frozen=True, eq=False)
class CsvChunk:
    """Rows of text, the same rows as states, and which cells are missing."""

    rows: Sequence[list[str]]
    table: pd.DataFrame
    is_missing: Mask

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        return int(self.is_missing.sum())

    def write(self, writer: Any, filled: pd.DataFrame) -> None:
        """Write the rows, with the text of filled cells in the place of missing ones."""
        rows = [list(row) for row in self.rows]
        columns = [filled[name].to_numpy(dtype=object) for name in self.table.columns]
        for row, column in zip(*np.nonzero(self.is_missing), strict=True):
            label = columns[column][row]
            rows[row][column] = "" if label is None or pd.isna(label) else str(label)
        writer.writerows(rows)


class CsvStream:
    """A CSV file whose variables have known states."""

    def __init__(
        self, path: Path, encodings: Sequence[VariableEncoding], words: Collection[str]
    ) -> None:
        is_tsv = ".tsv" in (suffix.lower() for suffix in path.suffixes)
        delimiter = "\t" if is_tsv else header_delimiter(path, "utf-8")
        self._file = CsvFile(path, delimiter, "utf-8")
        self._names = read_names(self._file)
        self._encodings = {encoding.name: encoding for encoding in encodings}
        check_columns(
            [name for name in self._encodings if name not in self._names],
            [name for name in self._names if name not in self._encodings],
        )
        self._words = {"", *words}

    def chunks(self, n_rows: int) -> Iterator[CsvChunk]:
        """Yield the rows, so many at a time; raise FileFormatError at a broken one."""
        for rows in read_rows(self._file, n_rows):
            yield self._chunk(rows)

    @contextlib.contextmanager
    def writer(self, path: Path) -> Iterator[Any]:
        """Open a file for rows like these; it appears whole or not at all."""
        with replaced_file(path) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
            writer = csv.writer(text, delimiter=self._file.delimiter, lineterminator="\n")
            writer.writerow(self._names)
            yield writer
            text.flush()
            text.detach()

    def _chunk(self, rows: list[list[str]]) -> CsvChunk:
        columns = {
            name: _cells([row[i] for row in rows], self._encodings.get(name), self._words)
            for i, name in enumerate(self._names)
        }
        table = pd.DataFrame(
            {name: pd.Series(cells, dtype=object) for name, cells in columns.items()}
        )
        return CsvChunk(rows, table, table.isna().to_numpy())


def _cells(texts: Sequence[str], encoding: VariableEncoding | None, words: Collection[str]) -> Any:
    """Return the states that texts spell; text where they spell none."""
    distinct = [text for text in set(texts) if not is_missing_text(text, words)]
    if encoding is None:
        states: Iterable[Any] = distinct
    elif encoding.bins is not None:
        states = map(_number, distinct)
    else:
        states = states_spelled(distinct, encoding.states)
    state_of = dict(zip(distinct, states, strict=True))
    return object_array([state_of.get(text) for text in texts])


def _number(text: str) -> Any:
    number = spelled_floats([text.strip()])
    return text if number is None else float(number[0])
