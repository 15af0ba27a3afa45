"""Containers of tables: one view each for pandas, polars, pyarrow and NumPy.

A new container is a module here with a `TableView` and a `TableLayout`, and a line in `_view_of`.
"""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.typing import IntoDataFrame

from baytree.exceptions import TableError
from baytree.tables.containers.arrow_tables import ArrowView
from baytree.tables.containers.numpy_tables import NumpyView
from baytree.tables.containers.pandas_tables import PandasView
from baytree.tables.containers.polars_tables import PolarsView
from baytree.tables.containers.table_view import TableLayout, TableView, check_distinct

__all__ = ["Table", "TableLayout", "TableView", "as_table", "view_table"]

Table: TypeAlias = pd.DataFrame | npt.NDArray[Any] | IntoDataFrame | str | os.PathLike[str]

_FRAME_VIEWS: dict[nw.Implementation, type[PolarsView] | type[ArrowView]] = {
    nw.Implementation.POLARS: PolarsView,
    nw.Implementation.PYARROW: ArrowView,
}


def view_table(table: Any, *, may_be_empty: bool = False, n_threads: int = 1) -> TableView:
    """Return the view of a table in memory; threads copy an array.

    Raises
    ------
    TableError
        If the type is not one of those that can be read, or if the table has no rows where it
        needs some, no variables, or two variables of one name.
    """
    view = _view_of(table, n_threads)
    view.check(may_be_empty=may_be_empty)
    return view


def as_table(rows: Any) -> Any:
    """Convert lists of rows and array-likes to an array; other tables stay as they are."""
    is_array_like = isinstance(rows, (list, tuple)) or hasattr(rows, "__array_function__")
    return np.asarray(rows) if is_array_like and not isinstance(rows, np.ndarray) else rows


def _view_of(table: Any, n_threads: int) -> TableView:
    if isinstance(table, pd.DataFrame):
        return PandasView(table)
    if isinstance(table, np.ndarray):
        return NumpyView(table, n_threads)
    if hasattr(table, "column_names"):  # narwhals words its own error
        check_distinct(table.column_names)
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        if frame.implementation in _FRAME_VIEWS:
            return _FRAME_VIEWS[frame.implementation](frame.to_native())
        return PandasView(frame.to_pandas())
    raise TableError(_refusal(table))


def _refusal(table: Any) -> str:
    message = (
        f"A table is a pandas or polars frame, a pyarrow table, a two-dimensional NumPy array, or "
        f"the path of a file; got {type(table).__module__}.{type(table).__name__}."
    )
    if hasattr(table, "collect"):
        return f"{message} Collect the lazy frame first."
    if hasattr(table, "to_struct_array"):
        return f"{message} Make a table of the batch first, with pyarrow.Table.from_batches."
    if hasattr(table, "toarray"):
        return f"{message} Make the sparse matrix dense first, with toarray()."
    return f"{message} Wrap it in pandas.DataFrame first."
