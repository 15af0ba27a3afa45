"""Values and words that mark missing cells."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baytree.messages.arguments import is_number
from baytree.messages.quoting import shortened
from baytree.tables.columns import (
    Cells,
    LabelCells,
    NumberCells,
    array_cells,
    is_missing_cell,
    label_key,
    object_array,
    object_cells,
)
from baytree.vocabulary import DEFAULT_MISSING_VALUES


def check_missing_values(missing_values: Any) -> None:
    """Refuse anything but a value or a list of values."""
    for value in _listed(missing_values):
        if np.ndim(value) or not isinstance(value, Hashable):
            raise ValueError(
                f"missing_values must be one value or a list of values; got {shortened(value)}."
            )


def missing_words(missing_values: Any) -> tuple[str, ...]:
    """Return the words for missing cells of CSV files: those listed, or the usual ones and one."""
    if isinstance(missing_values, (list, tuple)):
        return tuple(value for value in missing_values if isinstance(value, str))
    return (*DEFAULT_MISSING_VALUES, *([missing_values] * isinstance(missing_values, str)))


def named_values(missing_values: Any) -> list[Any]:
    """Return the values declared missing, without NaN, None and pd.NA, which always are."""
    return [value for value in _listed(missing_values) if not is_missing_cell(value)]


def is_missing_text(text: str, words: Collection[str]) -> bool:
    """Test a cell for the words that mean missing; blanks around it do not count."""
    return text in words or text.strip() in words


@dataclass(frozen=True)
class MissingMarks:
    """Values and words that mark missing cells; usual words do not where they are states."""

    values: Sequence[Any]
    words: tuple[str, ...]
    are_usual: bool

    def mask(self, name: Hashable, cells: Cells, states: Collection[Hashable] = ()) -> Cells:
        """Return the cells of a variable with such states, missing where they hold a mark."""
        words = words_beside(self.words, states) if self.are_usual else self.words
        return mask_missing(name, cells, self.values, words)


def words_beside(words: Collection[str], states: Collection[Hashable]) -> Collection[str]:
    """Return the words that are no states."""
    return {*words}.difference(states) if states else words


def mask_missing(
    name: Hashable, cells: Cells, values: Sequence[Any], words: Collection[str] = ()
) -> Cells:
    """Return the cells of a variable, missing where they hold one of the values or words."""
    if isinstance(cells, NumberCells) and not values:
        return cells
    labels = cells.as_labels() if isinstance(cells, NumberCells) else cells
    is_value = np.array([_is_any(label, values, words) for label in labels.labels], dtype=bool)
    if not is_value.any():
        return cells
    is_missing = np.append(is_value, False)[labels.codes] | (labels.codes < 0)
    if isinstance(cells, NumberCells):
        return array_cells(name, cells.numbers, is_missing)
    kept = [label for label, is_out in zip(labels.labels, is_value, strict=True) if not is_out]
    codes = np.where(is_missing, -1, (np.cumsum(~is_value, dtype=np.int32) - 1)[labels.codes])
    if labels.is_declared:
        return LabelCells(codes.astype(np.int32), kept, is_declared=True)
    return object_cells(name, object_array([*kept, None])[codes])  # what is left may be numbers


def _listed(missing_values: Any) -> Sequence[Any]:
    return missing_values if isinstance(missing_values, (list, tuple)) else [missing_values]


def _is_any(label: Any, values: Sequence[Any], words: Collection[str]) -> bool:
    is_word = isinstance(label, str) and is_missing_text(label, words)
    return is_word or any(_is_same(label, value) for value in values)


def _is_same(label: Any, value: Any) -> bool:
    if is_number(label) or is_number(value):
        return is_number(label) and is_number(value) and label == value
    return label_key(label) == label_key(value)
