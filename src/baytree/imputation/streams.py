"""Files filled by an imputer chunk by chunk, so that memory does not follow their length."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baytree.imputation.imputer import BayesianNetworkImputer
from baytree.runtime.atomic_files import replaced_file
from baytree.tables.streams import TableChunk, open_stream

CHUNK_ROWS = 10_000


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
    stream = open_stream(source, imputer._encoding)
    n_rows = n_missing = 0
    with contextlib.ExitStack() as files:
        writers = [files.enter_context(stream.writer(path)) for path in (filled, *samples)]
        cells = files.enter_context(_cell_writer(probabilities))
        chunk: TableChunk
        for number, chunk in enumerate(stream.chunks(CHUNK_ROWS)):
            opened = imputer._encoded(chunk.view)
            completed = [imputer._completed(opened)]
            if samples:
                completed += imputer._drawn(opened, len(samples), _chunk_seed(imputer, number))
            for writer, codes in zip(writers, completed, strict=True):
                chunk.write(writer, opened, codes)
            if cells is not None:
                found = imputer._cell_frame(opened)
                cells.writerows(found.assign(row=found["row"] + n_rows).itertuples(index=False))
            n_rows += len(opened.codes)
            n_missing += int(opened.is_missing.sum())
    return FilledFile(n_rows, n_missing)


def _chunk_seed(imputer: BayesianNetworkImputer, number: int) -> Any:
    """Return the seed of a chunk's draws: one of its own, as equal ones would repeat themselves.

    The first is that of the imputer: a table of one chunk is drawn as by `sample`.
    """
    seed: Any = imputer.random_state
    return (seed + number) % 2**32 if seed is not None and number else seed


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
