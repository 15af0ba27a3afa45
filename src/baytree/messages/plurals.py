"""Numbers with their nouns, for everything that says a size."""

from __future__ import annotations


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, which is plural where it has to be."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
