"""Texts that stand for names and states on the page."""

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
    return _told_apart(texts)


def _shown(text: str) -> str:
    """Return what a browser can show: half a surrogate pair is no letter."""
    return text[:MAX_LETTERS].encode("utf-8", "backslashreplace").decode("utf-8")


def _told_apart(texts: list[str]) -> list[str]:
    counts = Counter(texts)
    return [
        f"{text} (no. {number})" if counts[text] > 1 else text
        for number, text in enumerate(texts, start=1)
    ]
