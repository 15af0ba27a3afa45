"""States of one variable and the code of every cell."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from baytree.exceptions import UnknownStateError
from baytree.messages.arguments import integer_at_least, is_number, quoted_words
from baytree.messages.suggestions import among
from baytree.tables.bin_contents import Floats
from baytree.tables.bins import Bins, BinStrategy, fit_bins
from baytree.tables.columns import (
    MAX_EXACT_INTEGER,
    Array,
    Cells,
    LabelCells,
    NumberCells,
    StateCodes,
    label_key,
    to_python_scalar,
)
from baytree.vocabulary import BIN_CHOICES

MAX_SURE_STATES = 2  # such as 0 and 1, in any number of rows
N_BINS = 5  # of variables whose bins are not chosen
UnknownPolicy: TypeAlias = Literal["error", "missing"]
BinChoice: TypeAlias = Literal["auto", "error"]
BinNumber: TypeAlias = int | BinChoice

MAX_RANGE = 10_000  # integers that are matched by their value are no further apart
_LOST_BINS = (
    " The states are names of bins without the bins, as files other than .json hold them. Name a "
    "bin, or read the network from a .json file, which keeps the bins."
)
UNKNOWN = -2  # the code of a state that the variable does not have


class IntegerRule(NamedTuple):
    """Integers of a column are states if they are few, and frequent enough; else numbers."""

    max_states: int
    min_rows_per_state: int = 1


FEW_INTEGERS = IntegerRule(20)


def check_bin_number(n_bins: object) -> None:
    """Refuse a number of bins below 2, and words other than those that stand for one."""
    if isinstance(n_bins, str):
        if n_bins not in BIN_CHOICES:
            words = quoted_words(BIN_CHOICES)
            raise ValueError(f"n_bins must be an integer, or one of {words}; got {n_bins!r}.")
    else:
        integer_at_least("n_bins", n_bins, 2)


@dataclass(frozen=True)
class VariableEncoding:
    """States of one variable, in the order of their codes.

    `cell_labels` are the contents of decoded cells: the states, or the medians of bins. `is_given`
    tells given states from those found in a table.
    """

    name: Hashable
    dtype: Any
    states: tuple[Hashable, ...]
    cell_labels: tuple[Any, ...]
    bins: Bins | None = None
    is_given: bool = False

    @cached_property
    def _code_of(self) -> dict[Hashable, int]:
        return {label_key(state): code for code, state in enumerate(self.states)}

    def code(self, state: Hashable) -> int:
        """Return the code of one state, or of the bin that holds a number."""
        code = self._code_or_unknown(state)
        if code < 0:
            raise UnknownStateError(self._unknown_state(state))
        return code

    def _code_or_unknown(self, state: Hashable) -> int:
        code = self._code_of.get(label_key(state), UNKNOWN)
        if code == UNKNOWN and self.bins is not None and _is_finite_number(state):
            code = int(self.bins.codes(np.array([state], dtype=np.float64))[0])
        return code

    def encode(
        self, cells: Cells, handle_unknown: UnknownPolicy, index: pd.Index[Any] | None = None
    ) -> StateCodes:
        """Return the codes of cells; unknown states are refused, or get the code UNKNOWN.

        `index` has the names of rows for the error.
        """
        if self.bins is not None and isinstance(cells, NumberCells):
            return self.bins.codes(cells.floats())
        if isinstance(cells, NumberCells) and (codes := self._codes_by_value(cells)) is not None:
            return codes
        labels = cells.as_labels() if isinstance(cells, NumberCells) else cells
        code_map = self._code_map(labels)
        codes = code_map[labels.codes]
        is_unknown = codes == UNKNOWN
        if handle_unknown == "error" and is_unknown.any():
            row = int(np.flatnonzero(is_unknown)[0])
            state = labels.labels[labels.codes[row]]
            raise UnknownStateError(self._unknown_state(state, _place(row, index)))
        return codes

    def check_codes(self, codes: Array) -> None:
        """Refuse codes that are too high."""
        highest = codes.max(initial=-1)
        if highest >= len(self.states):
            raise ValueError(
                f"codes of variable {self.name!r} must be below {len(self.states)}, its number of "
                f"states; got {highest}."
            )

    def numbers(self, cells: Cells, codes: StateCodes) -> Floats:
        """Return the numbers of a binned variable, NaN where missing; of a named bin, its mean."""
        if isinstance(cells, NumberCells) or self.bins is None:
            return cells.floats() if isinstance(cells, NumberCells) else np.full(len(codes), np.nan)
        means: Floats = np.r_[self.bins.means, np.nan]
        return means.take(np.maximum(codes, -1))

    @property
    def is_integer(self) -> bool:
        """Whether all states, or the numbers in all bins, are integers."""
        return all(type(label) is int for label in self.cell_labels)

    def with_bins(self, bins: Bins) -> VariableEncoding:
        """Return the encoding with other bins; integers keep integer medians."""
        labels = tuple(map(round, bins.medians)) if self.is_integer else bins.medians
        return replace(self, states=bins.labels, cell_labels=labels, bins=bins)

    def number_codes(self, numbers: Floats) -> tuple[StateCodes, Sequence[float]]:
        """Return cells that hold numbers, as codes and distinct labels; NaN has the code -1."""
        is_known = ~np.isnan(numbers)
        distinct, ranks = np.unique(numbers[is_known], return_inverse=True)
        codes = np.full(len(numbers), -1, dtype=np.int32)
        codes[is_known] = ranks
        return codes, self._in_cells(distinct)

    def _in_cells(self, numbers: Floats) -> Sequence[float]:
        """Return numbers in the range of the variable, rounded if it has integers."""
        is_numeric = bool(self.cell_labels) and (self.bins is not None or self.is_integer)
        if len(numbers) and not is_numeric:
            raise ValueError(
                f"Variable {self.name!r} held no numbers in fit, so that none can fill its cells. "
                "Give codes of its states."
            )
        edges = () if self.bins is None else self.bins.edges
        if not self.is_integer:
            clipped: list[float] = np.clip(numbers, edges[0], edges[-1]).tolist()
            return clipped
        is_exact = max(map(abs, edges), default=np.inf) <= MAX_EXACT_INTEGER
        ends = edges if is_exact else self.cell_labels
        low, high = int(min(ends)), int(max(ends))
        return [min(max(round(number), low), high) for number in numbers.tolist()]

    @cached_property
    def _small_integers(self) -> tuple[int, StateCodes] | None:
        """Lowest state, and the codes of all integers up to the highest; None if these are many."""
        keys = [label_key(state) for state in self.states]
        numbers = [key for key in keys if isinstance(key, (int, np.integer))]
        if not numbers or len(numbers) < len(keys) or max(numbers) - min(numbers) > MAX_RANGE:
            return None
        low = int(min(numbers))
        if low > MAX_EXACT_INTEGER:
            return None
        codes = np.full(int(max(numbers)) - low + 1, UNKNOWN, dtype=np.int32)
        codes[[int(number) - low for number in numbers]] = np.arange(len(numbers))
        return low, codes

    def _codes_by_value(self, cells: NumberCells) -> StateCodes | None:
        """Return the codes of integers by look-up; None if some may be unknown."""
        if self._small_integers is None or not cells.is_integer or not len(cells.numbers):
            return None
        low, code_of = self._small_integers
        is_incomplete = bool(cells.is_missing.any())
        numbers = np.where(cells.is_missing, low, cells.numbers) if is_incomplete else cells.numbers
        if numbers.min() < low or numbers.max() >= low + len(code_of):
            return None
        places = numbers if low == 0 else numbers.astype(np.int64) - low
        codes: StateCodes = code_of[places]
        if is_incomplete:
            codes[cells.is_missing] = -1
        return None if len(self.states) < len(code_of) and UNKNOWN in codes else codes

    def _code_map(self, cells: LabelCells) -> StateCodes:
        """Return the codes of the labels, followed by -1 for missing cells."""
        codes = [self._code_or_unknown(label) for label in cells.labels]
        return np.array([*codes, -1], dtype=np.int32)

    def lost_bins_hint(self, state: object) -> str:
        """Return a hint for a number where a file has kept the names of bins alone."""
        is_lost = self.is_given and is_number(state) and all(map(_is_interval, self.states))
        return _LOST_BINS * is_lost

    def _unknown_state(self, state: Hashable, where: str = "") -> str:
        if self.bins is not None:
            return (
                f"Variable {self.name!r} has {state!r}{where}, which is no number. It held numbers "
                "in fit, and was cut into bins: convert the cells to numbers, as by "
                "pandas.to_numeric, or name a bin "
                f"{among(state, self.states, limit=20)}"
            )
        if self.is_given:
            remedy = " Map it to one of them, or make the cell missing."
            return (
                f"Variable {self.name!r} has state {state!r}{where}, which is none of its states "
                f"{among(state, self.states, limit=20)}"
                f"{self.lost_bins_hint(state) or remedy}"
            )
        return (
            f"Variable {self.name!r} has state {state!r}{where}, which fit did not see "
            f"{among(state, self.states, limit=20)} Map it to a known state, or fit again on data "
            "that holds it."
        )


def fit_variable(
    name: Hashable,
    dtype: Any,
    cells: Cells,
    n_bins: int = N_BINS,
    *,
    strategy: BinStrategy = "quantile",
    integers: IntegerRule = FEW_INTEGERS,
    weights: Floats | None = None,
) -> tuple[VariableEncoding, StateCodes]:
    """Return the states of a variable and the codes of its cells; numeric cells are binned."""
    if isinstance(cells, NumberCells):
        labels = cells.as_labels() if cells.is_integer else None
        if labels is None or _are_numbers(labels, weights, integers):
            own = None if weights is None else weights[~cells.is_missing]
            bins = fit_bins(cells.observed(), n_bins, strategy, own)
            medians = bin_medians(bins, cells)
            encoding = VariableEncoding(name, dtype, bins.labels, medians, bins)
            return encoding, bins.codes(cells.floats())
        cells = labels
    states = tuple(cells.labels)
    return VariableEncoding(name, dtype, states, cell_labels=states), cells.codes


def _are_numbers(cells: LabelCells, weights: Floats | None, rule: IntegerRule) -> bool:
    """Return True if integers are too many or too rare to be states; rows of no weight are out."""
    codes = cells.codes if weights is None else cells.codes[weights > 0]
    observed = codes[codes >= 0]
    n_states = len(cells.labels) if weights is None else len(np.unique(observed))
    is_rare = len(observed) < rule.min_rows_per_state * n_states
    return n_states > rule.max_states or (is_rare and n_states > MAX_SURE_STATES)


def bin_medians(bins: Bins, cells: NumberCells) -> tuple[float, ...]:
    """Return the medians of the bins, rounded to integers where the cells are integers."""
    if not cells.is_integer or not bins.medians:
        return bins.medians
    observed = cells.observed()
    low, high = int(observed.min()), int(observed.max())  # int64 ends between two floats
    return tuple(min(max(round(median), low), high) for median in bins.medians)


def _place(row: int, index: pd.Index[Any] | None) -> str:
    """Return the place of a row, by position and by its label if that is another."""
    label = row if index is None else to_python_scalar(index[row])
    is_position = isinstance(label, int) and label == row
    return f" in row {row}" if is_position else f" in row {row} (index {label!r})"


def _is_interval(state: Hashable) -> bool:
    return isinstance(state, str) and state[:1] in "[(" and state[-1:] == "]" and ", " in state


def _is_finite_number(state: Hashable) -> bool:
    try:
        return is_number(state) and isfinite(state)
    except OverflowError:  # an integer beyond all floats
        return False
