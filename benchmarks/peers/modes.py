"""The most frequent state of each variable; ties go to the smallest."""

from __future__ import annotations

import numpy as np


def impute_by_modes(codes: np.ndarray, seed: int = 0) -> np.ndarray:
    modes = [np.bincount(column[column >= 0], minlength=1).argmax() for column in codes.T]
    return np.where(codes < 0, modes, codes)
