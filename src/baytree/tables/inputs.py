"""Input of tables: from any container or file to state codes."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from baytree.exceptions import TableError
from baytree.messages.arguments import one_of
from baytree.messages.quoting import pluralize, quoted, shortened
from baytree.runtime.limits import thread_count
from baytree.runtime.pool import map_in_threads
from baytree.tables.bin_contents import Floats, Tally
from baytree.tables.bins import Bins
from baytree.tables.column_warnings import (
    report_bins,
    report_identifiers,
    report_mixed,
    words_among_numbers,
)
from baytree.tables.columns import Cells, LabelCells, Mask, StateCodes
from baytree.tables.containers import Table, TableView, view_table
from baytree.tables.containers.numpy_tables import NumpyView
from baytree.tables.encoding import TableEncoding
from baytree.tables.files.csv_tables import KnownStates
from baytree.tables.files.table_files import open_file
from baytree.tables.ignored_columns import known_columns, learned_columns
from baytree.tables.missing_values import MissingMarks, named_values
from baytree.tables.spelling import example_of, labels_like, spelled_cells, texts_of, typed_cells
from baytree.tables.variable_encoding import (
    FEW_INTEGERS,
    N_BINS,
    UNKNOWN,
    BinNumber,
    IntegerRule,
    UnknownPolicy,
    VariableEncoding,
    check_bin_number,
    fit_variable,
)
from baytree.tables.weighted_rows import Weights, checked_weights
from baytree.vocabulary import DEFAULT_MISSING_VALUES, UNKNOWN_POLICIES

MIN_CELLS_PER_THREAD = 2**16  # fewer are read and written before a thread has started


class ColumnFill(NamedTuple):
    """Cells of a column to fill, and their contents: `labels[codes]`."""

    where: Mask
    codes: StateCodes
    labels: Sequence[Any]


@dataclass(frozen=True, eq=False)
class OpenedTable:
    """A table in any container, and its cells as codes.

    Attributes
    ----------
    view : TableView
        The table as named columns.
    encoding : TableEncoding
        States of the variables: found in the table, or given.
    codes : ndarray of int32, shape (n_rows, n_variables), Fortran order
        State codes, -1 where a cell is missing, unknown or masked.
    columns : sequence of int
        Column of every variable; -1 for a variable that the table lacks.
    is_unknown : ndarray of bool, shape (n_rows, n_variables), or None
        Mask of cells with unknown states; None if there are none.
    numbers : dict of int to ndarray of float64
        Cells of the binned variables as numbers, by position; NaN where missing.
    texts : mapping of int to list of str
        Distinct texts of columns of text, by position.
    weights : ndarray of float64, or None
        Weights of the rows, which count in the choice of bins; None if every row counts once.
    n_threads : int
        Threads that fill columns side by side.
    """

    view: TableView
    encoding: TableEncoding
    codes: StateCodes
    columns: Sequence[int]
    is_unknown: Mask | None = None
    numbers: Mapping[int, Floats] = field(default_factory=dict)
    texts: Mapping[int, Sequence[str]] = field(default_factory=dict)
    weights: Floats | None = None
    n_threads: int = 1

    @property
    def table(self) -> Any:
        """The table in memory; a pandas frame for a file."""
        return self.view.native

    @property
    def is_missing(self) -> Mask:
        """Mask of missing cells, by variable; unknown states are not missing."""
        is_missing = self.codes < 0
        return is_missing if self.is_unknown is None else is_missing & ~self.is_unknown

    @property
    def index(self) -> pd.Index[Any] | None:
        """Row index of a pandas frame."""
        table = self.table
        return table.index if isinstance(table, pd.DataFrame) else None

    @cached_property
    def tallies(self) -> dict[int, Tally]:
        """Numbers of the binned variables, and how many rows hold each, by position."""
        tallies = {}
        for position, numbers in self.numbers.items():
            is_observed = ~np.isnan(numbers)
            weights = None if self.weights is None else self.weights[is_observed]
            tallies[position] = Tally.of(numbers[is_observed], weights)
        return tallies

    def with_bins(self, bins: Mapping[int, Bins]) -> OpenedTable:
        """Return the table with other bins of some numeric variables, by position."""
        encodings, codes = [*self.encoding.variable_encodings], self.codes.copy(order="F")
        for position, own in bins.items():
            encodings[position] = encodings[position].with_bins(own)
            codes[:, position] = own.codes(self.numbers[position])
        encoding = replace(self.encoding, variable_encodings=tuple(encodings))
        return replace(self, encoding=encoding, codes=codes)

    def filled(self, codes: StateCodes, numbers: Mapping[int, Floats] | None = None) -> Any:
        """Return the table with its missing cells filled.

        Parameters
        ----------
        codes : ndarray of int, shape (n_rows, n_variables)
            Codes of all cells; only those of missing cells are used, and -1 leaves them missing.
        numbers : mapping of int to ndarray of float64, optional
            Numbers of some binned variables by position, one per row, in place of their codes:
            only those of missing cells are used, and NaN leaves them missing. Numbers beyond the
            range that was observed become its ends; in a column of integers they are rounded.

        Returns
        -------
        table
            Same container, dtypes, states, index and columns as the table. Cells that were not
            missing are untouched; filled cells of binned variables hold the median of the bin, or
            a number of `numbers`. A column takes a wider dtype only if its own cannot hold the
            labels, such as text in a float column that was all NaN.
        """
        self.encoding.check_shape(codes, self.view.n_rows)
        positions = [position for position, column in enumerate(self.columns) if column >= 0]
        fill = partial(self._filled_column, codes, numbers or {})
        columns = map_in_threads(fill, positions, self.n_threads)
        return self.view.replaced(
            {
                self.columns[position]: column
                for position, column in zip(positions, columns, strict=True)
                if column is not None
            },
            self.n_threads,
        )

    def fills(
        self, codes: StateCodes, numbers: Mapping[int, Floats] | None = None
    ) -> list[ColumnFill]:
        """Return the missing cells of every variable with their contents, as `filled` has them."""
        self.encoding.check_shape(codes, self.view.n_rows)
        return [self._fill(codes, numbers or {}, at) for at in range(len(self.columns))]

    def _filled_column(
        self, codes: StateCodes, numbers: Mapping[int, Floats], position: int
    ) -> Any | None:
        """Return the column of a variable with its missing cells filled; None if it has none."""
        where, own, labels = self._fill(codes, numbers, position)
        if not where.any():
            return None
        return self.view.filled(self.columns[position], where, own, self._spelled(position, labels))

    def _fill(self, codes: StateCodes, numbers: Mapping[int, Floats], position: int) -> ColumnFill:
        own = self.encoding.variable_encodings[position]
        own.check_codes(codes[:, position])
        is_missing = self.codes[:, position] < 0
        if self.is_unknown is not None:
            is_missing &= ~self.is_unknown[:, position]
        if position in numbers:
            return self._number_fill(position, is_missing, numbers[position])
        is_missing &= codes[:, position] >= 0
        return ColumnFill(is_missing, codes[:, position], own.cell_labels)

    def _number_fill(self, position: int, is_missing: Mask, numbers: Floats) -> ColumnFill:
        own = self.encoding.variable_encodings[position]
        if numbers.shape != is_missing.shape:
            raise ValueError(
                f"numbers of {own.name!r} must be one per row, {len(is_missing):,}; got the shape "
                f"{numbers.shape}."
            )
        codes, labels = own.number_codes(np.where(is_missing, numbers, np.nan))
        return ColumnFill(codes >= 0, codes, labels)

    def _spelled(self, position: int, labels: Sequence[Any]) -> Sequence[Any]:
        """Return contents of a column as it spells them."""
        if position not in self.texts:
            return labels
        return labels_like(labels, example_of(self.texts[position]))


def open_table(
    table: Table | TableView,
    encoding: TableEncoding | None = None,
    *,
    n_bins: BinNumber = N_BINS,
    handle_unknown: UnknownPolicy = "error",
    missing_values: Any = np.nan,
    missing_words: Iterable[str] | None = DEFAULT_MISSING_VALUES,
    ignore: Collection[Hashable] = (),
    masked: Collection[Hashable] = (),
    is_partial: bool = False,
    may_be_empty: bool = False,
    sample_weight: Weights | None = None,
    integers: IntegerRule = FEW_INTEGERS,
    n_jobs: int | None = 1,
) -> OpenedTable:
    """Open a table: its cells as codes of states, which are found in it unless they are given.

    Parameters
    ----------
    table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
        Rows are data points, columns are variables. NaN, None, pd.NA, NaT, null and masked cells
        are missing.
    encoding : TableEncoding, optional
        States of the variables. Columns are matched by name, in an array by position. Cells of a
        text file that spell a state become it.
    n_bins : int, "auto" or "error", default=5
        Without an encoding: the bins of equal numbers of rows that numeric variables are cut into,
        which are those with non-integer numbers or with integers of more than 20 distinct values;
        or "error" to refuse them. "auto" is for `learning.bin_choice`; it counts as 5 here.
    handle_unknown : {"error", "missing"}, default="error"
        With an encoding: refuse states that a variable does not have, or take them as missing.
    missing_values : scalar or list, default=np.nan
        Values that are missing too.
    missing_words : iterable of str, optional
        Words that mean missing in cells of text, beside the empty cell. By default those of the
        encoding, but for the states of a variable, or else the usual ones.
    ignore : collection of names, optional
        Columns that are no variables. So is an index without a name, such as "Unnamed: 0".
    masked : collection of variables, optional
        Variables whose cells are missing, whatever the table holds; it may lack them.
    is_partial : bool, default=False
        Whether the table may lack variables, whose cells are then missing, and may have other
        columns, which are ignored. An array needs a column per variable in any case.
    may_be_empty : bool, default=False
        Whether a table in memory may have no rows.
    sample_weight : sequence of float, optional
        Without an encoding: weights of the rows. Bins are those of rows that are repeated as often.
    integers : IntegerRule
        Without an encoding: columns of integers that are states, not numbers.
    n_jobs : int or None, default=1
        Threads that read columns side by side, and later fill them.

    Returns
    -------
    OpenedTable
        The table and its codes.

    Raises
    ------
    TableError
        If the table has no rows or no variables, two variables of one name, or columns that do
        not match the encoding; without an encoding also if a variable has infinite numbers or more
        than 65,535 states, or numeric variables are refused.
    UnknownStateError
        If a cell holds a state that its variable does not have; rows count from 0, and the
        index of a pandas frame is named if it differs.

    Warns
    -----
    DiscretizationWarning
        If numeric variables were cut into bins.
    IdentifierWarning
        If a variable has more than 1000 states, or a different state in each of two or more rows;
        with missing cells, only observed cells count, and there must be more than 20. Also text
        with fewer than two of more than 20 rows per state, and more than 10 dates. Bins do not
        count as states.
    IgnoredColumnWarning
        If an index without a name was left out.
    MixedColumnWarning
        If at least 95 % of the observed cells of a variable are numbers, or half of them if there
        are more than 20 different numbers, and at most 5 words are the rest.

    Examples
    --------
    >>> opened = open_table(np.array([["b", 1], ["a", None], ["a", 1]], dtype=object))
    >>> opened.encoding.variables
    ('x0', 'x1')
    >>> opened.codes
    array([[ 1,  0],
           [ 0, -1],
           [ 0,  0]], dtype=int32)
    """
    check_bin_number(n_bins)
    one_of("handle_unknown", handle_unknown, UNKNOWN_POLICIES)
    view = open_view(
        table, encoding, missing_words=missing_words, may_be_empty=may_be_empty, n_jobs=n_jobs
    )
    n_threads = useful_threads(n_jobs, view.n_rows * len(view.names))
    words = _checked_words(missing_words, encoding)
    marks = MissingMarks(named_values(missing_values), words, _are_usual(missing_words))
    if encoding is None:
        columns = learned_columns(view, ignore)
        n_own = n_bins if isinstance(n_bins, int) else N_BINS
        weights = None if sample_weight is None else checked_weights(sample_weight, view.n_rows)
        opened, words_of = fit_table(
            view, columns, marks, n_own, weights=weights, n_threads=n_threads, integers=integers
        )
        report_bins(opened.encoding.variable_encodings, n_bins)
        report_mixed(words_of)
        report_identifiers(opened.encoding.variable_encodings, opened.codes, words_of)
        return opened
    columns = _column_positions(view, encoding.variables, masked, ignore, is_partial=is_partial)
    texts: dict[int, Sequence[str]] = {}
    codes = np.empty((view.n_rows, len(columns)), dtype=np.int32, order="F")
    index = view.native.index if isinstance(view.native, pd.DataFrame) else None
    numbers: dict[int, Floats] = {}

    def read(position: int) -> None:
        column, own = columns[position], encoding.variable_encodings[position]
        cells: Cells = LabelCells(codes[:, position], [])  # all missing
        if column >= 0 and own.name not in masked:
            masked_cells = marks.mask(own.name, view.cells(column), own.states)
            if own_texts := texts_of(masked_cells):
                texts[position] = own_texts
            cells = spelled_cells(masked_cells, own)
            codes[:, position] = own.encode(cells, handle_unknown, index)
        else:
            codes[:, position] = -1
        if own.bins is not None:
            numbers[position] = own.numbers(cells, codes[:, position])

    map_in_threads(read, range(len(columns)), n_threads)
    is_unknown = codes == UNKNOWN if handle_unknown == "missing" else None
    if is_unknown is not None:
        codes[is_unknown] = -1
    return OpenedTable(
        view,
        encoding,
        codes,
        columns,
        is_unknown,
        dict(sorted(numbers.items())),
        texts,
        n_threads=n_threads,
    )


def open_view(
    table: Table | TableView,
    encoding: TableEncoding | None = None,
    *,
    missing_words: Iterable[str] | None = DEFAULT_MISSING_VALUES,
    may_be_empty: bool = False,
    keeps_texts: bool = False,
    n_jobs: int | None = 1,
) -> TableView:
    """Return a table as named columns; the arguments are those of `open_table` and `open_file`."""
    if isinstance(table, TableView):
        return table
    if not isinstance(table, (str, os.PathLike)):
        return view_table(table, may_be_empty=may_be_empty, n_threads=thread_count(n_jobs))
    words = _checked_words(missing_words, encoding)
    states = None if encoding is None else _known_states(encoding, missing_words)
    view = open_file(table, words, states, keeps_texts=keeps_texts)
    if encoding is not None:
        view = view.renamed(encoding.variables_spelled(view.names))
    if not view.n_rows:
        raise TableError(f"{table}: the table has no rows. Give one with at least one row.")
    view.check()
    return view


def useful_threads(n_jobs: int | None, n_cells: int) -> int:
    """Return the threads that pay for so many cells."""
    return min(thread_count(n_jobs), 1 + n_cells // MIN_CELLS_PER_THREAD)


def check_columns(absent: Sequence[Hashable], extra: Sequence[Hashable]) -> None:
    """Refuse a table with absent variables or extra columns."""
    if not absent and not extra:
        return
    lacks = [f"lacks the variables {quoted(absent)}"] * bool(absent)
    holds = [f"holds the unknown variables {quoted(extra)}"] * bool(extra)
    advice = ["Drop or rename unknown variables."] * bool(extra)
    advice += ["Add a column for each; its cells may be missing."] * bool(absent)
    raise TableError(f"The table {' and '.join(lacks + holds)}. {' '.join(advice)}")


def _are_usual(words: Any) -> bool:
    return words is None or words is DEFAULT_MISSING_VALUES


def _known_states(encoding: TableEncoding, words: Any) -> KnownStates:
    """Return the states that cells of a file may spell, without words that were chosen."""
    states = encoding.known_states
    chosen = set() if _are_usual(words) else {*words}
    return {
        name: own and [state for state in own if state not in chosen]
        for name, own in states.items()
    }


def _checked_words(words: Any, encoding: TableEncoding | None) -> tuple[str, ...]:
    if encoding is not None and _are_usual(words):
        return encoding.missing_values
    if isinstance(words, str):
        raise ValueError(f"missing_values must be a list of words; got the text {words!r}.")
    checked = tuple(words) if isinstance(words, Iterable) else (None,)
    if not all(isinstance(word, str) for word in checked):
        raise ValueError(f"missing_values must be a list of words; got {shortened(words)}.")
    return checked


def _column_positions(
    view: TableView,
    variables: Sequence[Hashable],
    masked: Collection[Hashable],
    ignore: Collection[Hashable],
    *,
    is_partial: bool,
) -> Sequence[int]:
    """Return the column of every variable; -1 for an absent one."""
    if isinstance(view, NumpyView):
        return _array_positions(len(view.names), variables, masked)
    columns = {name: column for column, name in enumerate(view.names)}
    if not is_partial:
        known = set(variables)
        check_columns(
            [name for name in variables if name not in columns and name not in masked],
            [
                view.names[i]
                for i in known_columns(view, known, ignore)
                if view.names[i] not in known
            ],
        )
    elif columns.keys().isdisjoint(variables):
        raise TableError(
            f"The table has no column that is a variable of the network: its columns are "
            f"{quoted(view.names)}, the variables {quoted(variables)}. Rename the columns."
        )
    return [columns.get(name, -1) for name in variables]


def _array_positions(
    n_columns: int, variables: Sequence[Hashable], masked: Collection[Hashable]
) -> Sequence[int]:
    """Return the column of every variable in an array, by position."""
    if n_columns == len(variables):
        return range(n_columns)
    shown = [name for name in variables if name not in masked]
    if not shown or n_columns != len(shown):
        raise TableError(
            f"The array has {pluralize(n_columns, 'column')}; there are "
            f"{pluralize(len(variables), 'variable')}: {quoted(variables)}. Give a "
            "column for each, in this order."
        )
    columns = {name: column for column, name in enumerate(shown)}
    return [columns.get(name, -1) for name in variables]


def fit_table(
    view: TableView,
    columns: Sequence[int],
    marks: MissingMarks,
    n_bins: int,
    *,
    weights: Floats | None = None,
    n_threads: int = 1,
    **options: Any,
) -> tuple[OpenedTable, Mapping[Hashable, Mapping[Hashable, int]]]:
    """Open a table whose states are found in it: declared ones in order, others sorted.

    The options are those of `fit_variable`. The words among numbers are returned too, by variable.
    """
    numbers: dict[int, Floats] = {}
    texts: dict[int, Sequence[str]] = {}
    codes = np.empty((view.n_rows, len(columns)), dtype=np.int32, order="F")

    def fit(position: int) -> tuple[VariableEncoding, Mapping[Hashable, int]]:
        column = columns[position]
        name, given = view.names[column], view.cells(column)
        cells = marks.mask(name, given)
        if own_texts := texts_of(cells):
            texts[position] = own_texts
        # Text between which a word stood for missing cells becomes what it spells, as in a file.
        typed = cells if cells is given else typed_cells(name, cells)
        dtype = view.dtype(column) if typed is cells else None
        own, codes[:, position] = fit_variable(
            name, dtype, typed, n_bins, weights=weights, **options
        )
        if own.bins is not None:
            numbers[position] = own.numbers(typed, codes[:, position])
        return own, words_among_numbers(typed)

    fitted = map_in_threads(fit, range(len(columns)), n_threads)
    encoding = TableEncoding(tuple(own for own, _ in fitted), view.layout, marks.words)
    opened = OpenedTable(
        view,
        encoding,
        codes,
        columns,
        numbers=dict(sorted(numbers.items())),
        texts=texts,
        weights=weights,
        n_threads=n_threads,
    )
    return opened, {own.name: words for own, words in fitted if words}
