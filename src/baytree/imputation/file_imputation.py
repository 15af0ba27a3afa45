"""Imputation of files in chunks, so that memory does not depend on their length."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pandas as pd

from baytree.imputation.completion import CompletedRows, refuse_too_many_entries
from baytree.imputation.missing_cells import MissingCells
from baytree.messages.quoting import shortened
from baytree.tables.columns import StateCodes
from baytree.tables.containers import TableView
from baytree.tables.encoding import TableEncoding
from baytree.tables.inputs import OpenedTable
from baytree.tables.streams import TableChunk, TableStream, csv_writer, is_parquet
from baytree.vocabulary import WRITTEN_TABLE_SUFFIXES

CHUNK_ROWS = 10_000

FilePath: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class ImputedFile:
    """Size of a file that was imputed.

    Attributes
    ----------
    n_rows, n_missing : int
        Rows of the file, and its missing cells.

    Examples
    --------
    >>> from baytree.imputation.file_imputation import ImputedFile
    >>> ImputedFile(n_rows=20, n_missing=3)
    ImputedFile(n_rows=20, n_missing=3)
    """

    n_rows: int
    n_missing: int


class CompletedChunk(NamedTuple):
    """A chunk, its completed rows, and the distributions of its missing cells if needed."""

    opened: OpenedTable
    completed: Sequence[CompletedRows]
    cells: pd.DataFrame | None


def impute_file(
    stream: TableStream,
    complete: Callable[[TableView, int], CompletedChunk],
    outputs: Sequence[FilePath],
    probabilities: FilePath | None,
) -> ImputedFile:
    """Write one file per completion; `complete` takes a chunk and its number."""
    n_rows = n_missing = 0
    with contextlib.ExitStack() as files:
        writers = [files.enter_context(stream.writer(Path(path))) for path in outputs]
        cells = None
        if probabilities is not None:
            names = ["row", "variable", "state", "probability"]
            cells = files.enter_context(csv_writer(Path(probabilities), names))
        chunks: Iterator[TableChunk] = stream.chunks(CHUNK_ROWS)
        for number, chunk in enumerate(chunks):
            opened, completed, frame = complete(chunk.view, number)
            for writer, rows in zip(writers, completed, strict=True):
                chunk.write(writer, opened, *rows)
            if cells is not None and frame is not None:
                cells.writerows(frame.assign(row=frame["row"] + n_rows).itertuples(index=False))
            n_rows += len(opened.codes)
            n_missing += int(opened.is_missing.sum())
    return ImputedFile(n_rows, n_missing)


def refuse_large_chunks(codes: StateCodes, encoding: TableEncoding) -> None:
    """Raise InferenceTooLargeError if the distributions of a chunk would not fit in memory."""
    for first in range(0, len(codes), CHUNK_ROWS):
        some = codes[first : first + CHUNK_ROWS]
        cells = MissingCells.of(some, encoding.arities, max_states=None)
        refuse_too_many_entries(cells, encoding.variables)


def check_files(
    source: FilePath, output: FilePath, samples: Sequence[FilePath], probabilities: FilePath | None
) -> list[FilePath]:
    """Return the tables to write, which must be of the kind of the source; no file comes twice."""
    if isinstance(samples, (str, os.PathLike)):
        raise ValueError(f"samples must be a list of files; got {shortened(samples)}.")
    outputs = [output, *samples]
    paths = [*outputs, *([] if probabilities is None else [probabilities])]
    if len({Path(path).resolve() for path in paths}) < len(paths):
        listed = ", ".join(map(str, paths))
        raise ValueError(f"The files to write must differ; got {listed}.")
    for output in outputs:
        if is_parquet(output) != is_parquet(source):
            kinds = [s for s in WRITTEN_TABLE_SUFFIXES if is_parquet(f"t{s}") == is_parquet(source)]
            kind = ", ".join(kinds)
            raise ValueError(f"{output}: the name must end as that of {source}, in {kind}.")
    return outputs
