"""Rows drawn with replacement."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from baytree.tables.encoding import StateCodes


def bootstrap_weights(codes: StateCodes, seed: int) -> npt.NDArray[np.float64]:
    """Return how often each row is drawn, with some row for every variable that has it observed."""
    n_rows = len(codes)
    drawn = np.random.RandomState(seed).randint(n_rows, size=n_rows)
    weights = np.bincount(drawn, minlength=n_rows).astype(np.float64)
    is_observed = codes >= 0
    for position in np.flatnonzero(~is_observed[weights > 0].any(axis=0)):
        weights[np.argmax(is_observed[:, position])] = 1.0
    return weights
