"""Long lists of numbers in text: read one by one, so that memory follows the numbers."""

from __future__ import annotations

import re
from array import array

_NUMBER = re.compile(r"[^\s,]++")
_LONG = 2**16  # characters; shorter text is cut at once, which is faster


class NotANumberError(Exception):
    """A word that is no number, and where it stands in the text."""

    def __init__(self, word: str, place: int) -> None:
        super().__init__(word)
        self.word = word
        self.place = place


def append_numbers(numbers: array[float], text: str) -> None:
    """Append the numbers of a text, which spaces or commas keep apart."""
    try:
        if len(text) < _LONG:
            numbers.extend(map(float, text.replace(",", " ").split()))
        else:
            numbers.extend(float(match[0]) for match in _NUMBER.finditer(text))
    except ValueError:
        raise _not_a_number(text) from None


def _not_a_number(text: str) -> NotANumberError:
    for match in _NUMBER.finditer(text):
        try:
            float(match[0])
        except ValueError:
            return NotANumberError(match[0], match.start())
    raise AssertionError("every word is a number")
