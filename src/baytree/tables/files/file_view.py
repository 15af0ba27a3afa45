"""Tables of text files: coded columns, and a pandas frame on demand."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from baytree.tables.columns import Cells, LabelCells, StateCodes, object_array, sorted_cells
from baytree.tables.containers.pandas_tables import PandasLayout, PandasView, series_cells
from baytree.tables.files.cell_blocks import CellTexts


@dataclass(frozen=True, eq=False)
class CodedText:
    """Cells of a column as codes of its texts or of known states, -1 where missing."""

    codes: StateCodes
    labels: list[Hashable]
    is_text: bool

    def array(self) -> Any:
        """Return the column of a frame."""
        if self.is_text:
            texts = pd.Series(object_array(self.labels)).array
            return texts.take(self.codes, allow_fill=True)
        return object_array([*self.labels, None])[self.codes]

    def cells(self) -> LabelCells:
        """Return the cells; a known state may be there twice, as several texts spell it."""
        if self.is_text:
            return sorted_cells(self.codes, self.labels)
        return LabelCells(self.codes, self.labels)


class FileView(PandasView):
    """Columns of a file, and the texts of its cells if they were kept."""

    def __init__(self, columns: Mapping[Any, Any], texts: CellTexts | None = None) -> None:
        self.texts = texts
        self._arrays = list(columns.values())
        self.layout = PandasLayout(pd.Index(list(columns), tupleize_cols=False))
        self.names = tuple(columns)
        first = self._arrays[0]
        self.n_rows = len(first.codes if isinstance(first, CodedText) else first)

    @property
    def header(self) -> pd.DataFrame:
        """A frame without rows."""
        return pd.DataFrame(columns=self.layout.columns)

    @cached_property
    def native(self) -> pd.DataFrame:
        """Return the table."""
        frame = pd.DataFrame(dict(enumerate(self._columns)), copy=False)
        frame.columns = pd.Index(list(self.names), tupleize_cols=False)
        return frame

    @cached_property
    def _columns(self) -> list[pd.Series[Any]]:
        arrays = (each.array() if isinstance(each, CodedText) else each for each in self._arrays)
        return [pd.Series(array, copy=False) for array in arrays]

    def renamed(self, names: Sequence[Hashable]) -> FileView:
        """Return the same columns under other names."""
        return FileView(dict(zip(names, self._arrays, strict=True)), self.texts)

    def dtype(self, position: int) -> Any:
        """Return the dtype of a column."""
        column = self._arrays[position]
        if isinstance(column, CodedText):
            return pd.Series(object_array(column.labels[:1])).dtype if column.is_text else object
        return column.dtype

    def cells(self, position: int) -> Cells:
        """Return the cells of a column."""
        column = self._arrays[position]
        if isinstance(column, CodedText):
            return column.cells()
        return series_cells(self.names[position], pd.Series(column, copy=False))
