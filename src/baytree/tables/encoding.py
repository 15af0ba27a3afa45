"""States of the variables of a table, and tables decoded from state codes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from baytree.messages.suggestions import unknown_variable
from baytree.tables.bin_contents import Floats
from baytree.tables.bins import Bins
from baytree.tables.columns import Array, StateCodes, object_array, to_python_scalar
from baytree.tables.containers import TableLayout
from baytree.tables.containers.pandas_tables import PandasLayout
from baytree.tables.variable_encoding import VariableEncoding
from baytree.vocabulary import DEFAULT_MISSING_VALUES


@dataclass(frozen=True, eq=False, repr=False)
class TableEncoding:
    """States of every variable of a table.

    Made by `open_table`. Two labels mean the same state when they are equal numbers, whatever
    their type, or when they are equal and neither is a number: 1 and 1.0 are one state; 1, True
    and "1" are three.
    """

    variable_encodings: tuple[VariableEncoding, ...]
    _layout: TableLayout
    missing_values: tuple[str, ...] = DEFAULT_MISSING_VALUES

    @classmethod
    def from_states(cls, states: Mapping[Hashable, Sequence[Hashable]]) -> TableEncoding:
        """Return the encoding of given states; it decodes to pandas frames.

        Columns are categorical, but of objects where states are equal and not the same, as 1 and
        True.
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
        """Names of the variables."""
        return tuple(encoding.name for encoding in self.variable_encodings)

    @cached_property
    def arities(self) -> StateCodes:
        """Number of states of every variable, read-only."""
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
        """Bins of the numeric variables, by position; medians are as they are in cells."""
        encodings = enumerate(self.variable_encodings)
        return {
            position: replace(own.bins, medians=own.cell_labels)
            for position, own in encodings
            if own.bins is not None
        }

    def with_bins(self, bins: Mapping[int, Bins]) -> TableEncoding:
        """Return the encoding with bins as the states of some variables, by position."""
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
        """Position and code by variable, type of a label and label, for quick look-up."""
        return {
            (own.name, type(state), state): (position, code)
            for position, own in enumerate(self.variable_encodings)
            for code, state in enumerate(own.states)
        }

    @cached_property
    def known_states(self) -> dict[str, tuple[Hashable, ...] | None]:
        """States that cells of a text file may spell, by name; None for a numeric variable."""
        return {
            str(own.name): own.states if own.bins is None else None
            for own in self.variable_encodings
        }

    def variables_spelled(self, names: Sequence[Hashable]) -> list[Hashable]:
        """Replace texts by the variables whose names they spell."""
        name_of = {str(name): name for name in self.variables}
        return [name_of.get(str(name), name) for name in names]

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {name: position for position, name in enumerate(self.variables)}

    def position(self, variable: Hashable) -> int:
        """Return the position of a variable; raise UnknownVariableError."""
        if not isinstance(variable, Hashable) or variable not in self._positions:
            raise unknown_variable(variable, self.variables)
        return self._positions[variable]

    def states(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the labels of a variable's states, in the order of their codes."""
        return self.variable_encodings[self.position(variable)].states

    def code(self, variable: Hashable, state: Hashable) -> int:
        """Return the code of a state, or of the bin of a number; raise UnknownStateError."""
        return self.variable_encodings[self.position(variable)].code(state)

    def decode(
        self,
        codes: StateCodes,
        *,
        numbers: Mapping[int, Floats] | None = None,
        like: Any = None,
    ) -> Any:
        """Return the table that codes stand for, with the container and dtypes that were encoded.

        Code -1 is a missing cell; a NumPy dtype without a missing value gives way to one that has
        it. Binned variables get the medians of their bins, or the `numbers` at their position. A
        pandas frame gets the index of `like`.
        """
        columns = [
            self._layout.column(*cells, encoding.dtype)
            for cells, encoding in zip(
                self._cells(codes, numbers), self.variable_encodings, strict=True
            )
        ]
        return self._layout.table(self.variables, columns, like)

    def decode_frame(
        self, codes: StateCodes, numbers: Mapping[int, Floats] | None = None
    ) -> pd.DataFrame:
        """Return a pandas frame that codes, none of them missing, stand for, as `decode` does."""
        if isinstance(self._layout, PandasLayout):
            frame: pd.DataFrame = self.decode(codes, numbers=numbers)
            return frame
        columns = [
            pd.Index(list(labels), tupleize_cols=False).take(own).array
            for own, labels in self._cells(codes, numbers)
        ]
        return PandasLayout().table(self.variables, columns)

    def _cells(
        self, codes: StateCodes, numbers: Mapping[int, Floats] | None
    ) -> Iterator[tuple[StateCodes, Sequence[Any]]]:
        """Yield the cells of every variable, as codes and labels."""
        self.check_shape(codes, len(codes))
        for position, encoding in enumerate(self.variable_encodings):
            encoding.check_codes(codes[:, position])
            if numbers is not None and position in numbers:
                yield encoding.number_codes(numbers[position])
            else:
                yield codes[:, position], encoding.cell_labels

    def restricted(self, positions: Sequence[int]) -> TableEncoding:
        """Return the encoding of the variables at some positions; it decodes to pandas frames."""
        kept = tuple(self.variable_encodings[position] for position in positions)
        if not isinstance(self._layout, PandasLayout):
            kept = tuple(replace(encoding, dtype=None) for encoding in kept)
        return TableEncoding(kept, PandasLayout(), self.missing_values)

    def __repr__(self) -> str:
        """Return the numbers of variables and states, and the container."""
        n_states = int(self.arities.sum())
        return (
            f"TableEncoding({len(self.variables):,} variables, {n_states:,} states, "
            f"{self._layout.kind})"
        )

    def check_shape(self, codes: Array, n_rows: int) -> None:
        """Refuse codes of another shape."""
        if codes.shape != (n_rows, len(self.variables)):
            raise ValueError(
                f"codes must have the shape ({n_rows}, {len(self.variables)}); got {codes.shape}."
            )


def _state_dtype(labels: Sequence[Hashable]) -> Any:
    has_missing = bool(pd.isna(object_array(labels)).any())
    is_distinct = len(set(labels)) == len(labels)
    can_be_categories = is_distinct and not has_missing
    return pd.CategoricalDtype(list(labels)) if can_be_categories else np.dtype(object)
