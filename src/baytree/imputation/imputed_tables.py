"""Tables that an imputer returns: columns kept, indicators added, in the container chosen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from baytree.imputation.missing_cells import Floats, MissingCells
from baytree.tables.columns import Mask, object_array
from baytree.tables.encoding import StateCodes, TableEncoding

INDICATOR_PREFIX = "missingindicator_"  # as in scikit-learn


def select_columns(table: Any, kept: Sequence[int]) -> Any:
    """Return a table with the columns at some positions."""
    if isinstance(table, pd.DataFrame):
        return table.iloc[:, list(kept)]
    if isinstance(table, np.ndarray):
        return table[:, list(kept)]
    frame = nw.from_native(table, eager_only=True)
    return frame.select([frame.columns[position] for position in kept]).to_native()


def append_indicators(table: Any, names: Sequence[Hashable], is_missing: Mask) -> Any:
    """Append a column of truth values per name."""
    if isinstance(table, np.ndarray):
        return _stacked(table, is_missing)
    columns = {f"{INDICATOR_PREFIX}{name}": is_missing[:, i] for i, name in enumerate(names)}
    if isinstance(table, pd.DataFrame):
        return pd.concat([table, pd.DataFrame(columns, index=table.index)], axis=1)
    frame = nw.from_native(table, eager_only=True)
    added = [
        nw.new_series(name, column, nw.Boolean(), backend=frame.implementation)
        for name, column in columns.items()
    ]
    return frame.with_columns(*added).to_native()


def _stacked(array: Any, is_missing: Mask) -> Any:
    dtype = np.result_type(array, bool) if array.dtype.kind in "biufc" else np.dtype(object)
    stack = np.ma.hstack if isinstance(array, np.ma.MaskedArray) else np.hstack
    return stack([array.astype(dtype), is_missing.astype(dtype)])


def to_container(table: Any, kind: str) -> Any:
    """Convert a frame to pandas or polars if `set_output` chose it; arrays stay arrays."""
    if isinstance(table, np.ndarray) or kind not in ("pandas", "polars"):
        return table
    if isinstance(table, pd.DataFrame) and kind == "pandas":
        return table
    frame = nw.from_native(table, eager_only=True)
    return frame.to_pandas() if kind == "pandas" else frame.to_polars()


def probability_frame(
    encoding: TableEncoding,
    rows: pd.Index[Any],
    codes: StateCodes,
    probabilities: Floats,
    shown: Mask,
) -> pd.DataFrame:
    """Return the distributions of the missing cells that are shown as a long frame."""
    missing = MissingCells.of(codes, encoding.arities)
    cell = np.repeat(np.arange(len(missing.rows)), missing.arities)
    state = np.arange(len(cell)) - np.repeat(missing.starts, missing.arities)
    labels = [label for name in encoding.variables for label in encoding.states(name)]
    first_label = np.cumsum(encoding.arities) - encoding.arities
    kept = np.flatnonzero(shown[missing.rows, missing.variables][cell])
    row, variable, state = missing.rows[cell[kept]], missing.variables[cell[kept]], state[kept]
    return pd.DataFrame(
        {
            "row": rows.take(row),
            "variable": object_array(encoding.variables)[variable],
            "state": object_array(labels)[first_label[variable] + state],
            "probability": probabilities[kept],
        }
    )
