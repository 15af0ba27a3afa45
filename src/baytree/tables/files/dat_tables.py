"""BLIP's .dat files: names, numbers of states, then a line of codes for each row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from baytree.tables.columns import StateCodes
from baytree.tables.files.cell_blocks import TextColumn, check_memory, row_blocks
from baytree.tables.files.file_view import FileView
from baytree.tables.files.text_rows import RowFile

MISSING = "?"
MAX_CARDINALITY = 65_535


def open_dat(path: Path) -> FileView:
    """Return the table in a .dat file.

    Columns are categorical; their declared states are the integers below the cardinality.
    """
    file = RowFile(path)
    rows = file.rows(n_heads=1)
    names = next(rows)[1]
    line, head = next(rows, (1, []))
    columns = [TextColumn() for _ in names]
    for block in row_blocks(file, names, rows):
        for column, cells in zip(columns, block, strict=True):
            column.add(cells)
        check_memory(path, (column.n_bytes for column in columns))
    arrays = {
        name: pd.Categorical.from_codes(
            _states(file, names, position, columns[position], cardinality),
            categories=pd.Index(range(cardinality), dtype="int64"),
        )
        for position, (name, cardinality) in enumerate(
            zip(names, _cardinalities(file, names, line, head), strict=True)
        )
    }
    return FileView(arrays)


def _cardinalities(
    file: RowFile, names: Sequence[str], line: int, head: Sequence[str]
) -> list[int]:
    """Return the numbers of states, from the second row."""
    for column, text in enumerate(head):
        if not (text.isascii() and text.isdigit() and int(text[:9]) <= MAX_CARDINALITY):
            problem = f"the number of states is {text[:40]!r}; it must be from 0 to 65,535."
            raise file.error(line, names, column, problem)
    if len(head) != len(names):
        problem = f"{len(head)} numbers of states for {len(names)} names."
        raise file.error(line, names, min(len(head), len(names)), problem)
    return [int(text) for text in head]


def _states(
    file: RowFile, names: Sequence[str], position: int, column: TextColumn, cardinality: int
) -> StateCodes:
    """Return the states of one column, -1 where missing."""
    texts, codes = column.texts, column.codes
    state_of = [_state(text, cardinality) for text in texts]
    if None in state_of:
        bad = state_of.index(None)
        row = int(np.flatnonzero(codes == bad)[0])
        line, _ = next(islice(file.rows(n_heads=1), row + 2, None))
        problem = f"{texts[bad][:40]!r} is not a state from 0 to {cardinality - 1}."
        if cardinality == 0:
            problem = f"{texts[bad][:40]!r} is not missing, but the second row gives it 0 states."
        raise file.error(line, names, position, problem)
    states: StateCodes = np.array(state_of, dtype=np.int32)[codes]
    return states


def _state(text: str, cardinality: int) -> int | None:
    """Return the state that a cell names, -1 for a missing cell, None if there is no such state."""
    if text == MISSING:
        return -1
    is_state = text.isascii() and text.isdigit() and len(text) < 10 and int(text) < cardinality
    return int(text) if is_state else None
