"""missForest and mRF on scikit-learn's forests.

missForest (Stekhoven and Buehlmann 2012): start from modes; predict the missing cells of each
variable from all others by a random forest, variables with the fewest missing cells first; repeat
until the number of changed cells rises, and keep the state before. mRF_alpha (Tang and Ishwaran
2017): in each iteration the variables are split at random into groups of a fraction alpha, and
each group is the multivariate response of one forest on the rest.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from peers.indicator_columns import indicators
from peers.modes import impute_by_modes

N_TREES = 100
MAX_ITERATIONS = 10
ALPHA = 0.25
SPLIT_FRACTION = 1 / 3  # of the variables per split, as usual for numeric responses


def impute_by_miss_forest(codes: np.ndarray, seed: int = 0) -> np.ndarray:
    n_missing = (codes < 0).sum(axis=0)
    order = [variable for variable in np.argsort(n_missing, kind="stable") if n_missing[variable]]

    def predict_all(filled: np.ndarray, random: np.random.RandomState) -> None:
        for variable in order:
            _predict_variable(codes, filled, variable, random)

    return _iterate(codes, seed, predict_all)


def impute_by_mrf(codes: np.ndarray, seed: int = 0) -> np.ndarray:
    n_variables = codes.shape[1]
    n_groups = min(round(1 / ALPHA), n_variables)

    def predict_all(filled: np.ndarray, random: np.random.RandomState) -> None:
        for group in np.array_split(random.permutation(n_variables), n_groups):
            _predict_group(codes, filled, group, random)

    return _iterate(codes, seed, predict_all)


def _iterate(
    codes: np.ndarray,
    seed: int,
    predict_all: Callable[[np.ndarray, np.random.RandomState], None],
) -> np.ndarray:
    """Predict all missing cells until more of them change than in the iteration before."""
    random = np.random.RandomState(seed)
    filled, n_changed = impute_by_modes(codes), np.inf
    for _ in range(MAX_ITERATIONS):
        before = filled.copy()
        predict_all(filled, random)
        n_before, n_changed = n_changed, int((filled != before).sum())
        if n_changed >= n_before:
            return before
        if n_changed == 0:
            break
    return filled


def _predict_variable(
    codes: np.ndarray, filled: np.ndarray, variable: int, random: np.random.RandomState
) -> None:
    is_missing = codes[:, variable] < 0
    others = indicators(np.delete(filled, variable, axis=1))
    forest = RandomForestClassifier(N_TREES, random_state=random, n_jobs=1)
    forest.fit(others[~is_missing], codes[~is_missing, variable])
    filled[is_missing, variable] = forest.predict(others[is_missing])


def _predict_group(
    codes: np.ndarray, filled: np.ndarray, group: np.ndarray, random: np.random.RandomState
) -> None:
    """Impute a group from out-of-bag predictions.

    The response of a row holds its imputed values; trees trained on the row would repeat them.
    """
    is_missing = codes[:, group] < 0
    if not is_missing.any() or len(group) == codes.shape[1]:
        return
    n_states = np.maximum(filled[:, group].max(axis=0) + 1, 1)
    response = np.column_stack(
        [filled[:, v] == state for v, n in zip(group, n_states, strict=True) for state in range(n)]
    ).astype(np.float64)
    forest = RandomForestRegressor(
        N_TREES, max_features=SPLIT_FRACTION, oob_score=True, random_state=random, n_jobs=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # R^2 of a constant variable, rows without a tree
        forest.fit(indicators(np.delete(filled, group, axis=1)), response)
    ends = np.cumsum(n_states)
    for position, (variable, end) in enumerate(zip(group, ends, strict=True)):
        probabilities = forest.oob_prediction_.reshape(len(codes), -1)[
            :, end - n_states[position] : end
        ]
        where = is_missing[:, position]
        filled[where, variable] = np.nan_to_num(probabilities[where]).argmax(axis=1)
