"""Which cells of a table are missing, values that stand for missing included."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from baytree.messages.arguments import is_number
from baytree.messages.quoting import shortened
from baytree.tables.columns import Cells, Mask, NumberCells, label_key
from baytree.tables.containers import view_table
from baytree.tables.missing_words import DEFAULT_MISSING_VALUES


@dataclass(frozen=True, eq=False)
class MarkedTable:
    """A table in which everything that stands for missing is missing, and where that is."""

    table: Any
    is_missing: Mask


def marked_table(table: Any, missing_values: Any) -> MarkedTable:
    """Return a table with NaN, or what its container has for it, in the place of given values.

    NaN, None and pd.NA are missing whatever the values are.
    """
    values = _values(missing_values)
    view = view_table(table)
    is_missing = np.zeros((view.n_rows, len(view.names)), dtype=bool, order="F")
    hidden = {}
    for position in range(len(view.names)):
        is_missing[:, position] = view.is_missing(position)
        if values:
            where = _holds(view.cells(position), values)
            if where.any():
                is_missing[:, position] |= where
                hidden[position] = _without_categories(view.hidden(position, where), values)
    return MarkedTable(view.replaced(hidden) if hidden else table, is_missing)


def check_missing_values(missing_values: Any) -> None:
    """Refuse what is neither a value nor a list of values."""
    for value in _listed(missing_values):
        if np.ndim(value) or not isinstance(value, Hashable):
            raise ValueError(
                f"missing_values must be one value or a list of values; got {shortened(value)}."
            )


def missing_words(missing_values: Any) -> tuple[str, ...]:
    """Return what means missing in a CSV file: a list has all of it, a value is one word more."""
    if isinstance(missing_values, (list, tuple)):
        return tuple(value for value in missing_values if isinstance(value, str))
    return (*DEFAULT_MISSING_VALUES, *([missing_values] * isinstance(missing_values, str)))


def _values(missing_values: Any) -> list[Any]:
    """Return the values that are missing by nothing but their being named."""
    return [value for value in _listed(missing_values) if not is_natural(value)]


def _listed(missing_values: Any) -> Sequence[Any]:
    return missing_values if isinstance(missing_values, (list, tuple)) else [missing_values]


def is_natural(missing_values: Any) -> bool:
    """Return whether a value is missing by itself: NaN, None, pd.NA."""
    return bool(np.ndim(missing_values) == 0 and pd.isna(missing_values))


def _holds(cells: Cells, values: Sequence[Any]) -> Mask:
    labels = cells.as_labels() if isinstance(cells, NumberCells) else cells
    codes = [
        code
        for code, label in enumerate(labels.labels)
        if any(_is_same(label, value) for value in values)
    ]
    return np.isin(labels.codes, codes)


def _is_same(label: Any, value: Any) -> bool:
    if is_number(label) or is_number(value):
        return is_number(label) and is_number(value) and label == value
    return label_key(label) == label_key(value)


def _without_categories(column: Any, values: Sequence[Any]) -> Any:
    """Return a column whose dtype does not declare the values as states."""
    if not isinstance(column, pd.Categorical):
        return column
    return column.remove_categories([value for value in values if value in column.categories])
