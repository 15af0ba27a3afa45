"""Files of tables read and written in chunks; observed cells stay as they are written."""

from __future__ import annotations

import contextlib
import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from baytree.exceptions import FileFormatError, TableError
from baytree.messages.quoting import shortened
from baytree.runtime.atomic_files import replaced_file
from baytree.tables.bin_contents import Floats
from baytree.tables.columns import Array, StateCodes, object_array
from baytree.tables.containers import TableView, view_table
from baytree.tables.encoding import TableEncoding
from baytree.tables.files.cell_blocks import CellTexts, TextColumn, csv_blocks
from baytree.tables.files.csv_tables import csv_file, typed_view
from baytree.tables.files.file_view import FileView
from baytree.tables.inputs import OpenedTable
from baytree.tables.spelling import example_of, labels_like


def open_stream(path: Path, encoding: TableEncoding, read: TableView | None = None) -> TableStream:
    """Return a CSV, TSV or Parquet file of the variables of an encoding.

    A CSV or TSV file that was `read` with its texts is not read again.
    """
    if is_parquet(path):
        return ParquetStream(path, encoding)
    texts = read.texts if isinstance(read, FileView) else None
    return CsvStream(texts or csv_texts(path), encoding)


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is Parquet, by its name."""
    return Path(path).suffix.lower() == ".parquet"


@contextlib.contextmanager
def csv_writer(path: Path, names: Sequence[str], delimiter: str = ",") -> Iterator[Any]:
    """Open a CSV file for rows below some names; it appears whole or not at all."""
    with replaced_file(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        yield writer
        text.flush()
        text.detach()


@dataclass(frozen=True, eq=False)
class CsvChunk:
    """Rows of a file: the text of every cell by column, and a view of the states they spell.

    Truth values and integers are written as the file spells them, in columns with `examples`.
    """

    texts: Sequence[Array]
    view: TableView
    examples: Mapping[int, str]

    def write(
        self,
        writer: Any,
        opened: OpenedTable,
        codes: StateCodes,
        numbers: Mapping[int, Floats] | None = None,
    ) -> None:
        """Write the rows with their missing cells filled; the arguments are those of `filled`."""
        columns = list(self.texts)
        is_missing = opened.is_missing
        for position, (column, fill) in enumerate(
            zip(opened.columns, opened.fills(codes, numbers), strict=True)
        ):
            if is_missing[:, position].any():
                texts = labels_like(fill.labels, self.examples.get(column))
                columns[column] = columns[column].copy()
                columns[column][is_missing[:, position]] = ""
                columns[column][fill.where] = object_array(texts)[fill.codes[fill.where]]
        writer.writerows(zip(*columns, strict=True))


def csv_texts(path: Path) -> CellTexts:
    """Return the cells of a CSV or TSV file, which is read on the way."""
    is_tsv = ".tsv" in (suffix.lower() for suffix in path.suffixes)
    file = csv_file(path, "\t" if is_tsv else None)
    names, blocks = csv_blocks(file)
    return CellTexts(names, file.delimiter or ",", blocks)


class CsvStream:
    """A CSV file whose variables have known states."""

    def __init__(self, texts: CellTexts, encoding: TableEncoding) -> None:
        self._texts = texts
        self._encoding = encoding
        self._examples: dict[int, str] = {}  # truth values and padded integers of columns

    def chunks(self, n_rows: int) -> Iterator[CsvChunk]:
        """Yield the rows, so many at a time; raise FileFormatError at a broken one."""
        held = [object_array([]) for _ in self._texts.names]
        for block in self._texts.blocks:
            held = [np.concatenate(parts) for parts in zip(held, block, strict=True)]
            while len(held[0]) >= n_rows:
                yield self._chunk([texts[:n_rows] for texts in held])
                held = [texts[n_rows:] for texts in held]
        if len(held[0]):
            yield self._chunk(held)

    @contextlib.contextmanager
    def writer(self, path: Path) -> Iterator[Any]:
        """Open a file for rows like these; it appears whole or not at all."""
        with csv_writer(path, self._texts.names, self._texts.delimiter) as writer:
            yield writer

    def _chunk(self, texts: Sequence[Array]) -> CsvChunk:
        names = self._texts.names
        columns = {name: TextColumn() for name in names}
        for column, cells in zip(columns.values(), texts, strict=True):
            column.add(cells)
        for number, column in enumerate(columns.values()):
            if number not in self._examples and (first := example_of(column.texts)):
                self._examples[number] = first
        words = {"", *self._encoding.missing_values}
        view = typed_view(columns, words, self._encoding.known_states)
        view = view.renamed(self._encoding.variables_spelled(names))
        return CsvChunk(texts, view, self._examples)


@dataclass(frozen=True, eq=False)
class ParquetChunk:
    """Rows of a file: all columns, and a view of those that are variables."""

    whole: Any
    view: TableView

    def write(
        self,
        writer: Any,
        opened: OpenedTable,
        codes: StateCodes,
        numbers: Mapping[int, Floats] | None = None,
    ) -> None:
        """Write the rows with their missing cells filled; the arguments are those of `filled`."""
        whole, filled = self.whole, opened.filled(codes, numbers)
        for name in filled.column_names:
            position = whole.column_names.index(name)
            field = whole.schema.field(position)
            whole = whole.set_column(position, field, filled.column(name).cast(field.type))
        writer.write_table(whole)


class ParquetStream:
    """A Parquet file of some variables; other columns pass through."""

    def __init__(self, path: Path, encoding: TableEncoding) -> None:
        import pyarrow
        import pyarrow.parquet

        self._path = path
        self._pyarrow = pyarrow
        with self._worded_errors():
            self._file = pyarrow.parquet.ParquetFile(path)
        self._names = [str(name) for name in encoding.variables]
        self._check_columns()

    def chunks(self, n_rows: int) -> Iterator[ParquetChunk]:
        """Yield the rows, so many at a time; raise FileFormatError if they cannot be read."""
        with self._worded_errors():
            for batch in self._file.iter_batches(batch_size=n_rows):
                whole = self._pyarrow.Table.from_batches([batch])
                yield ParquetChunk(whole, view_table(whole.select(self._names)))

    def _check_columns(self) -> None:
        found = self._file.schema_arrow.names
        for name in self._names:
            if name not in found:
                raise TableError(
                    f"{self._path}: there is no column {shortened(name)}, which the imputer knows. "
                    "Add it, empty if need be, or learn from this table."
                )
        if (twice := next((name for name in found if found.count(name) > 1), None)) is not None:
            raise TableError(
                f"{self._path}: two columns are called {shortened(twice)}. Rename one."
            )
        if not self._file.metadata.num_rows:
            raise TableError(
                f"{self._path}: the table has no rows. Give one with at least one row."
            )

    @contextlib.contextmanager
    def _worded_errors(self) -> Iterator[None]:
        try:
            yield
        except (self._pyarrow.ArrowException, UnicodeDecodeError) as error:
            raise FileFormatError(
                f"{self._path}: this is not a sound Parquet file ({error})."
            ) from None

    @contextlib.contextmanager
    def writer(self, path: Path) -> Iterator[Any]:
        """Open a file for rows like these; it appears whole or not at all."""
        schema = self._file.schema_arrow
        with (
            replaced_file(path) as stream,
            self._pyarrow.parquet.ParquetWriter(stream, schema) as writer,
        ):
            yield writer


TableChunk: TypeAlias = CsvChunk | ParquetChunk
TableStream: TypeAlias = CsvStream | ParquetStream
