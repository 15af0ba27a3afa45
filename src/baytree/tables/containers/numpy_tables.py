"""NumPy arrays, plain and masked, as tables; their variables are called x0, x1, ..."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from baytree.exceptions import TableError
from baytree.runtime.pool import map_in_threads
from baytree.tables.columns import (
    Array,
    Cells,
    Mask,
    StateCodes,
    array_cells,
    check_kinds,
    object_array,
)
from baytree.tables.containers.table_view import TableLayout, TableView

CELLS_PER_BLOCK = 2**16  # of rows that are copied together
MIN_ROWS_PER_BLOCK = 1024


@dataclass(frozen=True)
class NumpyLayout(TableLayout):
    """Two-dimensional arrays of one dtype."""

    kind: ClassVar[str] = "numpy"
    is_masked: bool = False

    def column(self, codes: StateCodes, labels: Sequence[Any], dtype: Any) -> Array:
        """Return an array; a dtype without a missing value gives way to one that has it."""
        dtype = np.array(labels).dtype if dtype is None else dtype
        is_missing = codes < 0
        if not is_missing.any():
            return label_array(labels, dtype)[codes]
        if self.is_masked:
            padded = np.append(label_array(labels, dtype), np.zeros(1, dtype=dtype))
            return np.ma.MaskedArray(padded[codes], mask=is_missing)
        return label_array([*labels, None], _dtype_with_missing(dtype))[codes]

    def ordered_dtype(self, labels: Sequence[str]) -> np.dtype[Any]:
        """Return object: NumPy has no ordered states."""
        return np.dtype(object)

    def table(self, names: Sequence[Hashable], columns: Sequence[Any], like: Any = None) -> Array:
        """Return the columns side by side, as objects where their dtypes do not agree."""
        dtypes = {column.dtype for column in columns}
        dtype = dtypes.pop() if len(dtypes) == 1 else _common_dtype([*dtypes])
        shape = (len(columns[0]), len(columns))
        array = np.ma.empty(shape, dtype) if self.is_masked else np.empty(shape, dtype)
        for position, column in enumerate(columns):
            array[:, position] = column
        return array


class NumpyView(TableView):
    """An array with rows as data points and columns as variables."""

    native: Array
    layout: NumpyLayout

    def __init__(self, array: Array, n_threads: int = 1) -> None:
        if array.dtype.names is not None:
            raise TableError(
                "A structured NumPy array is not a table. Wrap it in pandas.DataFrame first."
            )
        if array.ndim != 2:
            raise TableError(
                f"A NumPy table has two dimensions; got {array.ndim} (shape {array.shape}). "
                "Reshape your data so that rows are data points and columns are variables."
            )
        self.native = array
        self.layout = NumpyLayout(is_masked=isinstance(array, np.ma.MaskedArray))
        self.names = tuple(f"x{position}" for position in range(array.shape[1]))
        self.n_rows = array.shape[0]
        # Columns are read one by one.
        self._values = _column_major(np.ma.getdata(array), n_threads)
        self._mask = np.ma.getmaskarray(array) if self.layout.is_masked else None

    def dtype(self, position: int) -> np.dtype[Any]:
        """Return the dtype of the array."""
        return self.native.dtype

    def cells(self, position: int) -> Cells:
        """Return the cells of a column; masked cells are missing."""
        mask = None if self._mask is None else self._mask[:, position]
        return array_cells(self.names[position], self._values[:, position], mask)

    def filled(self, position: int, where: Mask, codes: StateCodes, labels: Sequence[Any]) -> Array:
        """Return a filled copy of a column, as objects where the labels do not fit its dtype."""
        column = self.native[:, position].copy()
        try:
            states = label_array(labels, self.native.dtype)
            # tolist would turn dates into integers
            check_kinds(list(states) if states.dtype.kind in "mM" else states.tolist(), labels)
        except (TypeError, ValueError):
            column, states = column.astype(object), object_array(labels)
        column[where] = states[codes[where]]
        return column

    def with_missing(self, position: int, where: Mask) -> Array:
        """Return a copy of a column; a dtype without a missing value gives way to one that has."""
        column = self.native[:, position]
        if self.layout.is_masked:
            masked = column.copy()
            masked[where] = np.ma.masked
            return masked
        cells = column.astype(_dtype_with_missing(column.dtype))
        cells[where] = "NaT" if column.dtype.kind in "mM" else None
        return cells

    def replaced(self, columns: Mapping[int, Any], n_threads: int = 1) -> Array:
        """Return a copy of the array with some columns replaced."""
        dtypes = [self.native.dtype, *(column.dtype for column in columns.values())]
        dtype = _common_dtype(dtypes)
        if self.layout.is_masked:  # the first masked cell makes the mask of all rows
            array, n_threads = self.native.astype(dtype), 1
        else:
            array = np.empty_like(self.native, dtype=dtype)

        def replace(rows: slice) -> None:
            array[rows] = self.native[rows]
            for position, column in columns.items():
                array[rows, position] = column[rows]

        blocks = _row_blocks(array.shape) if n_threads > 1 else [slice(None)]
        map_in_threads(replace, blocks, n_threads)
        return array


def _column_major(array: Array, n_threads: int) -> Array:
    """Return an array column by column, a copy if it is not."""
    if array.flags.f_contiguous:
        return array
    columns = np.empty(array.shape, dtype=array.dtype, order="F")

    def copy(rows: slice) -> None:
        columns[rows] = array[rows]

    map_in_threads(copy, _row_blocks(array.shape), n_threads)
    return columns


def _row_blocks(shape: tuple[int, ...]) -> list[slice]:
    """Return all rows in blocks of some cells, but of no few rows."""
    n_rows = max(CELLS_PER_BLOCK // max(shape[1], 1), MIN_ROWS_PER_BLOCK)
    return [slice(first, first + n_rows) for first in range(0, shape[0], n_rows)]


def label_array(labels: Sequence[Any], dtype: np.dtype[Any]) -> Array:
    """Return labels as an array of a dtype; text may be longer than in the dtype."""
    if dtype.kind == "O":
        return object_array(labels)
    array = np.array(labels, dtype=dtype.kind if dtype.kind in "US" else dtype)
    return array.astype(np.promote_types(array.dtype, dtype)) if dtype.kind in "US" else array


def _dtype_with_missing(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.kind in "fmMO":
        return dtype
    return np.dtype(np.float64 if dtype.kind in "iu" else object)


def _common_dtype(dtypes: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
    """Return a dtype that holds the cells of all dtypes unchanged."""
    kinds = {"number" if dtype.kind in "iuf" else dtype.kind for dtype in dtypes}
    return np.result_type(*dtypes) if len(kinds) == 1 else np.dtype(object)
