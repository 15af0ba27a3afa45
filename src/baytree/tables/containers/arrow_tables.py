"""pyarrow tables as tables; pyarrow comes with the table and is not imported here."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from baytree.tables.columns import Cells, Mask, StateCodes, check_kinds, object_array
from baytree.tables.containers.arrow_dictionaries import (
    dictionary_cells,
    dictionary_column,
    filled_dictionary,
    pyarrow_module,
)
from baytree.tables.containers.pandas_tables import extension_cells
from baytree.tables.containers.table_view import TableLayout, TableView


@dataclass(frozen=True)
class ArrowLayout(TableLayout):
    """Tables of pyarrow."""

    kind: ClassVar[str] = "pyarrow"

    def column(self, codes: StateCodes, labels: Sequence[Any], dtype: Any) -> Any:
        """Return an array, null where the code is -1."""
        pa = pyarrow_module()
        if dtype is not None and pa.types.is_dictionary(dtype):
            return dictionary_column(codes, labels, dtype)
        try:
            return pa.array(labels, type=dtype).take(pa.array(codes, mask=codes < 0))
        except pa.ArrowNotImplementedError:  # of text views, for one
            return pa.array(object_array([*labels, None])[codes], type=dtype)

    def ordered_dtype(self, labels: Sequence[str]) -> Any:
        """Return an ordered dictionary type."""
        pa = pyarrow_module()
        return pa.dictionary(pa.int32(), pa.string(), ordered=True)

    def table(self, names: Sequence[Hashable], columns: Sequence[Any], like: Any = None) -> Any:
        """Return a table."""
        return pyarrow_module().table(list(columns), names=[str(name) for name in names])


class ArrowView(TableView):
    """A table, read column by column."""

    layout: ArrowLayout

    def __init__(self, table: Any) -> None:
        self.native = table
        self.layout = ArrowLayout()
        self.names = tuple(table.column_names)
        self.n_rows = table.num_rows

    def dtype(self, position: int) -> Any:
        """Return the type of a column."""
        return self.native.schema.field(position).type

    def cells(self, position: int) -> Cells:
        """Return the cells of a column."""
        column = self.native.column(position)
        if pyarrow_module().types.is_dictionary(column.type):
            return dictionary_cells(self.names[position], column)
        return extension_cells(self.names[position], pd.arrays.ArrowExtensionArray(column))

    def filled(self, position: int, where: Mask, codes: StateCodes, labels: Sequence[Any]) -> Any:
        """Return a filled column; the type gives way where it cannot hold the labels."""
        pa, column = pyarrow_module(), self.native.column(position)
        if pa.types.is_dictionary(column.type):
            return filled_dictionary(column, where, codes, labels)
        fills = np.where(where, codes, -1).astype(np.int32)
        try:
            check_kinds(pa.array(labels, type=column.type).to_pylist(), labels)
            states = self.layout.column(fills, labels, column.type)
        except (TypeError, pa.ArrowInvalid, pa.ArrowTypeError):
            states = self.layout.column(fills, labels, None)
            column = column.cast(states.type)
        try:
            return pa.compute.if_else(pa.array(where), states, column)
        except pa.ArrowNotImplementedError:
            cells = np.where(
                where, object_array(states.to_pylist()), object_array(column.to_pylist())
            )
            return pa.array(cells, type=column.type)

    def with_missing(self, position: int, where: Mask) -> Any:
        """Return a column that is null where the mask is set."""
        pa, column = pyarrow_module(), self.native.column(position)
        try:
            return column.take(pa.array(np.arange(self.n_rows), mask=where))
        except pa.ArrowNotImplementedError:  # of text views, for one
            cells = object_array(column.to_pylist())
            cells[where] = None
            return pa.array(cells, type=column.type)

    def replaced(self, columns: Mapping[int, Any], n_threads: int = 1) -> Any:
        """Return a new table with some columns replaced."""
        table = self.native
        for position, column in columns.items():
            field = table.schema.field(position).with_type(column.type)
            table = table.set_column(position, field, column)
        return table
