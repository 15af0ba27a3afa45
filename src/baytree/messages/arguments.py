"""Checks of arguments, one per kind; an error names the argument and its value."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import TypeGuard

import numpy as np

from baytree.messages.quoting import shortened


def integer_at_least(argument: str, value: object, minimum: int) -> int:
    """Return `value` as an int; there is no upper bound."""
    if not is_integer(value) or value < minimum:
        raise ValueError(
            f"{argument} must be an integer of at least {minimum}; got {shortened(value)}."
            f"{_spelling(value, minimum)}"
        )
    return int(value)


def _spelling(value: object, minimum: int) -> str:
    """Return a hint for a float that equals an allowed integer."""
    if isinstance(value, numbers.Integral) or not is_number(value):
        return ""
    is_whole = minimum <= value < float("inf") and value == int(value)
    return f" Write {shortened(int(value))}." if is_whole else ""


def positive_number(argument: str, value: object, unit: str = "") -> float:
    """Return `value` as a float; infinity if it is too large for one."""
    if not is_number(value) or not value > 0:
        kind = f"a positive number of {unit}" if unit else "a positive number"
        raise ValueError(f"{argument} must be {kind}; got {shortened(value)}.")
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def fraction(argument: str, value: object) -> float:
    """Return a number between 0 and 1, both excluded, as a float."""
    if not is_number(value) or not 0 < value < 1:
        raise ValueError(f"{argument} must be a number between 0 and 1; got {shortened(value)}.")
    return float(value)


def true_or_false(argument: str, value: object) -> bool:
    """Return a truth value as a bool; numbers do not count."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{argument} must be True or False; got {shortened(value)}.")
    return bool(value)


def one_of(argument: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is not one of the words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"{argument} must be one of {quoted_words(choices)}; got {shortened(value)}."
        )


def quoted_words(words: Iterable[str]) -> str:
    """Return the words in quotation marks, separated by commas."""
    return ", ".join(f'"{word}"' for word in words)


def verbosity(verbose: object) -> int:
    """Return `verbose` as an int; truth values are 0 and 1."""
    if not isinstance(verbose, bool) and not is_integer(verbose):
        raise ValueError(f"verbose must be an integer; got {shortened(verbose)}.")
    return int(verbose)


def is_integer(value: object) -> TypeGuard[int]:
    """Return True for integer types; truth values do not count."""
    return isinstance(value, numbers.Integral) and is_number(value)


def is_number(value: object) -> TypeGuard[float]:
    """Return True for real number types; truth values and durations do not count."""
    # NumPy takes durations for integers.
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.timedelta64))
