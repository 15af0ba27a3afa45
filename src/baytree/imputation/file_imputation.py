"""Imputation of files in chunks, so that memory does not depend on their length."""

from __future__ import annotations

import contextlib
import csv
import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from baytree.runtime.atomic_files import replaced_file
from baytree.tables.containers import TableView
from baytree.tables.encoding import StateCodes, TableEncoding
from baytree.tables.inputs import OpenedTable
from baytree.tables.streams import TableChunk, TableStream, open_stream

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
    """A chunk, its completed codes, and the distributions of its missing cells if needed."""

    opened: OpenedTable
    codes: Sequence[StateCodes]
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
        cells = files.enter_context(_cell_writer(probabilities))
        chunk: TableChunk
        for number, chunk in enumerate(stream.chunks(CHUNK_ROWS)):
            opened, completed, frame = complete(chunk.view, number)
            for writer, codes in zip(writers, completed, strict=True):
                chunk.write(writer, opened, codes)
            if cells is not None and frame is not None:
                cells.writerows(frame.assign(row=frame["row"] + n_rows).itertuples(index=False))
            n_rows += len(opened.codes)
            n_missing += int(opened.is_missing.sum())
    return ImputedFile(n_rows, n_missing)


def open_stream_like(
    source: FilePath, outputs: Sequence[FilePath], encoding: TableEncoding
) -> TableStream:
    """Open a CSV or Parquet file; the outputs must be of its kind."""
    for output in outputs:
        if _is_parquet(output) != _is_parquet(source):
            kind = ".parquet" if _is_parquet(source) else ".csv or .tsv (also .gz)"
            raise ValueError(f"{output}: the name must end as that of {source}, in {kind}.")
    return open_stream(Path(source), encoding)


def _is_parquet(path: FilePath) -> bool:
    return Path(path).suffix.lower() == ".parquet"


@contextlib.contextmanager
def _cell_writer(path: FilePath | None) -> Iterator[Any]:
    if path is None:
        yield None
        return
    with replaced_file(Path(path)) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["row", "variable", "state", "probability"])
        yield writer
        text.flush()
        text.detach()
