"""Names, values and numbers in messages. Commands load it for their help: imports stay light."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def quoted(names: Sequence[Hashable], limit: int = 10) -> str:
    """Return names separated by commas, at most `limit` of them."""
    text = ", ".join(shortened(name) for name in names[:limit])
    return f"{text} and {len(names) - limit:,} more" if len(names) > limit else text


def shortened(value: object) -> str:
    """Return the representation of a value on one line of at most 80 letters."""
    try:
        text = repr(value) if isinstance(value, str) else " ".join(repr(value).split())
    except ValueError:  # Python refuses to print integers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:77]}..."


def pluralize(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
