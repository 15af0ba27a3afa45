"""Files filled by an imputer chunk by chunk, so that memory does not follow their length."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from baytree.imputation.imputer import BayesianNetworkImputer
from baytree.runtime.atomic_files import replaced_file
from baytree.tables.files.csv_streams import CsvStream
from baytree.tables.files.parquet_streams import ParquetStream

CHUNK_ROWS = 10_000


class TableChunk(Protocol):
    """Rows of a file."""

    table: Any

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""

    def write(self, writer: Any, filled: Any) -> None:
        """Write the rows, with filled cells in the place of missing ones."""


class TableStream(Protocol):
    """A file that is read and written in chunks."""

    def chunks(self, n_rows: int) -> Iterator[Any]:
        """Yield the rows, so many at a time."""

    def writer(self, path: Path) -> contextlib.AbstractContextManager[Any]:
        """Open a file for rows like these."""


@dataclass(frozen=True)
class FilledFile:
    """How much was filled."""

    n_rows: int
    n_missing: int


def fill_file(
    imputer: BayesianNetworkImputer,
    source: Path,
    filled: Path,
    *,
    samples: Sequence[Path] = (),
    probabilities: Path | None = None,
) -> FilledFile:
    """Write a table with its gaps filled, and draws of it and the distributions of its gaps.

    Observed cells stay as they are written; the file has the columns of the source, whatever the
    imputer adds or drops elsewhere.
    """
    imputer.set_params(add_indicator=False, keep_empty_features=True)
    stream = _stream(imputer, source)
    n_rows = n_missing = 0
    with contextlib.ExitStack() as files:
        writers = [files.enter_context(stream.writer(path)) for path in (filled, *samples)]
        cells = files.enter_context(_cell_writer(probabilities))
        chunk: TableChunk
        for number, chunk in enumerate(stream.chunks(CHUNK_ROWS)):
            tables = [imputer.transform(chunk.table), *_draws(imputer, chunk, len(samples), number)]
            for writer, table in zip(writers, tables, strict=True):
                chunk.write(writer, table)
            if cells is not None:
                found = imputer.cell_probabilities(chunk.table)
                cells.writerows(found.assign(row=found["row"] + n_rows).itertuples(index=False))
            n_rows, n_missing = n_rows + len(tables[0]), n_missing + chunk.n_missing
    return FilledFile(n_rows, n_missing)


def _stream(imputer: BayesianNetworkImputer, source: Path) -> TableStream:
    encoding = imputer._encoding
    if source.suffix.lower() == ".parquet":
        return ParquetStream(source, encoding.variables, imputer.missing_values)
    return CsvStream(source, encoding.variable_encodings, encoding.missing_values)


def _draws(
    imputer: BayesianNetworkImputer, chunk: TableChunk, n_samples: int, number: int
) -> list[Any]:
    """Return draws of a chunk: each has a seed of its own, as equal ones would repeat themselves.

    The first has that of the imputer: a table of one chunk is drawn as by `sample`.
    """
    if not n_samples:
        return []
    seed: Any = imputer.random_state
    if seed is not None and number:
        seed = (seed + number) % 2**32
    return list(imputer.sample(chunk.table, n_samples, random_state=seed))


@contextlib.contextmanager
def _cell_writer(path: Path | None) -> Iterator[Any]:
    if path is None:
        yield None
        return
    with replaced_file(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["row", "variable", "state", "probability"])
        yield writer
        text.flush()
        text.detach()
