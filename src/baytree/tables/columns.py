"""Cells of one variable, independent of the container: numbers, or codes of labels."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree.exceptions import TableError

Mask: TypeAlias = npt.NDArray[np.bool_]
Array: TypeAlias = npt.NDArray[Any]
StateCodes: TypeAlias = npt.NDArray[np.int32]

MAX_EXACT_INTEGER = 2**53  # larger floats need not be the integers that they look like
# What pandas calls object arrays whose cells are all of one kind, so that equal means same state.
_UNIFORM_KINDS = {"string", "boolean", "date", "datetime", "datetime64", "timedelta", "time"}
_NUMBER_KINDS = {"integer", "floating", "mixed-integer-float"}


@dataclass(frozen=True)
class LabelCells:
    """Codes of the cells, -1 where missing, and the labels that the codes stand for.

    Declared labels are states even where no cell holds them.
    """

    codes: StateCodes
    labels: list[Hashable]
    is_declared: bool = False

    @property
    def is_missing(self) -> Mask:
        """Mask of missing cells."""
        return self.codes < 0


@dataclass(frozen=True)
class NumberCells:
    """Numbers of the cells, finite where not missing: int64, uint64, or float64 with fractions."""

    numbers: Array
    is_missing: Mask

    @property
    def is_integer(self) -> bool:
        """Whether the numbers are integers."""
        return self.numbers.dtype.kind in "iu"

    def observed(self) -> Array:
        """Return the numbers that are not missing."""
        return self.numbers[~self.is_missing] if self.is_missing.any() else self.numbers

    def floats(self) -> Array:
        """Return all numbers as floats, NaN where missing."""
        floats = self.numbers.astype(np.float64)
        floats[self.is_missing] = np.nan
        return floats

    def as_labels(self) -> LabelCells:
        """Return the same cells as codes of the distinct numbers, in increasing order."""
        observed_codes, labels = _factorize_numbers(self.observed())
        if len(observed_codes) == len(self.numbers):
            return LabelCells(observed_codes, labels)
        codes = np.full(len(self.numbers), -1, dtype=np.int32)
        codes[~self.is_missing] = observed_codes
        return LabelCells(codes, labels)


Cells: TypeAlias = LabelCells | NumberCells


def array_cells(name: Hashable, values: Array, is_missing: Mask | None = None) -> Cells:
    """Return the cells of a one-dimensional NumPy array."""
    kind = values.dtype.kind
    if kind == "b":
        return _bool_cells(values, is_missing)
    if kind in "iu":
        missing = np.zeros(len(values), dtype=bool) if is_missing is None else is_missing
        return NumberCells(values, missing)
    if kind == "f":
        return _float_cells(name, values, is_missing)
    if kind in "mM":
        return _datetime_cells(values, is_missing)
    if kind in "OSUT":
        return object_cells(name, values.astype(object, copy=False), is_missing)
    problem = "Complex data not supported: variable" if kind == "c" else "Variable"
    raise TableError(
        f"{problem} {name!r} has cells of type {values.dtype}, which cannot be states. "
        "Convert it to text, integers or a categorical dtype."
    )


def object_cells(name: Hashable, values: Array, is_missing: Mask | None = None) -> Cells:
    """Return the cells of an object array, in which None, NaN, pd.NA and NaT are missing."""
    if is_missing is not None and is_missing.any():
        values = values.copy()
        values[is_missing] = None
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind in _NUMBER_KINDS:
        numbers = _numbers_of_objects(values)
        if numbers is not None:
            return array_cells(name, *numbers)
    if kind in _UNIFORM_KINDS:
        codes, labels = pd.factorize(values)
        return sorted_cells(codes, list(labels))
    return _mixed_cells(name, values)


def coded_cells(codes: Array, labels: Iterable[Hashable]) -> LabelCells:
    """Return cells with declared states, in the order of declaration."""
    return LabelCells(codes.astype(np.int32, copy=False), list(labels), is_declared=True)


def sorted_cells(codes: Array, labels: Sequence[Hashable]) -> LabelCells:
    """Return cells with sorted states: numbers by value, text alphabetically."""
    order = _sorted_positions(labels)
    ranks = np.full(len(labels) + 1, -1, dtype=np.int32)  # the last one is reached by code -1
    ranks[order] = np.arange(len(labels), dtype=np.int32)
    return LabelCells(ranks[codes], [labels[i] for i in order])


def label_key(label: Hashable) -> Hashable:
    """Return a key that is equal for labels of the same state.

    Numbers are the same state when they are equal, whatever their type; True is not the number 1
    and "1" is text.
    """
    if isinstance(label, (bool, np.bool_)):
        return ("bool", bool(label))
    if isinstance(label, (np.datetime64, np.timedelta64)):
        return pd.Timestamp(label) if isinstance(label, np.datetime64) else pd.Timedelta(label)
    return label


def to_python_scalar(label: Any) -> Any:
    """Convert a NumPy scalar to the Python type; dates and other labels stay as they are."""
    is_plain = isinstance(label, (np.bool_, np.integer, np.floating, np.str_))
    return label.item() if is_plain else label


def is_missing_cell(cell: Any) -> bool:
    """Test a value for None, NaN, pd.NA and NaT, which are always missing."""
    return pd.api.types.is_scalar(cell) and bool(pd.isna(cell))


def object_array(items: Sequence[Any]) -> Array:
    """Return a one-dimensional object array; items may be sequences."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def check_kinds(converted: Sequence[Any], labels: Sequence[Any]) -> None:
    """Raise a TypeError if conversion to a dtype changed the kind of a label, as "1" to 1."""
    if any(_kind_name(a) != _kind_name(b) for a, b in zip(converted, labels, strict=True)):
        raise TypeError("the dtype does not hold these labels")


