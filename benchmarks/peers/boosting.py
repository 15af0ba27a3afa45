"""One gradient-boosted classifier per variable, on the others with their missing cells."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier


def impute_by_boosting(codes: np.ndarray, seed: int = 0) -> np.ndarray:
    """Use LightGBM where it is installed, otherwise scikit-learn."""
    filled = codes.copy()
    numbers = np.where(codes < 0, np.nan, codes).astype(np.float64)
    for variable in np.flatnonzero((codes < 0).any(axis=0)):
        is_missing = codes[:, variable] < 0
        others = np.delete(numbers, variable, axis=1)
        model = _classifier(seed).fit(others[~is_missing], codes[~is_missing, variable])
        filled[is_missing, variable] = model.predict(others[is_missing])
    return filled


def _classifier(seed: int) -> object:
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return _SingleStateClassifier(HistGradientBoostingClassifier(random_state=seed))
    return _SingleStateClassifier(LGBMClassifier(random_state=seed, verbose=-1, n_jobs=1))


class _SingleStateClassifier:
    """A classifier that also accepts a single observed state."""

    def __init__(self, model: object) -> None:
        self._model = model
        self._only: int | None = None

    def fit(self, numbers: np.ndarray, states: np.ndarray) -> _SingleStateClassifier:
        if (states == states[0]).all():
            self._only = int(states[0])
        else:
            self._model.fit(numbers, states)
        return self

    def predict(self, numbers: np.ndarray) -> np.ndarray:
        return (
            np.full(len(numbers), self._only)
            if self._only is not None
            else self._model.predict(numbers)
        )
