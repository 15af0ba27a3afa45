"""pandas frames as tables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from baytree.runtime.pool import map_in_threads
from baytree.tables.columns import (
    Cells,
    Mask,
    StateCodes,
    array_cells,
    check_kinds,
    coded_cells,
    object_array,
    object_cells,
    sorted_cells,
)
from baytree.tables.containers.arrow_dictionaries import (
    dictionary_cells,
    dictionary_column,
    filled_dictionary,
    pyarrow_module,
)
from baytree.tables.containers.numpy_tables import NumpyLayout, label_array
from baytree.tables.containers.table_view import TableLayout, TableView

# Beyond 100 blocks, pandas warns whoever adds a column.
MAX_BLOCKS = 64


@dataclass(frozen=True, eq=False)
class PandasLayout(TableLayout):
    """Frames with the column index of the first one."""

    kind: ClassVar[str] = "pandas"
    columns: pd.Index | None = None

    def column(self, codes: StateCodes, labels: Sequence[Any], dtype: Any) -> Any:
        """Return an array; NumPy dtypes without a missing value give way to one that has it."""
        if dtype is None or isinstance(dtype, np.dtype):
            return NumpyLayout().column(codes, labels, dtype)
        if isinstance(dtype, pd.CategoricalDtype):
            return pd.Categorical.from_codes(codes, dtype=_with_categories(dtype, labels))
        if _is_arrow_dictionary(dtype):
            column = dictionary_column(codes, labels, dtype.pyarrow_dtype)
            return pd.arrays.ArrowExtensionArray(column)
        return pd.array(labels, dtype=dtype).take(codes, allow_fill=True)

    def ordered_dtype(self, labels: Sequence[str]) -> pd.CategoricalDtype:
        """Return an ordered categorical dtype."""
        return pd.CategoricalDtype(list(labels), ordered=True)

    def table(
        self, names: Sequence[Hashable], columns: Sequence[Any], like: Any = None
    ) -> pd.DataFrame:
        """Return a frame with the row index of `like`, if that is a frame."""
        index = like.index if isinstance(like, pd.DataFrame) else None
        known: Any = self.columns
        return _frame(
            columns, index, pd.Index(names, tupleize_cols=False) if known is None else known
        )


class PandasView(TableView):
    """A frame, read column by column."""

    layout: PandasLayout

    def __init__(self, frame: pd.DataFrame) -> None:
        self.native = frame
        self.layout = PandasLayout(frame.columns)
        self.names = tuple(frame.columns)
        self.n_rows = len(frame)
        self._series = [column for _, column in frame.items()]  # before threads ask for them

    @property
    def _columns(self) -> list[pd.Series[Any]]:
        return self._series

    def renamed(self, names: Sequence[Hashable]) -> PandasView:
        """Return the same columns under other names."""
        return PandasView(self.native.set_axis(pd.Index(list(names), tupleize_cols=False), axis=1))

    def dtype(self, position: int) -> Any:
        """Return the dtype of a column."""
        return self._columns[position].dtype

    def cells(self, position: int) -> Cells:
        """Return the cells of a column."""
        return series_cells(self.names[position], self._columns[position])

    def filled(self, position: int, where: Mask, codes: StateCodes, labels: Sequence[Any]) -> Any:
        """Return a filled copy of a column; the dtype gives way where it cannot hold the labels."""
        column = self._columns[position]
        try:
            return _filled_array(column, where, codes, labels)
        except (TypeError, ValueError):
            cells = column.astype(object).to_numpy(copy=True)
            cells[where] = object_array(labels)[codes[where]]
            return pd.Series(cells).array

    def with_missing(self, position: int, where: Mask) -> Any:
        """Return a copy of a column; a dtype without a missing value gives way to one that has."""
        column = self._columns[position]
        if isinstance(column.dtype, np.dtype):
            return pd.Series(column.to_numpy()).mask(where).array
        rows = np.where(where, -1, np.arange(self.n_rows))
        return column.array.take(rows, allow_fill=True)

    def replaced(self, columns: Mapping[int, Any], n_threads: int = 1) -> pd.DataFrame:
        """Return a new frame with some columns replaced."""
        kept = [position for position in range(len(self.names)) if position not in columns]
        copies = map_in_threads(lambda at: self._columns[at].array.copy(), kept, n_threads)
        by_position = {**columns, **dict(zip(kept, copies, strict=True))}
        arrays = [by_position[at] for at in range(len(self.names))]
        frame = _frame(arrays, self.native.index, self.native.columns)
        if len(arrays) > MAX_BLOCKS:
            frame = _in_few_blocks(frame, arrays, n_threads)
        frame.attrs = dict(self.native.attrs)
        return frame


def _frame(arrays: Sequence[Any], index: Any, names: pd.Index) -> pd.DataFrame:
    """Return a frame with the dtypes of the arrays; pandas would infer those of objects anew."""
    columns = {
        position: pd.Series(array, index=index, dtype=array.dtype, copy=False)
        for position, array in enumerate(arrays)
    }
    frame = pd.DataFrame(columns, index=index, copy=False)
    frame.columns = names
    return frame


def _in_few_blocks(frame: pd.DataFrame, arrays: Sequence[Any], n_threads: int) -> pd.DataFrame:
    """Return a frame whose columns of one dtype lie side by side."""
    dtype: Any = frame.dtypes.iloc[0]
    is_uniform = bool((frame.dtypes == dtype).all())
    if not is_uniform or not isinstance(dtype, np.dtype) or dtype.kind not in "biuf":
        return frame.copy()
    block = np.empty((len(arrays), len(frame)), dtype=dtype)

    def put(position: int) -> None:
        block[position] = np.asarray(arrays[position])

    map_in_threads(put, range(len(arrays)), n_threads)
    return pd.DataFrame(block.T, index=frame.index, columns=frame.columns, copy=False)


def series_cells(name: Hashable, column: pd.Series[Any]) -> Cells:
    """Return the cells of a column."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind not in "mM":
        return array_cells(name, column.to_numpy())
    return extension_cells(name, column.array)


