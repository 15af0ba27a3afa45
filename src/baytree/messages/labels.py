"""Texts of labels: on pages and pictures, in CSV files and on the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

MAX_LETTERS = 400


def shown_labels(labels: Sequence[Hashable]) -> list[str]:
    """Return a text for every label, each a different one.

    Examples
    --------
    >>> shown_labels([1, "1", "yes"])
    ['1', "'1'", 'yes']
    """
    texts = [_shown(str(label)) for label in labels]
    counts = Counter(texts)
    for number, label in enumerate(labels):
        if counts[texts[number]] > 1:
            texts[number] = _shown(repr(label))
    counts = Counter(texts)
    return [
        f"{text} (no. {number})" if counts[text] > 1 else text
        for number, text in enumerate(texts, start=1)
    ]


def label_texts(label: Hashable) -> tuple[str, ...]:
    """Return the texts of a label, `str` first; other programs write truth values differently."""
    text = str(label)
    # Also those of NumPy, which commands load only when they are at work.
    is_truth = text in ("True", "False") and not isinstance(label, str)
    return (text, text.lower(), text.upper()) if is_truth else (text,)


def _shown(text: str) -> str:
    """Return text that a browser can show: half a surrogate pair is no letter."""
    return text[:MAX_LETTERS].encode("utf-8", "backslashreplace").decode("utf-8")
