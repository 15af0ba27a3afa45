"""Observed cells that are hidden, to see how well they are restored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baytree.tables.columns import Mask
from baytree.tables.encoding import StateCodes


def hidden_cells(codes: StateCodes, share: float, seed: int | Sequence[int]) -> Mask:
    """Return which observed cells to hide: a share of them, never the last of a variable."""
    draws = np.where(codes >= 0, np.random.default_rng(seed).random(codes.shape), 1.0)
    is_hidden: Mask = draws < share
    for position in np.flatnonzero((is_hidden == (codes >= 0)).all(axis=0)):
        is_hidden[np.argmax(codes[:, position] >= 0), position] = False
    return is_hidden
