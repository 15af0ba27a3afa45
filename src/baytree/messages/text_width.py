"""How much room a text takes, in columns of a terminal."""

from __future__ import annotations

import unicodedata

_WIDE = {"W": 2, "F": 2}


def text_width(text: str) -> int:
    """Return the columns that a text takes: wide letters take two, accents none.

    Examples
    --------
    >>> text_width("rain"), text_width("東京")
    (4, 4)
    """
    letters = (letter for letter in text if not unicodedata.combining(letter))
    return sum(_WIDE.get(unicodedata.east_asian_width(letter), 1) for letter in letters)
