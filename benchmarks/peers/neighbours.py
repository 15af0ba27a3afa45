"""scikit-learn's KNNImputer on indicators of states; the largest indicator wins."""

from __future__ import annotations

import numpy as np
from sklearn.impute import KNNImputer

from peers.indicator_columns import indicators_with_missing, most_indicated

N_NEIGHBOURS = 10


def impute_by_neighbours(codes: np.ndarray, seed: int = 0) -> np.ndarray:
    numbers, owners = indicators_with_missing(codes)
    filled = KNNImputer(n_neighbors=N_NEIGHBOURS, keep_empty_features=True).fit_transform(numbers)
    return most_indicated(filled, owners, codes)
