"""Checks of arguments, one for each kind; an error names the argument and what came."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import TypeGuard

import numpy as np

from baytree.messages.quoting import shortened


def integer_at_least(argument: str, value: object, least: int) -> int:
    """Return the integer that was given, be it as large as it may."""
    if not is_integer(value) or value < least:
        raise ValueError(
            f"{argument} must be an integer of at least {least}; got {shortened(value)}."
            f"{_spelling(value, least)}"
        )
    return int(value)


def _spelling(value: object, least: int) -> str:
    """Return how to write what would do if it were not, say, a float."""
    if isinstance(value, numbers.Integral) or not is_number(value):
        return ""
    is_whole = least <= value < float("inf") and value == int(value)
    return f" Write {shortened(int(value))}." if is_whole else ""


def positive_number(argument: str, value: object, unit: str = "") -> float:
    """Return the number above 0 that was given; infinity if it is too large for a float."""
    if not is_number(value) or not value > 0:
        kind = f"a positive number of {unit}" if unit else "a positive number"
        raise ValueError(f"{argument} must be {kind}; got {shortened(value)}.")
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def one_of(argument: str, value: object, choices: Sequence[str]) -> None:
    """Refuse what is not one of some words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"{argument} must be one of {quoted_words(choices)}; got {shortened(value)}."
        )


def quoted_words(words: Iterable[str]) -> str:
    """Return words that an argument can be as a list to read."""
    return ", ".join(f'"{word}"' for word in words)


def verbosity(verbose: object) -> int:
    """Return how much is to be said; truth values are 0 and 1."""
    if not isinstance(verbose, bool) and not is_integer(verbose):
        raise ValueError(f"verbose must be an integer; got {shortened(verbose)}.")
    return int(verbose)


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number by its type; truth values are not."""
    return isinstance(value, numbers.Integral) and is_number(value)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number by its type; truth values and durations are not."""
    # NumPy takes durations for integers.
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.timedelta64))