def _bool_cells(values: Array, is_missing: Mask | None) -> LabelCells:
    observed = values if is_missing is None else values[~is_missing]
    labels: list[Hashable] = [state for state in (False, True) if (observed == state).any()]
    codes = values.astype(np.int32) if len(labels) == 2 else np.zeros(len(values), dtype=np.int32)
    if is_missing is not None:
        codes[is_missing] = -1
    return LabelCells(codes, labels)


def _float_cells(name: Hashable, values: Array, is_missing: Mask | None) -> NumberCells:
    """Return float cells, as integers if all observed numbers are integral."""
    missing = np.isnan(values) if is_missing is None else is_missing | np.isnan(values)
    values = np.where(missing, 0.0, values).astype(np.float64, copy=False)
    is_infinite = np.isinf(values)
    if is_infinite.any():
        row = int(is_infinite.argmax())
        raise TableError(
            f"Variable {name!r} holds an infinite number in row {row} ({values[row]}). "
            "Mark such cells as missing, or cut the variable into bins first."
        )
    if (np.abs(values) <= MAX_EXACT_INTEGER).all():
        integers = values.astype(np.int64)
        if (integers == values).all():
            return NumberCells(integers, missing)
    return NumberCells(values, missing)


def _datetime_cells(values: Array, is_missing: Mask | None) -> LabelCells:
    codes, labels = pd.factorize(values)  # NaT gets -1
    if is_missing is not None:
        codes = np.where(is_missing, -1, codes)
        used = np.unique(codes[codes >= 0])
        codes, labels = _renumbered(codes, used, len(labels)), labels[used]
    return sorted_cells(codes, list(labels))


def _renumbered(codes: Array, used: Array, n_labels: int) -> Array:
    """Renumber codes of all labels as codes of the labels in use."""
    ranks = np.full(n_labels + 1, -1)
    ranks[used] = np.arange(len(used))
    return ranks[codes]


def _numbers_of_objects(values: Array) -> tuple[Array, Mask] | None:
    """Convert numeric objects to a numeric array and a mask; None if that would lose digits."""
    missing = pd.isna(values)
    present = values[~missing]
    is_whole = all(isinstance(number, (int, np.integer)) for number in present)
    try:
        numbers = present.astype(np.int64 if is_whole else np.float64)
    except (OverflowError, TypeError, ValueError):
        return None
    spread = np.zeros(len(values), dtype=numbers.dtype)
    spread[~missing] = numbers
    return spread, missing


def _mixed_cells(name: Hashable, values: Array) -> LabelCells:
    """Return the cells of an object array, compared one by one."""
    missing = pd.isna(values)
    code_of: dict[Hashable, int] = {}
    labels: list[Hashable] = []
    codes = np.full(len(values), -1, dtype=np.int32)
    for row in np.flatnonzero(~missing):
        label = values[row]
        try:
            code = code_of.setdefault(label_key(label), len(labels))
        except TypeError:
            raise TableError(
                f"Variable {name!r} holds a {type(label).__name__} in row {row} "
                f"({reprlib.repr(label)}), which cannot be a state. "
                "Convert the cells to text or integers."
            ) from None
        if code == len(labels):
            labels.append(label)
        codes[row] = code
    return sorted_cells(codes, labels)


def _factorize_numbers(numbers: Array) -> tuple[StateCodes, list[Hashable]]:
    """Return the rank of every number among the distinct numbers, and those in order."""
    if not len(numbers):
        return np.empty(0, dtype=np.int32), []
    if numbers.dtype.kind in "iu":
        low, high = int(numbers.min()), int(numbers.max())
        if high - low <= max(1000, len(numbers)):
            return _factorize_small_range(numbers, low, high)
    distinct = np.unique(pd.unique(numbers))
    return np.searchsorted(distinct, numbers).astype(np.int32), distinct.tolist()


def _factorize_small_range(
    numbers: Array, low: int, high: int
) -> tuple[StateCodes, list[Hashable]]:
    """Rank integers by a table over their range, without hashing or sorting."""
    if numbers.dtype.itemsize < 8:
        numbers = numbers.astype(np.int64)  # the difference of two int8 needs more than int8
    offsets = (numbers - low).astype(np.int32)
    is_seen = np.bincount(offsets, minlength=high - low + 1) > 0
    if is_seen.all():
        return offsets, list(range(low, high + 1))
    labels: list[Hashable] = [low + offset for offset in np.flatnonzero(is_seen).tolist()]
    ranks: StateCodes = np.cumsum(is_seen, dtype=np.int32) - np.int32(1)
    return ranks[offsets], labels


def _sorted_positions(labels: Sequence[Hashable]) -> list[int]:
    """Return the positions of the labels in sorted order, grouped by type."""
    by_kind: dict[str, list[int]] = {}
    for position, label in enumerate(labels):
        by_kind.setdefault(_kind_name(label), []).append(position)
    positions: list[int] = []
    for kind in sorted(by_kind):
        try:
            positions += sorted(by_kind[kind], key=labels.__getitem__)  # type: ignore[arg-type]
        except TypeError:
            positions += sorted(by_kind[kind], key=lambda position: str(labels[position]))
    return positions


def _kind_name(label: Hashable) -> str:
    if isinstance(label, Number) and not isinstance(label, (bool, np.bool_)):
        return "number"
    return type(label).__name__
