"""Indicator columns of states, for imputers that take numbers."""

from __future__ import annotations

import numpy as np


def indicators(codes: np.ndarray) -> np.ndarray:
    """Return a 0/1 column per state except the first of each variable."""
    columns = [
        codes[:, variable] == state
        for variable in range(codes.shape[1])
        for state in range(1, max(int(codes[:, variable].max()) + 1, 2))
    ]
    return np.column_stack(columns).astype(np.float32)


def indicators_with_missing(codes: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Return a column per state, NaN where missing, and the variable of each column."""
    columns, owners = [], []
    for variable, column in enumerate(codes.T):
        for state in range(int(column.max()) + 1):
            columns.append(np.where(column < 0, np.nan, column == state))
            owners.append(variable)
    return np.column_stack(columns), owners


def most_indicated(numbers: np.ndarray, owners: list[int], codes: np.ndarray) -> np.ndarray:
    """Return codes whose missing cells have the state of the largest number."""
    filled = codes.copy()
    owner_of = np.array(owners)
    for variable in range(codes.shape[1]):
        is_missing = codes[:, variable] < 0
        if is_missing.any():
            filled[is_missing, variable] = numbers[np.ix_(is_missing, owner_of == variable)].argmax(
                axis=1
            )
    return filled
