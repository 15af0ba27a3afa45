"""polars frames as tables; polars comes with the frame and is not imported here."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import narwhals as nw
import numpy as np

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
from baytree.tables.containers.table_view import TableLayout, TableView


def _polars() -> Any:
    return nw.Implementation.POLARS.to_native_namespace()


@dataclass(frozen=True)
class PolarsLayout(TableLayout):
    """Frames of polars."""

    kind: ClassVar[str] = "polars"

    def column(self, codes: StateCodes, labels: Sequence[Any], dtype: Any) -> Any:
        """Return a series, null where the code is -1."""
        states = _polars().Series([*labels, None], dtype=dtype)
        return states.gather(np.where(codes < 0, len(labels), codes))

    def ordered_dtype(self, labels: Sequence[str]) -> Any:
        """Return an Enum."""
        return _polars().Enum(list(labels))

    def table(self, names: Sequence[Hashable], columns: Sequence[Any], like: Any = None) -> Any:
        """Return a frame."""
        return _polars().DataFrame(dict(zip(map(str, names), columns, strict=True)))


class PolarsView(TableView):
    """A frame, read series by series."""

    layout: PolarsLayout

    def __init__(self, frame: Any) -> None:
        self.native = frame
        self.layout = PolarsLayout()
        self.names = tuple(frame.columns)
        self.n_rows = frame.height
        self._columns = frame.get_columns()

    def dtype(self, position: int) -> Any:
        """Return the dtype of a series."""
        return self._columns[position].dtype

    def cells(self, position: int) -> Cells:
        """Return the cells of a series."""
        pl, series, name = _polars(), self._columns[position], self.names[position]
        if series.dtype == pl.Enum:
            return coded_cells(_physical_codes(series), series.dtype.categories.to_list())
        if series.dtype in (pl.String, pl.Categorical):
            return _text_cells(series.cast(pl.String))
        is_huge = str(series.dtype).endswith("128")  # NumPy has no such integers
        if series.dtype == pl.Boolean or (series.dtype.is_integer() and not is_huge):
            is_missing = series.is_null().to_numpy() if series.null_count() else None
            zero = False if series.dtype == pl.Boolean else 0
            return array_cells(name, series.fill_null(zero).to_numpy(), is_missing)
        if series.dtype.is_float():
            return array_cells(name, series.to_numpy())
        return object_cells(name, object_array(series.to_list()))

    def filled(self, position: int, where: Mask, codes: StateCodes, labels: Sequence[Any]) -> Any:
        """Return a filled series; the dtype gives way where it cannot hold the labels."""
        pl, series = _polars(), self._columns[position]
        fills = np.where(where, codes, -1).astype(np.int32)
        try:
            check_kinds(pl.Series(labels, dtype=series.dtype).to_list(), labels)
            states = self.layout.column(fills, labels, series.dtype)
        except (TypeError, pl.exceptions.PolarsError):
            states = self.layout.column(fills, labels, None)
            series = series.cast(states.dtype)
        return states.zip_with(pl.Series(where), series).alias(series.name)

    def with_missing(self, position: int, where: Mask) -> Any:
        """Return a series that is null where the mask is set."""
        pl, series = _polars(), self._columns[position]
        nothing = pl.repeat(None, self.n_rows, dtype=series.dtype, eager=True)
        return nothing.zip_with(pl.Series(where), series).alias(series.name)

    def replaced(self, columns: Mapping[int, Any], n_threads: int = 1) -> Any:
        """Return a new frame with some series replaced."""
        named = [series.alias(str(self.names[position])) for position, series in columns.items()]
        return self.native.with_columns(named)


def _text_cells(series: Any) -> Cells:
    """Return the cells of text, numbered by polars, which sorts text as Python does."""
    labels = series.drop_nulls().unique().sort()
    codes = _physical_codes(series.cast(_polars().Enum(labels)))
    return sorted_cells(codes, labels.to_list())


def _physical_codes(series: Any) -> StateCodes:
    """Return the codes of an Enum, -1 where null."""
    return np.asarray(
        series.to_physical().cast(_polars().Int32).fill_null(-1).to_numpy(), dtype=np.int32
    )
