"""scikit-learn's IterativeImputer on indicators of states, the largest of which is taken."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  (makes the next line work)
from sklearn.impute import IterativeImputer

from peers.indicator_columns import indicators_with_gaps, most_indicated


def fill_by_regressions(codes: np.ndarray, seed: int = 0) -> np.ndarray:
    numbers, owners = indicators_with_gaps(codes)
    imputer = IterativeImputer(max_iter=5, random_state=seed, keep_empty_features=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the rounds are what they are
        filled = imputer.fit_transform(numbers)
    return most_indicated(filled, owners, codes)
