"""The table that an imputer returns: columns kept, indicators added, in the container asked for."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from baytree.imputation.missing_cells import Floats
from baytree.tables.columns import Mask, object_array
from baytree.tables.encoding import TableEncoding

PREFIX = "missingindicator_"  # as in scikit-learn


def with_columns_kept(table: Any, kept: Sequence[int]) -> Any:
    """Return a table with the columns at some positions."""
    if isinstance(table, pd.DataFrame):
        return table.iloc[:, list(kept)]
    if isinstance(table, np.ndarray):
        return table[:, list(kept)]
    frame = nw.from_native(table, eager_only=True)
    return frame.select([frame.columns[position] for position in kept]).to_native()


def with_indicators(table: Any, names: Sequence[Hashable], is_missing: Mask) -> Any:
    """Return a table with a column of truth values behind it for each name."""
    if isinstance(table, np.ndarray):
        return _stacked(table, is_missing)
    columns = {f"{PREFIX}{name}": is_missing[:, i] for i, name in enumerate(names)}
    if isinstance(table, pd.DataFrame):
        return pd.concat([table, pd.DataFrame(columns, index=table.index)], axis=1)
    frame = nw.from_native(table, eager_only=True)
    added = [
        nw.new_series(name, column, nw.Boolean(), backend=frame.implementation)
        for name, column in columns.items()
    ]
    return frame.with_columns(*added).to_native()


def in_container(table: Any, kind: str) -> Any:
    """Return a frame as one of pandas or polars if that is asked for; arrays as they are."""
    if isinstance(table, np.ndarray) or kind not in ("pandas", "polars"):
        return table
    if isinstance(table, pd.DataFrame) and kind == "pandas":
        return table
    frame = nw.from_native(table, eager_only=True)
    return frame.to_pandas() if kind == "pandas" else frame.to_polars()


def _stacked(array: Any, is_missing: Mask) -> Any:
    dtype = np.result_type(array, bool) if array.dtype.kind in "biufc" else np.dtype(object)
    stack = np.ma.hstack if isinstance(array, np.ma.MaskedArray) else np.hstack
    return stack([array.astype(dtype), is_missing.astype(dtype)])


def cell_frame(
    encoding: TableEncoding, rows: pd.Index[Any], is_gap: Mask, probabilities: Floats, shown: Mask
) -> pd.DataFrame:
    """Return the distributions of gaps as a long frame, of those gaps that are shown.

    `probabilities` holds a distribution for each gap, by row, then by variable.
    """
    row, variable = np.nonzero(is_gap)
    arities = encoding.arities[variable]
    cell = np.repeat(np.arange(len(row)), arities)
    state = np.arange(len(cell)) - np.repeat(np.cumsum(arities) - arities, arities)
    labels = [label for name in encoding.variables for label in encoding.states(name)]
    first_label = np.cumsum(encoding.arities) - encoding.arities
    kept = np.flatnonzero(shown[row, variable][cell])
    row, variable, state = row[cell[kept]], variable[cell[kept]], state[kept]
    return pd.DataFrame(
        {
            "row": rows.take(row),
            "variable": object_array(encoding.variables)[variable],
            "state": object_array(labels)[first_label[variable] + state],
            "probability": probabilities[kept],
        }
    )
