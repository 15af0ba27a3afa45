"""Readers of what stands behind an option; they refuse in the words of a user."""

from __future__ import annotations

import argparse
import contextlib
import csv
from collections.abc import Callable, Iterable

_BYTES_OF_UNIT = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers that refuses those out of bounds."""

    def read(text: str) -> int:
        number = _integer(text)
        if number < least or (most is not None and number > most):
            bounds = f"at least {least}" if most is None else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"must be {bounds}; got {text}")
        return number

    return read


def positive_number(text: str) -> float:
    """Return the number that a word spells; refuse 0, negative ones, NaN and infinity."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number; got {text!r}") from None
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number; got {text}")
    return number


def byte_count(text: str) -> int:
    """Return the number of bytes that a word spells: 500000, 500K, 8G."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if unit not in _BYTES_OF_UNIT or not number.isdecimal() or not int(number):
        raise argparse.ArgumentTypeError(
            f"must be a whole number of bytes, or one with K, M, G or T behind it; got {text!r}"
        )
    return int(number) * _BYTES_OF_UNIT[unit]


def assignment(form: str) -> Callable[[str], str]:
    """Return a reader of words of a form; whether there is such a name is seen later."""

    def read(text: str) -> str:
        if "=" not in text:
            raise argparse.ArgumentTypeError(f"must be {form}; got {text!r}")
        return text

    return read


def refuse_idle_options(options: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """End with the usage if one of these was given; they are None where it was not."""
    for name in names:
        if getattr(options, name) is not None:
            options.misuse(f"argument --{name.replace('_', '-')}: {reason}")


def comma_separated(text: str) -> list[str]:
    """Return names between commas; a name that holds a comma stands in double quotes."""
    return next(csv.reader([text], skipinitialspace=True), [])


def thread_count(text: str) -> int:
    """Return a number of threads: positive, or -1 for all processors."""
    number = _integer(text)
    if number == 0:
        raise argparse.ArgumentTypeError("must be positive, or -1 for all processors; got 0")
    return number


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        problem = f"must be a whole number; got {text!r}{_spelling(text)}"
        raise argparse.ArgumentTypeError(problem) from None


def _spelling(text: str) -> str:
    """Return how to write a whole number that was given as 1e6 or 5.0."""
    with contextlib.suppress(ValueError):
        if (number := float(text)).is_integer() and abs(number) < 1e18:
            return f". Write {number:.0f}"
    return ""
