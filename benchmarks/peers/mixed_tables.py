"""Imputers of frames of numbers and text with one interface: each completes a frame."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  (makes the next line work)
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.preprocessing import StandardScaler

from peers.classifiers import Boosting, boosted_trees, logistic_regression
from peers.mixed_columns import (
    from_numbers,
    impute_by_means_and_modes,
    is_number,
    to_numbers,
)
from peers.mixed_forests import impute_by_mixed_forests
from peers.neighbours import N_NEIGHBOURS

ImputeFrame: TypeAlias = Callable[[pd.DataFrame, int], pd.DataFrame]  # (table, seed) -> complete


def impute_by_bayesian_ridge(table: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Use IterativeImputer with its defaults on numbers and indicators of all states but one.

    Indicators of all states would add up to 1, so that of a missing state would be predicted from
    imputed values of the others, and never leave its mean.
    """
    numbers = to_numbers(table, drop_first=True)
    imputer = IterativeImputer(random_state=seed, keep_empty_features=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        filled = imputer.fit_transform(numbers.to_numpy())
    return from_numbers(table, _like(numbers, filled))


def impute_by_mixed_neighbours(table: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Use KNNImputer on standardised numbers and indicators of states."""
    numbers = to_numbers(table)
    columns = [name for name in numbers if is_number(table[name[0]])]
    scaler = StandardScaler()
    if columns:
        numbers[columns] = scaler.fit_transform(numbers[columns].to_numpy())
    imputer = KNNImputer(n_neighbors=N_NEIGHBOURS, keep_empty_features=True)
    filled = _like(numbers, imputer.fit_transform(numbers.to_numpy()))
    if columns:
        filled[columns] = scaler.inverse_transform(filled[columns].to_numpy())
    return from_numbers(table, filled)


def _like(numbers: pd.DataFrame, filled: Any) -> pd.DataFrame:
    return pd.DataFrame(filled, index=numbers.index, columns=numbers.columns)


def impute_by_boosted_columns(table: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Predict each column by boosted trees on the others with their missing cells."""

    def model_of(column: pd.Series, others: pd.DataFrame) -> Any:
        trees = HistGradientBoostingRegressor
        return boosted_trees(others, trees) if is_number(column) else Boosting()

    return _impute_columns(table, model_of)


def impute_by_logistic_columns(table: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Predict each column of text by logistic regression on the others; numbers get the mean."""

    def model_of(column: pd.Series, others: pd.DataFrame) -> Any:
        return None if is_number(column) else logistic_regression(number_strategy="mean")

    return _impute_columns(table, model_of)


def _impute_columns(
    table: pd.DataFrame, model_of: Callable[[pd.Series, pd.DataFrame], Any]
) -> pd.DataFrame:
    """Predict each column from the others as they came; without a model, use mean or mode."""
    filled = impute_by_means_and_modes(table)
    for name, column in table.items():
        is_missing, others = column.isna(), table.drop(columns=name)
        model = model_of(column, others)
        if is_missing.any() and column.nunique() > 1 and model is not None:
            model.fit(others[~is_missing], column[~is_missing].to_numpy())
            filled.loc[is_missing, name] = model.predict(others[is_missing])
    return filled


MIXED_PEERS: dict[str, ImputeFrame] = {
    "mean and mode": impute_by_means_and_modes,
    "IterativeImputer": impute_by_bayesian_ridge,
    "KNN": impute_by_mixed_neighbours,
    "missForest": impute_by_mixed_forests,
    "boosting": impute_by_boosted_columns,
    "logistic regression": impute_by_logistic_columns,
}
