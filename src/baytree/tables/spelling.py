"""Numbers, truth values and states that texts spell, in files and in frames."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from baytree.messages.arguments import is_integer, is_number
from baytree.messages.labels import label_texts
from baytree.tables.columns import Array, Cells, LabelCells, NumberCells, array_cells
from baytree.tables.variable_encoding import VariableEncoding

_NUMBER_CHARACTERS = b"0123456789+-.eE"
_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
_INTEGER = re.compile("[+-]?[0-9]+")
_PADDED_INTEGER = re.compile("0[0-9]+")
_TRUTHS = {text: truth for truth in (True, False) for text in label_texts(truth)}


def typed_texts(texts: Sequence[str]) -> Array | None:
    """Return the truth values, integers or floats that all of some texts spell; else None.

    Truth values and numbers are those that pandas reads: "007" is 7. Blanks around numbers do not
    count.
    """
    if not texts or all(text in _TRUTHS for text in texts):
        return np.array([_TRUTHS[text] for text in texts]) if texts else None
    bare = [text.strip() for text in texts]
    integers = spelled_integers(bare)
    if integers is not None:
        return integers
    return spelled_floats(bare) if has_fraction(bare) else None


def spells_number(text: str) -> bool:
    """Test a text for a plain decimal number, blanks around it or not."""
    return _NUMBER.fullmatch(text) is not None


def example_of(texts: Sequence[str]) -> str | None:
    """Return the first of some texts that is a truth value or an integer with leading zeros."""
    return next((t for t in texts if t in _TRUTHS or _PADDED_INTEGER.fullmatch(t)), None)


def labels_like(labels: Sequence[Hashable], example: str | None) -> list[str]:
    """Return labels as texts: truth values in the letter case of an example, integers as long."""
    truth = None if example is None else _TRUTHS.get(example)
    if example is None:
        return [str(label) for label in labels]
    if truth is None:
        return [
            str(label).zfill(len(example)) if is_integer(label) else str(label) for label in labels
        ]
    case = label_texts(truth).index(example)
    is_truth = (isinstance(label, (bool, np.bool_)) for label in labels)
    return [
        label_texts(label)[case] if own else str(label)
        for label, own in zip(labels, is_truth, strict=True)
    ]


def texts_of(cells: Cells) -> list[str] | None:
    """Return the texts of cells that all are text."""
    labels = () if isinstance(cells, NumberCells) else cells.labels
    texts = [label for label in labels if isinstance(label, str)]
    return texts if texts and len(texts) == len(labels) else None


def typed_cells(name: Hashable, cells: Cells) -> Cells:
    """Return cells of text as the numbers or truth values that all of them spell."""
    if isinstance(cells, NumberCells) or cells.is_declared:
        return cells
    texts = texts_of(cells)
    typed = None if texts is None else typed_texts(texts)
    return cells if typed is None else array_cells(name, typed[cells.codes], cells.is_missing)


def spelled_cells(cells: Cells, own: VariableEncoding) -> Cells:
    """Return cells whose texts become what they spell: states, or numbers of a binned variable."""
    if isinstance(cells, NumberCells) or all(isinstance(label, str) for label in own.cell_labels):
        return cells
    states, is_numeric = {*own.states}, own.bins is not None
    texts = [label for label in cells.labels if isinstance(label, str) and label not in states]
    spelled = [*map(_number, texts)] if is_numeric else [*states_spelled(texts, own.states)]
    label_of: dict[Hashable, Hashable] = dict(zip(texts, spelled, strict=True))
    labels = [label_of.get(label, label) for label in cells.labels]
    if labels and is_numeric and all(isinstance(label, float) for label in labels):
        return array_cells(own.name, np.array(labels)[cells.codes], cells.is_missing)
    return LabelCells(cells.codes, labels)


def _number(text: str) -> Hashable:
    number = spelled_floats([text.strip()])
    return text if number is None else float(number[0])


def states_spelled(texts: Sequence[str], known: Sequence[Hashable]) -> Iterator[Hashable]:
    """Yield the state that each text spells, or the text itself; 2.0 and 02 spell the number 2."""
    spelled = {str(state): state for state in known}
    no_texts = [state for state in known if not isinstance(state, str)]
    bare = {text: state for state in no_texts for text in label_texts(state)}
    by_number = {float(state): state for state in known if is_number(state)}
    for text in texts:
        state = spelled.get(text, bare.get(text.strip(), text))
        if state is text and by_number:
            number = spelled_floats([text.strip()])
            state = text if number is None else by_number.get(float(number[0]), text)
        yield state


def spelled_integers(texts: Sequence[str]) -> Array | None:
    """Return texts as int64 or uint64, or None unless all are integers, leading zeros or not."""
    if not all(map(_INTEGER.fullmatch, texts)):
        return None  # int takes more than that: blanks, underscores, other digits
    for dtype in (np.int64, np.uint64):
        with contextlib.suppress(OverflowError, ValueError):
            return np.array([*map(int, texts)], dtype=dtype)
    return None


def spelled_floats(texts: Sequence[str] | Array) -> Array | None:
    """Return texts as finite floats, or None unless all are plain decimal numbers."""
    if "".join(texts).encode().translate(None, _NUMBER_CHARACTERS):
        return None  # float takes more than that: blanks, underscores, other digits, inf, nan
    try:
        floats = np.fromiter(map(float, texts), dtype=np.float64, count=len(texts))
    except ValueError:
        return None
    return floats if np.isfinite(floats).all() else None


def has_fraction(texts: Sequence[str]) -> bool:
    """Test that one of several numbers is not written as an integer."""
    return any("." in text or "e" in text or "E" in text for text in texts)
