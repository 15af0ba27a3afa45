"""Parquet files read and written in chunks, with the types of every column as they are."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baytree._atomic_files import replaced_file


@dataclass(frozen=True, eq=False)
class ParquetChunk:
    """Rows of a file: all columns, and those that are variables."""

    whole: Any
    table: Any

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        return sum(column.null_count for column in self.table.columns)

    def write(self, writer: Any, filled: Any) -> None:
        """Write the rows, with filled columns in the place of their own."""
        whole = self.whole
        for name in filled.column_names:
            position = whole.column_names.index(name)
            field = whole.schema.field(position)
            whole = whole.set_column(position, field, filled.column(name).cast(field.type))
        writer.write_table(whole)


class ParquetStream:
    """A Parquet file of some variables; other columns pass through."""

    def __init__(self, path: Path, variables: Sequence[Hashable]) -> None:
        import pyarrow
        import pyarrow.parquet

        self._pyarrow = pyarrow
        self._file = pyarrow.parquet.ParquetFile(path)
        self._names = [str(name) for name in variables]

    def chunks(self, n_rows: int) -> Iterator[ParquetChunk]:
        """Yield the rows, so many at a time."""
        for batch in self._file.iter_batches(batch_size=n_rows):
            whole = self._pyarrow.Table.from_batches([batch])
            yield ParquetChunk(whole, whole.select(self._names))

    @contextlib.contextmanager
    def writer(self, path: Path) -> Iterator[Any]:
        """Open a file for rows like these; it appears whole or not at all."""
        schema = self._file.schema_arrow
        with (
            replaced_file(path) as stream,
            self._pyarrow.parquet.ParquetWriter(stream, schema) as writer,
        ):
            yield writer
