"""Labels in formats of words: escaped, with a note that holds the original labels."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

from baytree.exceptions import EscapedLabelWarning
from baytree.messages.quoting import pluralize, shortened
from baytree.messages.user_warnings import warn_user
from baytree.tables.columns import label_key, to_python_scalar

Label: TypeAlias = str | int | float | bool

NOTE_MARK = "baytree labels: "
MAX_SHOWN = 3
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_WORD = re.compile(r"[^A-Za-z0-9_]+")


def to_json_label(label: Hashable) -> Label:
    """Return a label as text, a number or a truth value, which JSON can represent."""
    # Other scalars of NumPy, such as dates, would turn into numbers.
    value: Any = to_python_scalar(label)
    is_number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_number or isinstance(value, str) else str(value)


def is_written_as_text(label: Hashable) -> bool:
    """Return True for a label that becomes text, such as a timestamp or an interval."""
    return isinstance(to_json_label(label), str) and not isinstance(to_python_scalar(label), str)


def to_json_labels(labels: Iterable[Hashable], described: str) -> list[Label]:
    """Return labels that JSON can represent; refuse two that would be the same."""
    label_of: dict[str, Hashable] = {}
    found: list[Label] = []
    for label in labels:
        plain = to_json_label(label)
        try:
            spelled = json.dumps(plain)
        except ValueError:  # thousands of digits
            raise ValueError(
                f"Among the {described} is {shortened(label)}, too long to write. Rename it."
            ) from None
        if spelled in label_of:
            raise ValueError(
                f"Among the {described}, {label_of[spelled]!r} and {label!r} would both be "
                f"{spelled} in the file. Rename one of them."
            )
        label_of[spelled] = label
        found.append(plain)
    return found


@dataclass(frozen=True)
class WordRule:
    """Words that a format accepts as names of variables and states without an escape."""

    format_name: str
    is_name: Callable[[str], object]
    is_state: Callable[[str], object]


@dataclass(frozen=True)
class WrittenLabels:
    """Words for a file, and for each variable the note that it needs, if any."""

    names: list[str]
    states: list[list[str]]
    notes: list[str | None]


def written_labels(
    variables: Sequence[Hashable], states_of: Sequence[Sequence[Hashable]], rule: WordRule
) -> WrittenLabels:
    """Return words for the names and states of variables; warn of those that are escaped."""
    names = to_json_labels(variables, "variables")
    name_words = unique_words(names, rule.is_name)
    state_words, notes = [], []
    escaped = [*_escaped(names, name_words)]
    for name, word, labels in zip(names, name_words, states_of, strict=True):
        states = to_json_labels(labels, f"states of {name!r}")
        words = unique_words(states, rule.is_state)
        is_same = (word, words) == (name, states)
        notes.append(None if is_same else json.dumps([name, states]))
        state_words.append(words)
        escaped += _escaped(states, words)
    if escaped:
        _warn(rule.format_name, escaped)
    return WrittenLabels(name_words, state_words, notes)


def unique_words(labels: Sequence[Label], is_word: Callable[[str], object]) -> list[str]:
    """Return a word for each label, its own text where that is one; no two are the same."""
    texts = [spelled(label) for label in labels]
    words = [text if is_word(text) else "" for text in texts]
    taken: set[str] = set()
    for position, word in enumerate(words):  # text has the first claim on its own word
        if word in taken:
            words[position] = ""
        taken.add(word)
    n_tried: dict[str, int] = {}
    for position, word in enumerate(words):
        if not word:
            words[position] = _new_word(_escape(texts[position]), taken, n_tried)
    return words


def _new_word(stem: str, taken: set[str], n_tried: dict[str, int]) -> str:
    word, number = stem, n_tried.get(stem, 1)
    while word in taken:
        number += 1
        word = f"{stem}_{number}"
    n_tried[stem] = number
    taken.add(word)
    return word


def spelled(label: Label) -> str:
    """Return the text of a label; truth values as other programs spell them."""
    return json.dumps(label) if isinstance(label, bool) else str(label)


def restored_label(word: str, label: Label) -> Label:
    """Return the label of a word; the word if it was changed after the note was written."""
    text = spelled(label)
    stem = _escape(text)
    return label if word in (text, stem) or word.startswith(f"{stem}_") else word


def parsed_note(note: str, n_states: int) -> tuple[Label, list[Label]] | None:
    """Return the name and the states of a note, or None if it is broken."""
    try:
        parsed = json.loads(note)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, list) or len(parsed) != 2 or not isinstance(parsed[1], list):
        return None
    name, states = parsed
    has_labels = all(is_label(label) for label in [name, *states])
    if not has_labels or len(states) != n_states or has_doubles(states):
        return None
    return name, states


def is_label(value: object) -> TypeGuard[Label]:
    """Return True for a JSON value that can be a label; half a character and 1e999 cannot."""
    if isinstance(value, str):
        return value.isascii() or not _SURROGATE.search(value)
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def has_doubles(labels: Sequence[Label]) -> bool:
    """Return True if two labels are the same; 1 and 1.0 are, 1 and True are not."""
    return len({label_key(label) for label in labels}) < len(labels)


def _escape(text: str) -> str:
    """Return a word that every format accepts."""
    return f"_{_NO_WORD.sub('_', text).strip('_')}"[:64]


def _escaped(labels: Sequence[Label], words: Sequence[str]) -> Iterable[tuple[Label, str]]:
    return (
        (label, word) for label, word in zip(labels, words, strict=True) if spelled(label) != word
    )


def _warn(format_name: str, escaped: Sequence[tuple[Label, str]]) -> None:
    distinct = list(dict.fromkeys(f"{label!r} (written as {word})" for label, word in escaped))
    shown = distinct[:MAX_SHOWN]
    n_more = len(distinct) - len(shown)
    more = f" and {pluralize(n_more, 'more label')}" if n_more else ""
    warn_user(
        f"{format_name} cannot hold these as they are: {', '.join(shown)}{more}. baytree reads "
        "them back as they were; other programs see what is written.",
        EscapedLabelWarning,
    )
