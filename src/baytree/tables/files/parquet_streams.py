"""Parquet files read and written in chunks, with the types of every column as they are."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baytree.exceptions import FileFormatError, TableError
from baytree.messages.quoting import shortened
from baytree.runtime.atomic_files import replaced_file
from baytree.tables.columns import Mask
from baytree.tables.missing_values import marked_table


@dataclass(frozen=True, eq=False)
class ParquetChunk:
    """Rows of a file: all columns, and those that are variables."""

    whole: Any
    table: Any
    is_missing: Mask

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        return int(self.is_missing.sum())

    def write(self, writer: Any, filled: Any) -> None:
        """Write the rows, with filled columns in the place of their own."""
        whole = self.whole
        for name in filled.column_names:
            position = whole.column_names.index(name)
            field = whole.schema.field(position)
            whole = whole.set_column(position, field, filled.column(name).cast(field.type))
        writer.write_table(whole)


class ParquetStream:
    """A Parquet file of some variables; other columns pass through.

    A value may stand for missing, beside null and NaN.
    """

    def __init__(self, path: Path, variables: Sequence[Hashable], missing_values: Any) -> None:
        import pyarrow
        import pyarrow.parquet

        self._path = path
        self._pyarrow = pyarrow
        with self._worded_errors():
            self._file = pyarrow.parquet.ParquetFile(path)
        self._missing_values = missing_values
        self._names = [str(name) for name in variables]
        self._check_columns()

    def chunks(self, n_rows: int) -> Iterator[ParquetChunk]:
        """Yield the rows, so many at a time; raise FileFormatError if they cannot be read."""
        with self._worded_errors():
            for batch in self._file.iter_batches(batch_size=n_rows):
                whole = self._pyarrow.Table.from_batches([batch])
                table = whole.select(self._names)
                is_missing = marked_table(table, self._missing_values).is_missing
                yield ParquetChunk(whole, table, is_missing)

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
            raise TableError(f"{self._path}: there are no rows to fill.")

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
