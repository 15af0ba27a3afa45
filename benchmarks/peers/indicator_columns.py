"""Codes as numbers that forests and neighbours take: a column for each state but the first."""

from __future__ import annotations

import numpy as np


def indicators(codes: np.ndarray) -> np.ndarray:
    """Return columns of 0 and 1; a variable of two states is its own column."""
    columns = [
        codes[:, variable] == state
        for variable in range(codes.shape[1])
        for state in range(1, max(int(codes[:, variable].max()) + 1, 2))
    ]
    return np.column_stack(columns).astype(np.float32)


def indicators_with_gaps(codes: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Return a column for each state, NaN where the variable is missing, and whose they are."""
    columns, owners = [], []
    for variable, column in enumerate(codes.T):
        for state in range(int(column.max()) + 1):
            columns.append(np.where(column < 0, np.nan, column == state))
            owners.append(variable)
    return np.column_stack(columns), owners


def most_indicated(numbers: np.ndarray, owners: list[int], codes: np.ndarray) -> np.ndarray:
    """Return codes whose gaps have the state of the largest number."""
    filled = codes.copy()
    owner_of = np.array(owners)
    for variable in range(codes.shape[1]):
        is_gap = codes[:, variable] < 0
        if is_gap.any():
            filled[is_gap, variable] = numbers[np.ix_(is_gap, owner_of == variable)].argmax(axis=1)
    return filled
