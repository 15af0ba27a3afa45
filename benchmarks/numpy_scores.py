"""BIC in plain NumPy, independent of baytree: the oracle of the benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np


def family_bic(
    codes: np.ndarray, arities: np.ndarray, child: int, parents: Sequence[int] | np.ndarray
) -> float:
    """Return the BIC of a family."""
    parents = np.asarray(parents, np.int64)
    cell = np.zeros(len(codes), np.int64)
    for variable in (*parents, child):
        cell = cell * arities[variable] + codes[:, variable]
    arity = int(arities[child])
    n_configurations = int(np.prod(arities[parents]))
    if n_configurations > len(codes):  # number only those that occur
        _, configuration = np.unique(cell // arity, return_inverse=True)
        cell = configuration * arity + codes[:, child]
        counts = np.bincount(cell, minlength=(configuration.max() + 1) * arity)
    else:
        counts = np.bincount(cell, minlength=n_configurations * arity)
    counts = counts.reshape(-1, arity)
    sums = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(counts / sums), 0.0)
    n_parameters = (arity - 1) * n_configurations
    return float(terms.sum() - np.log(len(codes)) / 2 * n_parameters)


def structure_bic(table: np.ndarray, parents: Iterable[Sequence[int]]) -> float:
    """Return the BIC of a network; the states are those that occur in the table."""
    codes = np.empty(table.shape, np.uint8, order="F")  # one byte per cell
    arities = np.empty(table.shape[1], np.int64)
    for variable, column in enumerate(table.T):
        states, codes[:, variable] = np.unique(column, return_inverse=True)
        arities[variable] = len(states)
    return sum(family_bic(codes, arities, child, list(p)) for child, p in enumerate(parents))
