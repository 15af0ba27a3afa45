"""Other imputers with one interface: each completes a table of codes, -1 where missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from peers.boosting import impute_by_boosting
from peers.forests import impute_by_miss_forest, impute_by_mrf
from peers.iterative import impute_by_regressions
from peers.modes import impute_by_modes
from peers.neighbours import impute_by_neighbours

Impute: TypeAlias = Callable[[np.ndarray, int], np.ndarray]  # (codes, seed) -> complete codes

PEERS: dict[str, Impute] = {
    "mode": impute_by_modes,
    "KNN": impute_by_neighbours,
    "IterativeImputer": impute_by_regressions,
    "boosting": impute_by_boosting,
    "missForest": impute_by_miss_forest,
    "mRF_0.25": impute_by_mrf,
}
