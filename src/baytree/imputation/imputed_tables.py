"""Variables of an imputer, and the tables that it returns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd

from baytree.imputation.completion import CompletedRows
from baytree.imputation.missing_cells import Floats, MissingCells, Positions, TableRows
from baytree.messages.arguments import is_number
from baytree.messages.quoting import shortened
from baytree.tables.columns import Mask, StateCodes, object_array
from baytree.tables.containers.polars_tables import PolarsView
from baytree.tables.encoding import TableEncoding
from baytree.tables.inputs import OpenedTable

INDICATOR_PREFIX = "missingindicator_"  # as in scikit-learn


@dataclass(frozen=True, eq=False)
class ImputerVariables:
    """Variables of the table of `fit`; the networks have those with an observed cell."""

    encoding: TableEncoding
    known: Positions  # with an observed cell
    incomplete: Positions  # with a missing cell

    @classmethod
    def of(cls, opened: OpenedTable) -> ImputerVariables:
        """Return the variables of a table."""
        is_observed = opened.codes >= 0
        return cls(
            opened.encoding,
            np.flatnonzero(is_observed.any(axis=0)),
            np.flatnonzero(~is_observed.all(axis=0)),
        )

    @property
    def names(self) -> tuple[Hashable, ...]:
        """All variables."""
        return self.encoding.variables

    @cached_property
    def empty(self) -> list[Hashable]:
        """Variables without an observed cell."""
        return [self.names[i] for i in np.setdiff1d(np.arange(len(self.names)), self.known)]

    @cached_property
    def known_encoding(self) -> TableEncoding:
        """Encoding of the variables of the networks."""
        if len(self.known) == len(self.names):
            return self.encoding
        return self.encoding.restricted(self.known.tolist())

    def kept(self, *, keep_empty: bool) -> list[int]:
        """Return the positions of the variables in the output."""
        return [*range(len(self.names))] if keep_empty else self.known.tolist()

    def known_rows(self, opened: OpenedTable) -> TableRows:
        """Return the rows of a table, with the variables of the networks."""
        codes = np.asfortranarray(opened.codes[:, self.known])
        numbers = np.empty((len(codes), len(self.known_encoding.bins)), order="F")
        for column, position in enumerate(self.known_encoding.bins):
            numbers[:, column] = opened.numbers[int(self.known[position])]
        return TableRows(codes, numbers)

    def of_all(self, opened: OpenedTable, completed: CompletedRows) -> CompletedRows:
        """Return completed rows of all variables, given those of the networks."""
        codes = opened.codes.copy(order="F")
        codes[:, self.known] = completed.codes
        return CompletedRows(
            codes, {int(self.known[at]): own for at, own in completed.numbers.items()}
        )

    def missing_cells(self, known: StateCodes) -> Mask:
        """Return the missing cells of all variables, given the codes of the networks."""
        is_missing = np.ones((len(known), len(self.names)), dtype=bool)
        is_missing[:, self.known] = known < 0
        return is_missing

    def output(
        self,
        opened: OpenedTable,
        completed: CompletedRows,
        *,
        keep_empty: bool,
        add_indicator: bool,
    ) -> Any:
        """Return the completed table with the columns that were chosen."""
        table = opened.filled(*self.of_all(opened, completed))
        kept = self.kept(keep_empty=keep_empty)
        if len(kept) < len(self.names):
            dropped = {*opened.columns} - {opened.columns[position] for position in kept}
            columns = range(len(opened.view.names))
            table = select_columns(table, [column for column in columns if column not in dropped])
        if add_indicator:
            names = [self.names[position] for position in self.incomplete]
            table = append_indicators(table, names, opened.is_missing[:, self.incomplete])
        return table

    def probability_frame(
        self, opened: OpenedTable, probabilities: Floats, quantiles: Quantiles | None = None
    ) -> Any:
        """Return the distributions of the missing cells as a long frame, as polars for polars.

        Numbers have the quantiles, if given, in place of their bins.
        """
        encoding = self.known_encoding
        codes = opened.codes[:, self.known]
        missing = MissingCells.of(codes, encoding.arities, max_states=None)
        labels = _labels(encoding, with_bins=quantiles is None)
        first_label = np.cumsum(encoding.arities) - encoding.arities
        cell = np.repeat(np.arange(len(missing.rows)), missing.arities)
        state = np.arange(len(cell)) - np.repeat(missing.starts, missing.arities)
        label = first_label[missing.variables[cell]] + state
        if quantiles is not None:
            lines = (cell, label, probabilities)
            cell, label, probabilities = _with_quantiles(missing, labels, quantiles, lines)
        is_shown = opened.is_missing[:, self.known][missing.rows, missing.variables]
        kept = np.flatnonzero(is_shown[cell])
        row, variable = missing.rows[cell[kept]], missing.variables[cell[kept]]
        label, probabilities = label[kept], probabilities[kept]
        if isinstance(opened.view, PolarsView):
            columns = (row, variable, label, probabilities)
            return _polars_frame(opened.view, encoding.variables, labels, columns)
        index = pd.RangeIndex(len(opened.codes)) if opened.index is None else opened.index
        return pd.DataFrame(
            {
                "row": index.take(row),
                "variable": object_array(encoding.variables)[variable],
                "state": object_array(labels)[label],
                "probability": probabilities,
            }
        )


def _labels(encoding: TableEncoding, *, with_bins: bool) -> list[Any]:
    """Return the states of all variables; without bins, their medians stand for them.

    Bins are text. Beside them, quantiles of numbers would be text in frames of polars, too.
    """
    bins = {} if with_bins else encoding.bins
    of_variables = [
        bins[position].medians if position in bins else encoding.states(name)
        for position, name in enumerate(encoding.variables)
    ]
    return [label for own in of_variables for label in own]


def _polars_frame(
    view: PolarsView,
    variables: Sequence[Hashable],
    labels: Sequence[Any],
    columns: tuple[Positions, Positions, Positions, Floats],
) -> Any:
    """Return distributions as a frame of polars, given rows, variables, labels, probabilities."""
    row, variable, label, probabilities = columns
    is_uniform = len(set(map(type, labels))) == 1  # a series has one type
    states = labels if is_uniform else list(map(str, labels))
    return view.layout.table(
        ("row", "variable", "state", "probability"),
        [
            row,
            view.layout.column(variable.astype(np.int32), list(map(str, variables)), None),
            view.layout.column(label.astype(np.int32), states, None),
            probabilities,
        ],
    )


def check_quantiles(quantiles: Sequence[float]) -> list[float]:
    """Return levels of quantiles; refuse what is none."""
    levels = list(quantiles) if isinstance(quantiles, Iterable) else []
    if not levels or not all(is_number(level) and 0 < level < 1 for level in levels):
        raise ValueError(
            "quantiles must be a list of numbers above 0 and below 1, as in [0.05, 0.5, 0.95]; got "
            f"{shortened(quantiles)}."
        )
    return [float(level) for level in levels]


class Quantiles(NamedTuple):
    """Levels, and by variable the quantiles of its missing numbers, a row per level."""

    levels: Sequence[float]
    numbers: Mapping[int, Floats]


Lines: TypeAlias = tuple[Positions, Positions, Floats]  # cells, labels and probabilities


def _with_quantiles(
    missing: MissingCells, labels: list[Any], quantiles: Quantiles, lines: Lines
) -> Lines:
    """Replace the lines of numbers by one per level; the labels of quantiles are appended."""
    is_number = np.isin(missing.variables, list(quantiles.numbers))[lines[0]]
    parts = [tuple(own[~is_number] for own in lines)]
    for variable, found in quantiles.numbers.items():
        cells = np.flatnonzero(missing.variables == variable)
        for level, numbers in zip(quantiles.levels, found, strict=True):
            places = len(labels) + np.arange(len(cells))
            labels += numbers.tolist()
            parts.append((cells, places, np.full(len(cells), level)))
    merged = [np.concatenate(own) for own in zip(*parts, strict=True)]
    order = np.argsort(merged[0], kind="stable")
    cells, places, shares = (own[order] for own in merged)
    return cells, places, shares


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