def extension_cells(name: Hashable, array: Any) -> Cells:
    """Return the cells of a pandas array that is not a plain NumPy array."""
    dtype = array.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return coded_cells(array.codes, dtype.categories.tolist())
    if _is_arrow_dictionary(dtype):
        return dictionary_cells(name, array.__arrow_array__())
    if isinstance(dtype, pd.SparseDtype):
        return array_cells(name, np.asarray(array))
    if dtype.kind in "biuf" and isinstance(dtype, pd.api.extensions.ExtensionDtype):
        return _nullable_cells(name, array)
    if array.isna().all():
        return sorted_cells(np.full(len(array), -1), [])
    try:
        codes, labels = pd.factorize(array)
    except (TypeError, NotImplementedError):
        return object_cells(name, np.asarray(array, dtype=object))
    return sorted_cells(codes, labels.tolist())


def _nullable_cells(name: Hashable, array: Any) -> Cells:
    """Return the cells of numbers or booleans that carry their own mask."""
    is_missing = np.asarray(array.isna())
    numpy_dtype = np.dtype(array.dtype.numpy_dtype)
    pad = np.nan if numpy_dtype.kind == "f" else numpy_dtype.type(0)
    numbers = array.to_numpy(dtype=numpy_dtype, na_value=pad)
    return array_cells(name, numbers, is_missing if is_missing.any() else None)


def _state_array(labels: Sequence[Any], dtype: Any) -> Any:
    """Return labels as an array of a dtype; refuse a dtype that would convert them."""
    if isinstance(dtype, np.dtype):
        states: Any = label_array(labels, dtype)
    else:
        states = pd.array(labels, dtype=dtype)
    check_kinds(states.tolist(), labels)
    return states


def _filled_array(
    column: pd.Series[Any], where: Mask, codes: StateCodes, labels: Sequence[Any]
) -> Any:
    dtype: Any = column.dtype
    if _is_arrow_dictionary(dtype):
        filled = filled_dictionary(column.array.__arrow_array__(), where, codes, labels)
        return pd.arrays.ArrowExtensionArray(filled)
    if isinstance(dtype, pd.SparseDtype):
        dense = pd.Series(np.asarray(column.array))
        return pd.array(_filled_array(dense, where, codes, labels), dtype=dtype)
    if isinstance(dtype, np.dtype):
        cells = column.to_numpy(copy=True)
        cells[where] = _state_array(labels, dtype)[codes[where]]
        return cells
    array: Any = column.array.copy()
    if isinstance(dtype, pd.CategoricalDtype):
        array = array.add_categories([label for label in labels if label not in dtype.categories])
        states = pd.Categorical(list(labels), dtype=array.dtype)
    else:
        states = _state_array(labels, dtype)
    array[where] = states.take(codes[where])
    return array


def _with_categories(dtype: pd.CategoricalDtype, labels: Sequence[Any]) -> pd.CategoricalDtype:
    """Return a dtype without the categories that mean missing and so are no labels."""
    if len(labels) == len(dtype.categories):
        return dtype
    is_label = dtype.categories.isin(list(labels))
    return pd.CategoricalDtype(dtype.categories[is_label], ordered=dtype.ordered)


def _is_arrow_dictionary(dtype: Any) -> bool:
    if not isinstance(dtype, pd.ArrowDtype):
        return False
    return bool(pyarrow_module().types.is_dictionary(dtype.pyarrow_dtype))
