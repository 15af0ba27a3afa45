"""missForest on frames of numbers and text, with scikit-learn's forests.

missForest (Stekhoven and Buehlmann 2012): start from means and modes; predict the missing cells of
each column from all others by a random forest, columns with the fewest missing cells first; repeat
until the change from one iteration to the next rises for numbers and for text, and keep the table
before. As in the original, a split considers the square root of the number of predictors.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from peers.forests import MAX_ITERATIONS, N_TREES
from peers.mixed_columns import impute_by_means_and_modes, is_number


def impute_by_mixed_forests(table: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    random = np.random.RandomState(seed)
    n_missing = table.isna().sum().sort_values(kind="stable")
    filled, change = impute_by_means_and_modes(table), np.full(2, np.inf)
    for _ in range(MAX_ITERATIONS):
        before = filled.copy()
        for name in n_missing.index[n_missing > 0]:
            _predict_column(table[name], filled, random)
        change_before, change = change, _change(table, before, filled)
        if not (change < change_before).any():
            return before
    return filled


def _predict_column(column: pd.Series, filled: pd.DataFrame, random: np.random.RandomState) -> None:
    is_missing = column.isna()
    others = pd.get_dummies(filled.drop(columns=column.name), drop_first=True, dtype=np.float32)
    predictors = others.to_numpy(np.float32)
    forest = (RandomForestRegressor if is_number(column) else RandomForestClassifier)(
        N_TREES, max_features="sqrt", random_state=random, n_jobs=1
    )
    forest.fit(predictors[~is_missing], column[~is_missing].to_numpy())
    filled.loc[is_missing, column.name] = forest.predict(predictors[is_missing])


def _change(table: pd.DataFrame, before: pd.DataFrame, filled: pd.DataFrame) -> np.ndarray:
    """Return the relative squared change of numbers and the fraction of changed states.

    NaN, which never falls, stands for no such column.
    """
    numbers = [name for name in table if is_number(table[name])]
    texts = table.columns.difference(numbers)
    new = filled[numbers].to_numpy(np.float64)
    squared = ((new - before[numbers].to_numpy(np.float64)) ** 2).sum()
    n_changed = (filled[texts] != before[texts]).to_numpy().sum()
    n_missing = table[texts].isna().to_numpy().sum()
    return np.array(
        [
            squared / (new**2).sum() if numbers else np.nan,
            n_changed / n_missing if n_missing else np.nan,
        ]
    )
