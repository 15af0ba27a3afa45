"""Other imputers with one interface: each completes a table of codes, -1 where missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from peers.boosting import fill_by_boosting
from peers.forests import fill_by_miss_forest, fill_by_mrf
from peers.iterative import fill_by_regressions
from peers.modes import fill_by_modes
from peers.neighbours import fill_by_neighbours

Fill: TypeAlias = Callable[[np.ndarray, int], np.ndarray]  # (codes, seed) -> complete codes

PEERS: dict[str, Fill] = {
    "mode": fill_by_modes,
    "KNN": fill_by_neighbours,
    "IterativeImputer": fill_by_regressions,
    "boosting": fill_by_boosting,
    "missForest": fill_by_miss_forest,
    "mRF_0.25": fill_by_mrf,
}
