"""Which cells of a table are missing, a value that stands for missing included."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from baytree._arguments import is_number
from baytree._columns import Cells, Mask, NumberCells, label_key
from baytree._tables import view_table


@dataclass(frozen=True, eq=False)
class MarkedTable:
    """A table in which everything that stands for missing is missing, and where that is."""

    table: Any
    is_missing: Mask


def marked_table(table: Any, missing_values: Any) -> MarkedTable:
    """Return a table with NaN, or what its container has for it, in the place of a value.

    NaN, None and pd.NA are missing whatever the value is.
    """
    view = view_table(table)
    is_missing = np.zeros((view.n_rows, len(view.names)), dtype=bool, order="F")
    hidden = {}
    for position in range(len(view.names)):
        is_missing[:, position] = view.is_missing(position)
        if not is_natural(missing_values):
            where = _holds(view.cells(position), missing_values)
            if where.any():
                is_missing[:, position] |= where
                hidden[position] = _without_category(view.hidden(position, where), missing_values)
    return MarkedTable(view.replaced(hidden) if hidden else table, is_missing)


def is_natural(missing_values: Any) -> bool:
    """Return whether a value is missing by itself: NaN, None, pd.NA."""
    return bool(np.ndim(missing_values) == 0 and pd.isna(missing_values))


def _holds(cells: Cells, value: Any) -> Mask:
    labels = cells.as_labels() if isinstance(cells, NumberCells) else cells
    codes = [code for code, label in enumerate(labels.labels) if _is_same(label, value)]
    return np.isin(labels.codes, codes)


def _is_same(label: Any, value: Any) -> bool:
    if is_number(label) or is_number(value):
        return is_number(label) and is_number(value) and label == value
    return isinstance(value, Hashable) and label_key(label) == label_key(value)


def _without_category(column: Any, value: Any) -> Any:
    """Return a column whose dtype does not declare the value as a state."""
    if isinstance(column, pd.Categorical) and value in column.categories:
        return column.remove_categories([value])
    return column
