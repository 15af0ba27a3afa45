"""Words that mean a missing cell in a text file."""

from __future__ import annotations

from collections.abc import Collection

# "none" and "None" are not among them: too many tables have them as a state.
DEFAULT_MISSING_VALUES = ("?", "NA", "NaN", "nan", "<NA>", "null")


def is_missing_text(text: str, words: Collection[str]) -> bool:
    """Return whether a cell is one of the words that mean missing, blanks around it aside."""
    return text in words or text.strip() in words
