"""Texts that stand for labels where only text can be written: in CSV files, on the command line."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np


def texts_of(label: Hashable) -> tuple[str, ...]:
    """Return the texts of a label, its own first; other programs spell truth values otherwise.

    Examples
    --------
    >>> texts_of(1), texts_of(True)
    (('1',), ('True', 'true', 'TRUE'))
    """
    text = str(label)
    is_truth = isinstance(label, (bool, np.bool_))
    return (text, text.lower(), text.upper()) if is_truth else (text,)
