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
from baytree.tables.columns import Array, Mask, object_array
from baytree.tables.files.cell_blocks import csv_blocks
from baytree.tables.files.csv_tables import csv_file, spelled_floats, states_spelled
from baytree.tables.missing_words import is_missing_text
from baytree.tables.variable_encoding import VariableEncoding


@dataclass(frozen=True, eq=False)
class CsvChunk:
    """Texts by column, the same cells as states, and which cells are missing."""

    texts: Sequence[Array]
    table: pd.DataFrame
    is_missing: Mask

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        return int(self.is_missing.sum())

    def write(self, writer: Any, filled: pd.DataFrame) -> None:
        """Write the rows, with the text of filled cells in the place of missing ones."""
        columns = []
        for texts, (_, labels), is_missing in zip(
            self.texts, filled.items(), self.is_missing.T, strict=True
        ):
            states = labels[is_missing].astype(object)
            texts = texts.copy()
            texts[is_missing] = ["" if pd.isna(state) else str(state) for state in states]
            columns.append(texts)
        writer.writerows(zip(*columns, strict=True))


class CsvStream:
    """A CSV file whose variables have known states."""

    def __init__(
        self, path: Path, encodings: Sequence[VariableEncoding], words: Collection[str]
    ) -> None:
        is_tsv = ".tsv" in (suffix.lower() for suffix in path.suffixes)
        self._file = csv_file(path, "\t" if is_tsv else None)
        self._names, self._blocks = csv_blocks(self._file)
        self._encodings = {encoding.name: encoding for encoding in encodings}
        check_columns(
            [name for name in self._encodings if name not in self._names],
            [name for name in self._names if name not in self._encodings],
        )
        self._words = {"", *words}

    def chunks(self, n_rows: int) -> Iterator[CsvChunk]:
        """Yield the rows, so many at a time; raise FileFormatError at a broken one."""
        held = [object_array([]) for _ in self._names]
        for block in self._blocks:
            held = [np.concatenate(parts) for parts in zip(held, block, strict=True)]
            while len(held[0]) >= n_rows:
                yield self._chunk([texts[:n_rows] for texts in held])
                held = [texts[n_rows:] for texts in held]
        if len(held[0]):
            yield self._chunk(held)

    @contextlib.contextmanager
    def writer(self, path: Path) -> Iterator[Any]:
        """Open a file for rows like these; it appears whole or not at all."""
        with replaced_file(path) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
            writer = csv.writer(text, delimiter=self._file.delimiter or ",", lineterminator="\n")
            writer.writerow(self._names)
            yield writer
            text.flush()
            text.detach()

    def _chunk(self, columns: Sequence[Array]) -> CsvChunk:
        states = {
            name: pd.Series(_states(texts, self._encodings[name], self._words), dtype=object)
            for name, texts in zip(self._names, columns, strict=True)
        }
        table = pd.DataFrame(states)
        return CsvChunk(columns, table, table.isna().to_numpy())


def _states(texts: Array, encoding: VariableEncoding, words: Collection[str]) -> Array:
    """Return the states that texts spell; text where they spell none."""
    distinct = [text for text in set(texts) if not is_missing_text(text, words)]
    if encoding.bins is None:
        states: Iterable[Any] = states_spelled(distinct, encoding.states)
    else:
        states = map(_number, distinct)
    state_of = dict(zip(distinct, states, strict=True))
    return object_array([state_of.get(text) for text in texts])


def _number(text: str) -> Any:
    number = spelled_floats([text.strip()])
    return text if number is None else float(number[0])
