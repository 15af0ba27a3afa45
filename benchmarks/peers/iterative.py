"""scikit-learn's IterativeImputer on codes as numbers, rounded.

Indicators of states would not do: those of one variable are missing together and add up to one, so
each would be predicted from imputed values of the others.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  (makes the next line work)
from sklearn.impute import IterativeImputer


def impute_by_regressions(codes: np.ndarray, seed: int = 0) -> np.ndarray:
    numbers = np.where(codes < 0, np.nan, codes)
    imputer = IterativeImputer(max_iter=5, random_state=seed, keep_empty_features=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # max_iter is fixed
        filled = imputer.fit_transform(numbers)
    nearest = np.clip(np.rint(filled), 0, codes.max(axis=0)).astype(codes.dtype)
    return np.where(codes < 0, nearest, codes)
