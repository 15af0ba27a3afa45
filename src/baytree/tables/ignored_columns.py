"""Columns that are no variables: those that a user ignores, and numbers of rows without a name."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from baytree.exceptions import IgnoredColumnWarning, TableError
from baytree.messages.quoting import quoted, shortened
from baytree.messages.suggestions import among
from baytree.messages.user_warnings import warn_user
from baytree.tables.columns import Cells, NumberCells
from baytree.tables.containers import TableView
from baytree.tables.containers.numpy_tables import NumpyView

# The index of a frame in a CSV file has no name; pandas reads it as "Unnamed: 0".
_INDEX_NAME = re.compile(r"(Unnamed: \d+(\.\d+)*)?")


def check_ignore(ignore: Any) -> tuple[Hashable, ...]:
    """Return the names of ignored columns; refuse what is no list of names."""
    if isinstance(ignore, str) or not isinstance(ignore, Iterable):
        raise ValueError(f"ignore must be a list of names of columns; got {shortened(ignore)}.")
    return tuple(ignore)


def learned_columns(view: TableView, ignore: Collection[Hashable]) -> Sequence[int]:
    """Return the columns of a new table that are variables; warn of numbers of rows left out."""
    ignored = check_ignore(ignore)
    if ignored and isinstance(view, NumpyView):
        raise TableError(
            "ignore is for tables with names of columns. Of an array, give the columns to learn "
            "from, as in X[:, [0, 2]]."
        )
    for name in ignored:
        if name not in view.names:
            raise TableError(f"ignore names {name!r}, which is no column {among(name, view.names)}")
    indexes = [
        name
        for column, name in enumerate(view.names)
        if name not in ignored and is_index_name(name) and names_rows(view.cells(column))
    ]
    if indexes:
        warn_user(
            f"Left out {_called(indexes)}, the index of a frame by its name and cells. Write "
            "tables with to_csv(index=False), or rename the column to learn from it.",
            IgnoredColumnWarning,
        )
    kept = [i for i, name in enumerate(view.names) if name not in {*ignored, *indexes}]
    if not kept:
        raise TableError(f"No column is left to learn from: {quoted(view.names)} are left out.")
    return kept


def _called(indexes: Sequence[Hashable]) -> str:
    named = [name for name in indexes if name]
    unnamed = ["the column without a name"] * (len(named) < len(indexes))
    return " and ".join([*unnamed, *([quoted(named)] if named else [])])


def known_columns(
    view: TableView, variables: Collection[Hashable], ignore: Collection[Hashable]
) -> Sequence[int]:
    """Return the columns of further rows that are not left out."""
    known, ignored = {*variables}, {*check_ignore(ignore)}
    return [
        column
        for column, name in enumerate(view.names)
        if name in known or not (name in ignored or is_index_name(name))
    ]


def is_index_name(name: Hashable) -> bool:
    """Test a name for that of an index without a name."""
    return isinstance(name, str) and _INDEX_NAME.fullmatch(name) is not None


def names_rows(cells: Cells) -> bool:
    """Return whether cells are distinct integers or texts, none of them missing."""
    if cells.is_missing.any():
        return False
    if isinstance(cells, NumberCells):
        return cells.is_integer and len(np.unique(cells.numbers)) == len(cells.numbers)
    is_text = all(isinstance(label, str) for label in cells.labels)
    return is_text and len(np.unique(cells.codes)) == len(cells.codes)
