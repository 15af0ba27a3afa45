"""missForest, and mRF, which predicts groups of variables at once; on scikit-learn's forests.

missForest (Stekhoven and Buehlmann 2012): start from modes; predict the gaps of each variable, the
one with the fewest first, from all others by a random forest; repeat until the number of cells
that change rises, and keep what was before. mRF_alpha (Tang and Ishwaran 2017): in each
iteration the variables fall at random into groups of a share alpha, and each group is the
multivariate response of one forest on the rest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from peers.indicator_columns import indicators
from peers.modes import fill_by_modes

N_TREES = 100
MAX_ITERATIONS = 10
ALPHA = 0.25


def fill_by_miss_forest(codes: np.ndarray, seed: int = 0) -> np.ndarray:
    n_gaps = (codes < 0).sum(axis=0)
    order = [[variable] for variable in np.argsort(n_gaps, kind="stable") if n_gaps[variable]]
    return _iterated(codes, seed, lambda random: order)


def fill_by_mrf(codes: np.ndarray, seed: int = 0) -> np.ndarray:
    n_variables = codes.shape[1]
    n_groups = min(round(1 / ALPHA), n_variables)

    def groups(random: np.random.RandomState) -> list[np.ndarray]:
        return np.array_split(random.permutation(n_variables), n_groups)

    return _iterated(codes, seed, groups)


def _iterated(
    codes: np.ndarray, seed: int, groups: Callable[[np.random.RandomState], list]
) -> np.ndarray:
    """Predict groups in turn until more cells change than the time before."""
    random = np.random.RandomState(seed)
    filled, n_changed = fill_by_modes(codes), np.inf
    for _ in range(MAX_ITERATIONS):
        before = filled.copy()
        for group in groups(random):
            _predict(codes, filled, np.asarray(group), random)
        n_before, n_changed = n_changed, int((filled != before).sum())
        if n_changed >= n_before:
            return before
        if n_changed == 0:
            break
    return filled


def _predict(
    codes: np.ndarray, filled: np.ndarray, group: np.ndarray, random: np.random.RandomState
) -> None:
    """Fill the gaps of a group of variables from all others; one variable from its own rows."""
    is_gap = codes[:, group] < 0
    rows = ~is_gap[:, 0] if len(group) == 1 else np.ones(len(codes), dtype=bool)
    wanted = is_gap.any(axis=1)
    if not wanted.any():
        return
    others = indicators(np.delete(filled, group, axis=1))
    forest = RandomForestClassifier(N_TREES, random_state=random, n_jobs=1)
    forest.fit(others[rows], filled[np.ix_(rows, group)].squeeze())
    predicted = forest.predict(others[wanted]).reshape(-1, len(group))
    chosen = filled[np.ix_(wanted, group)]
    filled[np.ix_(wanted, group)] = np.where(is_gap[wanted], predicted, chosen)
