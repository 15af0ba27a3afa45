"""CSV and TSV files; the distinct texts of a column give its type."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from baytree.exceptions import FileFormatError
from baytree.messages.quoting import shortened
from baytree.tables.columns import Array, StateCodes, object_array
from baytree.tables.files.cell_blocks import (
    BYTES_PER_CELL,
    CellTexts,
    TextColumn,
    check_memory,
    csv_blocks,
)
from baytree.tables.files.file_view import CodedText, FileView
from baytree.tables.files.text_rows import BrokenLineError, RowFile
from baytree.tables.ignored_columns import names_rows
from baytree.tables.missing_values import is_missing_text, words_beside
from baytree.tables.spelling import has_fraction, spelled_floats, states_spelled, typed_texts
from baytree.vocabulary import DEFAULT_MISSING_VALUES

KnownStates: TypeAlias = Mapping[str, Sequence[Hashable] | None]

_QUOTED_CELL = re.compile('"[^"]*"')


def open_csv(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    missing_words: Collection[str] = DEFAULT_MISSING_VALUES,
    known_states: KnownStates | None = None,
    keeps_texts: bool = False,
) -> FileView:
    """Return the table in a CSV file whose first line names the variables.

    A column of integers becomes integers, with leading zeros or not, a column of numbers of which
    some are written as no integer becomes floats, and everything else stays text as it is written,
    blanks included. Blanks around numbers and around words that mean missing do
    not count. Blank lines are skipped.

    Without a delimiter, it is the one that the header shows. Where `known_states` has a variable,
    its cells become the states that they spell, whatever else the column holds; with None in place
    of the states, numbers. With `keeps_texts`, the view has the cells as they are written, too.
    """
    words = {"", *missing_words}
    known = known_states or {}
    file = csv_file(path, delimiter, encoding)
    try:
        text_names = {name for name in known if known[name] is not None}
        columns = _read_columns(
            file, words, text_names if path.is_file() else None, keeps_texts=keeps_texts
        )
    except _NotNumbersError:
        columns = _read_columns(file, words, None, keeps_texts=keeps_texts)
    if file.delimiter == ";":
        _refuse_decimal_commas(path, columns, words)
    texts = CellTexts.of(columns, file.delimiter) if keeps_texts else None
    view = typed_view(columns, words, known, texts)
    if view.names[0] == "" and not names_rows(view.cells(0)):
        raise file.unnamed_column(1, 0)
    return view


def typed_view(
    columns: Mapping[str, TextColumn | _FloatColumn],
    words: Collection[str],
    known_states: KnownStates,
    texts: CellTexts | None = None,
) -> FileView:
    """Return text columns as a table of numbers, states and text."""
    typed = {
        name: _typed(cells, words, known_states.get(name), is_numeric=name in known_states)
        for name, cells in columns.items()
    }
    return FileView(typed, texts)


def csv_file(path: Path, delimiter: str | None = None, encoding: str = "utf-8") -> RowFile:
    """Return a CSV file, with the delimiter that its header shows if none is given."""
    return RowFile(path, delimiter or header_delimiter(path, encoding), encoding)


def header_delimiter(path: Path, encoding: str) -> str:
    """Return a semicolon or a tab if it alone stands in a header without commas, else a comma.

    With a comma, such a header would be a single name. Rows of another length are refused anyway.
    """
    if not path.is_file():  # a pipe can be read only once
        return ","
    try:
        lines = RowFile(path, ",", encoding).lines()
        header = next((line for line in lines if line.strip()), "")
    except BrokenLineError:  # the reader of the rows words the error
        return ","
    found = set(_QUOTED_CELL.sub("", header)).intersection(",;\t")
    return found.pop() if len(found) == 1 else ","


class _NotNumbersError(Exception):
    """A column of numbers has another cell."""


class _FloatColumn:
    """Cells of a column of mostly distinct numbers, which are not worth numbering."""

    def __init__(self, words: Collection[str], *, keeps_texts: bool) -> None:
        self._words = words
        self._packed_texts: list[str] | None = [] if keeps_texts else None
        self._has_number_words = any(spelled_floats([word]) is not None for word in words)
        self._blocks: list[Array] = []
        self.n_bytes = 0

    @property
    def floats(self) -> Array:
        """Numbers of all cells, NaN where missing."""
        return np.concatenate(self._blocks)

    def add(self, cells: Array) -> None:
        """Convert the cells of the next rows."""
        floats = None if self._has_number_words else spelled_floats(cells)
        self._blocks.append(self._floats_or_nan(cells) if floats is None else floats)
        self.n_bytes += BYTES_PER_CELL * len(cells)
        if self._packed_texts is not None:
            self._packed_texts.append("\0".join(cells))  # no cell holds a NUL
            self.n_bytes += len(self._packed_texts[-1])

    def text_blocks(self) -> Iterator[Array]:
        """Yield the texts of the cells that were added at once, one block after the other."""
        yield from (object_array(packed.split("\0")) for packed in self._packed_texts or ())

    def _floats_or_nan(self, texts: Array) -> Array:
        is_present = np.array([not is_missing_text(text, self._words) for text in texts])
        present = spelled_floats([text.strip() for text in compress(texts, is_present)])
        if present is None:
            raise _NotNumbersError
        floats = np.full(len(texts), np.nan)
        floats[is_present] = present
        return floats


def _read_columns(
    file: RowFile,
    words: Collection[str],
    text_names: Collection[Hashable] | None,
    *,
    keeps_texts: bool,
) -> dict[str, TextColumn | _FloatColumn]:
    """Return the columns by name; those in `text_names`, or all if that is None, stay text."""
    names, blocks = csv_blocks(file)
    _refuse_other_delimiter(file.path, names)
    columns: list[TextColumn | _FloatColumn] = []
    for block in blocks:
        columns = columns or [
            TextColumn()
            if text_names is None or name in text_names or not _is_mostly_numbers(cells, words)
            else _FloatColumn(words, keeps_texts=keeps_texts)
            for name, cells in zip(names, block, strict=True)
        ]
        for column, cells in zip(columns, block, strict=True):
            column.add(cells)
        check_memory(file.path, (column.n_bytes for column in columns))
    return dict(zip(names, columns, strict=True))


def _is_mostly_numbers(cells: Array, words: Collection[str]) -> bool:
    """Test cells for numbers with fractions that are mostly distinct."""
    present = {text.strip() for text in set(cells) if not is_missing_text(text, words)}
    is_distinct = len(present) > len(cells) / 2
    return is_distinct and has_fraction([*present]) and spelled_floats([*present]) is not None


def _refuse_other_delimiter(path: Path, names: Sequence[str]) -> None:
    """Refuse a header of a single cell that another delimiter would split."""
    for other in ";\t|":
        if len(names) == 1 and other in names[0]:
            raise FileFormatError(
                f"{path}, line 1: the header is a single cell, {shortened(names[0])}. If {other!r} "
                "separates the cells, save the table with commas, semicolons or tabs."
            )


def _refuse_decimal_commas(
    path: Path, columns: Mapping[str, TextColumn | _FloatColumn], words: Collection[str]
) -> None:
    """Refuse numbers with decimal commas, which are usual in files with semicolons."""
    for name, cells in columns.items():
        texts = [] if isinstance(cells, _FloatColumn) else cells.texts
        present = [text.strip() for text in texts if not is_missing_text(text, words)]
        comma = min((text for text in present if "," in text), default=None)
        points = [text.replace(",", ".") for text in present]
        if comma is not None and spelled_floats(points) is not None:
            raise FileFormatError(
                f"{path}, column {name!r}: the numbers have decimal commas, as in {comma!r}. Save "
                "the table with decimal points."
            )


def _typed(
    cells: TextColumn | _FloatColumn,
    words: Collection[str],
    known: Sequence[Hashable] | None,
    *,
    is_numeric: bool,
) -> Any:
    """Return the cells of a column with the type of its distinct texts."""
    if isinstance(cells, _FloatColumn):
        return cells.floats
    texts = cells.texts
    words = {"", *words_beside(words, known or ())}
    is_missing = np.array([is_missing_text(text, words) for text in texts])
    present = [text for text, is_out in zip(texts, is_missing, strict=True) if not is_out]
    ranks = np.where(is_missing, -1, np.cumsum(~is_missing) - 1).astype(np.int32)[cells.codes]
    if not present:
        return CodedText(ranks, [], is_text=False)
    if known is not None:
        return CodedText(ranks, [*states_spelled(present, known)], is_text=False)
    typed = typed_texts(present)
    if typed is not None:
        return _typed_array(typed, ranks)
    labels: list[Hashable] = [*present]
    if is_numeric:
        numbers = (spelled_floats([text.strip()]) for text in present)
        labels = [
            text if n is None else float(n[0]) for text, n in zip(present, numbers, strict=True)
        ]
    return CodedText(ranks, labels, is_text=not is_numeric)


def _typed_array(typed: Array, ranks: StateCodes) -> Any:
    """Return the numbers or truth values of cells; nullable where some are missing."""
    if typed.dtype.kind == "f":
        return np.append(typed, np.nan)[ranks]
    if not (ranks < 0).any():
        return typed[ranks]
    return pd.array(typed).take(ranks, allow_fill=True)
