"""Texts that stand for labels where only text can be written: in CSV files, on the command line."""

from __future__ import annotations

from collections.abc import Hashable


def texts_of(label: Hashable) -> tuple[str, ...]:
    """Return the texts of a label, its own first; other programs spell truth values otherwise.

    Examples
    --------
    >>> texts_of(1), texts_of(True)
    (('1',), ('True', 'true', 'TRUE'))
    """
    text = str(label)
    # Also those of NumPy, which commands load only when they are at work.
    is_truth = text in ("True", "False") and not isinstance(label, str)
    return (text, text.lower(), text.upper()) if is_truth else (text,)
