"""Numbers that texts spell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baytree.tables.columns import Array

_NUMBER_CHARACTERS = b"0123456789+-.eE"


def spelled_integers(texts: Sequence[str]) -> Array | None:
    """Return texts as int64, or None unless Python writes all those integers as they are here."""
    try:
        integers = list(map(int, texts))
        return np.array(integers, dtype=np.int64) if [*map(str, integers)] == [*texts] else None
    except (OverflowError, ValueError):
        return None


def spelled_floats(texts: Sequence[str]) -> Array | None:
    """Return texts as finite floats, or None unless all are plain decimal numbers."""
    if "".join(texts).encode().translate(None, _NUMBER_CHARACTERS):
        return None  # float takes more than that: blanks, underscores, other digits, inf, nan
    try:
        floats = np.fromiter(map(float, texts), dtype=np.float64, count=len(texts))
    except ValueError:
        return None
    return floats if np.isfinite(floats).all() else None


def has_fraction(texts: Sequence[str]) -> bool:
    """Return whether one of several numbers is written as no integer."""
    return any("." in text or "e" in text or "E" in text for text in texts)
