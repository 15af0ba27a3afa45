"""Tables of labels to tables of state codes and back: the only place that knows both."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree.messages.arguments import one_of
from baytree.messages.suggestions import unknown_variable
from baytree.tables.bins import Bins
from baytree.tables.column_matching import column_positions
from baytree.tables.columns import Array, Mask, object_array, to_python_scalar
from baytree.tables.containers import Table, TableLayout, TableView, view_table
from baytree.tables.containers.pandas_tables import PandasLayout
from baytree.tables.files.table_files import read_table
from baytree.tables.missing_words import DEFAULT_MISSING_VALUES
from baytree.tables.variable_encoding import UnknownPolicy, VariableEncoding

StateCodes: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class TableEncoding:
    """States of every variable of a table, and how to get from labels to codes and back.

    Made by `encode_states`. Two labels mean the same state when they are equal numbers, whatever
    their type, or when they are equal and neither is a number: 1 and 1.0 are one state; 1, True
    and "1" are three.

    Examples
    --------
    >>> import pandas as pd
    >>> from baytree.tables.fit_encoding import encode_states
    >>> table = pd.DataFrame({"smoker": ["yes", "no", None], "age": [30, 40, 30]})
    >>> encoding, codes = encode_states(table)
    >>> encoding.states("smoker")
    ('no', 'yes')
    >>> encoding.decode(codes[:1])
      smoker  age
    0    yes   30
    """

    variable_encodings: tuple[VariableEncoding, ...]
    _layout: TableLayout
    missing_values: tuple[str, ...] = DEFAULT_MISSING_VALUES

    @classmethod
    def from_states(cls, states: Mapping[Hashable, Sequence[Hashable]]) -> TableEncoding:
        """Return the encoding of variables whose states are given; it decodes to pandas frames.

        Parameters
        ----------
        states : mapping of variable to sequence of states
            States of every variable, in order.

        Returns
        -------
        TableEncoding
            Encoding with categorical columns; of objects where states are equal but not the same,
            as 1 and True.

        Examples
        --------
        >>> TableEncoding.from_states({"rain": ["no", "yes"]}).arities
        array([2], dtype=int32)
        """
        encodings = tuple(
            VariableEncoding(
                name, _state_dtype(labels), tuple(labels), tuple(labels), is_given=True
            )
            for name, labels in states.items()
        )
        return cls(encodings, PandasLayout())

    @cached_property
    def variables(self) -> tuple[Hashable, ...]:
        """Names of the variables, as the user has them."""
        return tuple(encoding.name for encoding in self.variable_encodings)

    @cached_property
    def arities(self) -> StateCodes:
        """Number of states of every variable, in an array that cannot be written."""
        arities = np.array(
            [len(encoding.states) for encoding in self.variable_encodings], dtype=np.int32
        )
        arities.setflags(write=False)
        return arities

    @cached_property
    def plain_states(self) -> dict[Hashable, tuple[Hashable, ...]]:
        """States of every variable, without types of NumPy."""
        return {name: tuple(map(to_python_scalar, self.states(name))) for name in self.variables}

    @cached_property
    def binned_variables(self) -> tuple[Hashable, ...]:
        """Names of the numeric variables that were cut into bins."""
        return tuple(
            encoding.name for encoding in self.variable_encodings if encoding.bins is not None
        )

    @cached_property
    def bins(self) -> dict[int, Bins]:
        """Bins of the numeric variables, by position."""
        encodings = enumerate(self.variable_encodings)
        return {position: own.bins for position, own in encodings if own.bins is not None}

    def with_bins(self, bins: Mapping[int, Bins]) -> TableEncoding:
        """Return the encoding with bins, whose names are the states, for some variables."""
        encodings = [*self.variable_encodings]
        for position, own in bins.items():
            encodings[position] = replace(
                encodings[position],
                dtype=None,
                states=own.labels,
                cell_labels=own.medians,
                bins=own,
            )
        return replace(self, variable_encodings=tuple(encodings))

    @cached_property
    def codes_by_type(self) -> dict[tuple[Hashable, type, Hashable], tuple[int, int]]:
        """Position and code by variable, type of a label and the label itself.

        The quick way for a label of the very type that the state has.
        """
        return {
            (own.name, type(state), state): (position, code)
            for position, own in enumerate(self.variable_encodings)
            for code, state in enumerate(own.states)
        }

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {name: position for position, name in enumerate(self.variables)}

    def position(self, variable: Hashable) -> int:
        """Return the position of a variable among all.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        int
            Position, from 0.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.

        Examples
        --------
        >>> TableEncoding.from_states({"rain": ["no", "yes"], "wet": ["no", "yes"]}).position("wet")
        1
        """
        if not isinstance(variable, Hashable) or variable not in self._positions:
            raise unknown_variable(variable, self.variables)
        return self._positions[variable]

    def states(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the labels of a variable's states, in the order of their codes.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Labels; intervals as text for a variable that was cut into bins.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.

        Examples
        --------
        >>> TableEncoding.from_states({"rain": ["no", "yes"]}).states("rain")
        ('no', 'yes')
        """
        return self.variable_encodings[self.position(variable)].states

    def code(self, variable: Hashable, state: Hashable) -> int:
        """Return the code of one state.

        Parameters
        ----------
        variable : hashable
            Name of the variable.
        state : hashable
            Label of the state, or a number inside the state of a binned variable.

        Returns
        -------
        int
            Code, from 0.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.
        UnknownStateError
            If the variable has no such state.

        Examples
        --------
        >>> TableEncoding.from_states({"rain": ["no", "yes"]}).code("rain", "yes")
        1
        """
        return self.variable_encodings[self.position(variable)].code(state)

    def encode(
        self,
        table: Table,
        *,
        handle_unknown: UnknownPolicy = "error",
        hidden: Collection[Hashable] = (),
        may_be_empty: bool = False,
        is_partial: bool = False,
    ) -> StateCodes:
        """Return the codes of new rows.

        Parameters
        ----------
        table : table or path
            Rows of the same variables, in any container. Columns are matched by name; a NumPy
            array has no names, its columns are matched by position.
        handle_unknown : {"error", "missing"}, default="error"
            What to do with a state that the variable does not have.
        hidden : collection of variables, optional
            Variables whose cells are missing, whatever the table holds; it may lack them.
        may_be_empty : bool, default=False
            Whether a table in memory may have no rows.
        is_partial : bool, default=False
            Whether the table may lack variables, which are missing in every row then, and hold
            columns that are no variables, which are ignored.

        Returns
        -------
        ndarray of int32, shape (n_rows, n_variables), Fortran order
            Codes, -1 where missing.

        Raises
        ------
        TableError
            If a variable is missing or one too many is there, or there are no rows.
        UnknownStateError
            If a cell holds a state that its variable does not have; rows count from 0.

        Examples
        --------
        >>> import pandas as pd
        >>> encoding = TableEncoding.from_states({"rain": ["no", "yes"]})
        >>> encoding.encode(pd.DataFrame({"rain": ["yes", None, "no"]})).ravel()
        array([ 1, -1,  0], dtype=int32)
        """
        one_of("handle_unknown", handle_unknown, ("error", "missing"))
        view = self._view(table, may_be_empty=may_be_empty)
        codes = np.empty((view.n_rows, len(self.variable_encodings)), dtype=np.int32, order="F")
        columns = column_positions(view, self.variables, hidden, is_partial=is_partial)
        for position, encoding in enumerate(self.variable_encodings):
            if encoding.name in hidden or columns[position] < 0:
                codes[:, position] = -1
            else:
                cells = view.cells(columns[position])
                codes[:, position] = encoding.encode(cells, handle_unknown)
        return codes

    def decode(self, codes: StateCodes, *, like: Any = None) -> Any:
        """Return a table of the labels that codes stand for.

        Parameters
        ----------
        codes : ndarray of int, shape (n_rows, n_variables)
            Codes, -1 where missing.
        like : table, optional
            A pandas frame with the row index to use.

        Returns
        -------
        table
            Same container, variables, dtypes and states as the table that was encoded; a pandas
            frame if that was a file. Binned variables get the medians of their bins. A NumPy
            dtype that cannot hold a missing value gives way to float64 (integers) or object.

        Examples
        --------
        >>> import numpy as np
        >>> TableEncoding.from_states({"rain": ["no", "yes"]}).decode(np.array([[1], [-1]]))
          rain
        0  yes
        1  NaN
        """
        self._check_codes(codes, len(codes))
        columns = [
            self._layout.column(codes[:, position], encoding.cell_labels, encoding.dtype)
            for position, encoding in enumerate(self.variable_encodings)
        ]
        return self._layout.table(self.variables, columns, like)

    def decode_frame(self, codes: StateCodes) -> pd.DataFrame:
        """Return a pandas frame of the labels that codes stand for, whatever was encoded.

        Parameters
        ----------
        codes : ndarray of int, shape (n_rows, n_variables)
            Codes, of which none is missing.

        Returns
        -------
        DataFrame
            With the dtypes of the table that was encoded if that was a pandas frame.

        Examples
        --------
        >>> import numpy as np
        >>> TableEncoding.from_states({"rain": ["no", "yes"]}).decode_frame(np.array([[1]]))
          rain
        0  yes
        """
        if isinstance(self._layout, PandasLayout):
            frame: pd.DataFrame = self.decode(codes)
            return frame
        self._check_codes(codes, len(codes))
        columns = [
            pd.Index(list(encoding.cell_labels), tupleize_cols=False).take(codes[:, position]).array
            for position, encoding in enumerate(self.variable_encodings)
        ]
        return PandasLayout().table(self.variables, columns)

    def fill(
        self,
        table: Table,
        codes: StateCodes,
        *,
        where: Mask | None = None,
        is_partial: bool = False,
    ) -> Any:
        """Return a table with its missing cells filled from codes.

        Parameters
        ----------
        table : table or path
            Rows of the same variables, in any container.
        codes : ndarray of int, shape (n_rows, n_variables)
            Codes of all cells; only those of missing cells are used, and -1 leaves them missing.
        where : ndarray of bool, shape (n_rows, n_variables), optional
            Which cells are missing, where that is not for the table to say.
        is_partial : bool, default=False
            Whether the table may lack variables and hold other columns, as in `encode`.

        Returns
        -------
        table
            Same container, dtypes, states, index and order of columns as `table`. Cells that were
            not missing are untouched; filled cells of binned variables hold the median of the bin.
            A column takes a wider dtype only if its own cannot hold the labels, such as text in
            a float column that was all NaN.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> encoding = TableEncoding.from_states({"rain": ["no", "yes"]})
        >>> encoding.fill(pd.DataFrame({"rain": [None, "no"]}), np.array([[1], [1]]))
          rain
        0  yes
        1   no
        """
        view = self._view(table, may_be_empty=True)
        self._check_codes(codes, view.n_rows)
        filled = {}
        columns = column_positions(view, self.variables, is_partial=is_partial)
        for position, column in enumerate(columns):
            if column < 0:
                continue
            is_missing = view.is_missing(column) if where is None else where[:, position]
            is_filled = is_missing & (codes[:, position] >= 0)
            if is_filled.any():
                labels = self.variable_encodings[position].cell_labels
                filled[column] = view.filled(column, is_filled, codes[:, position], labels)
        return view.replaced(filled)

    def column_positions(self, table: Any) -> Sequence[int]:
        """Return where each variable stands in a table.

        Parameters
        ----------
        table : table
            Rows of the same variables.

        Returns
        -------
        sequence of int
            Positions of columns.

        Examples
        --------
        >>> encoding = TableEncoding.from_states({"rain": ["no", "yes"], "wet": ["no", "yes"]})
        >>> encoding.column_positions(pd.DataFrame({"wet": ["no"], "rain": ["no"]}))
        [1, 0]
        """
        return column_positions(view_table(table), self.variables)

    def restricted(self, positions: Sequence[int]) -> TableEncoding:
        """Return the encoding of some of the variables; it decodes to pandas frames.

        Parameters
        ----------
        positions : sequence of int
            Positions of the variables to keep, in order.

        Returns
        -------
        TableEncoding
            Same states and dtypes.

        Examples
        --------
        >>> encoding = TableEncoding.from_states({"rain": ["no", "yes"], "wet": ["no", "yes"]})
        >>> encoding.restricted([1]).variables
        ('wet',)
        """
        kept = tuple(self.variable_encodings[position] for position in positions)
        if not isinstance(self._layout, PandasLayout):
            kept = tuple(replace(encoding, dtype=None) for encoding in kept)
        return TableEncoding(kept, PandasLayout(), self.missing_values)

    def __repr__(self) -> str:
        """Say how many variables and states there are."""
        n_states = int(self.arities.sum())
        return (
            f"TableEncoding({len(self.variables):,} variables, {n_states:,} states, "
            f"{self._layout.kind})"
        )

    def _view(self, table: Any, *, may_be_empty: bool) -> TableView:
        if isinstance(table, (str, os.PathLike)):
            return view_table(self.read(table))  # a file without rows is a mistake
        return view_table(table, may_be_empty=may_be_empty)

    def read(self, path: str | os.PathLike[str]) -> pd.DataFrame:
        r"""Return the table in a file, in which cells may spell the states that are known.

        Parameters
        ----------
        path : str or path
            File of the same variables.

        Returns
        -------
        DataFrame
            The table.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> encoding = TableEncoding.from_states({"rain": [True, False]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "rain.csv"
        ...     _ = path.write_text("rain\nTrue\n?\n")
        ...     encoding.read(path)["rain"].tolist()
        [True, None]
        """
        known = {
            encoding.name: encoding.states
            for encoding in self.variable_encodings
            if encoding.bins is None and encoding.states
        }
        return read_table(path, missing_values=self.missing_values, known_states=known)

    def _check_codes(self, codes: Array, n_rows: int) -> None:
        if codes.shape != (n_rows, len(self.variables)):
            raise ValueError(
                f"codes must have the shape ({n_rows}, {len(self.variables)}); got {codes.shape}."
            )
        too_high = np.flatnonzero(codes.max(axis=0, initial=-1) >= self.arities)
        if len(too_high):
            encoding = self.variable_encodings[too_high[0]]
            raise ValueError(
                f"codes of variable {encoding.name!r} must be below {len(encoding.states)}, its "
                f"number of states; got {codes[:, too_high[0]].max()}."
            )


def _state_dtype(labels: Sequence[Hashable]) -> Any:
    has_missing = bool(pd.isna(object_array(labels)).any())
    is_distinct = len(set(labels)) == len(labels)
    can_be_categories = is_distinct and not has_missing
    return pd.CategoricalDtype(list(labels)) if can_be_categories else np.dtype(object)
