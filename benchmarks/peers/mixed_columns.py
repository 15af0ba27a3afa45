"""Columns of frames of numbers and text as numbers only, for imputers that take nothing else."""

from __future__ import annotations

import numpy as np
import pandas as pd


def is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column)


def impute_by_means_and_modes(table: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Use the mean of each column of numbers and the most frequent state of each other column."""
    starts = {
        name: column.mean() if is_number(column) else column.mode().iloc[0]
        for name, column in table.items()
        if column.isna().any()
    }
    return table.fillna(starts)


def to_numbers(table: pd.DataFrame, *, drop_first: bool = False) -> pd.DataFrame:
    """Return the numbers and a 0/1 column per state, NaN where missing, by variable and state."""
    parts = {name: _numbers_of(column, drop_first) for name, column in table.items()}
    return pd.concat(parts, axis=1)


def _numbers_of(column: pd.Series, drop_first: bool) -> pd.DataFrame:
    if is_number(column):
        return column.astype(np.float64).to_frame("number")
    indicators = pd.get_dummies(column, drop_first=drop_first, dtype=np.float64)
    indicators[column.isna()] = np.nan
    return indicators


def from_numbers(table: pd.DataFrame, numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the table completed by `numbers`; the state of the largest indicator wins."""
    filled = table.copy()
    for name, column in table.items():
        is_missing = column.isna()
        if is_missing.any():
            own = numbers.loc[is_missing, name]
            filled.loc[is_missing, name] = (
                own["number"] if is_number(column) else _most_indicated(column, own)
            )
    return filled


def _most_indicated(column: pd.Series, indicators: pd.DataFrame) -> pd.Series:
    """Return the state of the largest indicator; those of all states add up to 1."""
    dropped = set(column.dropna()).difference(indicators.columns)
    rest = {state: 1.0 - indicators.sum(axis=1) for state in dropped}
    return indicators.assign(**rest).idxmax(axis=1)
