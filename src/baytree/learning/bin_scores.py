"""Scores of bins: the best way to join fine bins of a variable, by dynamic programming."""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma, log
from typing import Any

import numpy as np
import numpy.typing as npt

from baytree.tables.columns import Array, StateCodes

MAX_STATES = 256  # from here on, only joint states that occur have codes
MIN_COUNT = 1e-300  # whose logarithm stands for that of 0

Floats = npt.NDArray[np.float64]


def joint_code(columns: Sequence[StateCodes]) -> Array:
    """Return one code per joint state, without missing cells; 0 for no columns."""
    joint: Any = np.zeros(1, dtype=np.int64)
    n_states = 1
    for column in columns:
        arity = int(column.max(initial=0)) + 1
        joint, n_states = joint * arity + column, n_states * arity
    if n_states > MAX_STATES:
        joint = np.unique(joint, return_inverse=True)[1]
    return np.asarray(joint)


def dependence_gains(
    fine: StateCodes, other: Array, given: Array, n_fine: int, weights: Floats | None = None
) -> Floats:
    """Return the gain of every join of fine bins: the log-likelihood of `other`, up to a constant.

    Entry [i, j] joins the fine bins i to j - 1 in one bin, in which the distribution of `other`
    given `given` is estimated; the log-likelihood of a partition is the sum over its bins.
    """
    n_given, n_other = (int(codes.max(initial=0)) + 1 for codes in (given, other))
    cell = (fine * n_given + given) * n_other + other
    counts = np.bincount(cell, weights, n_fine * n_given * n_other)
    first, end = np.triu_indices(n_fine + 1, 1)
    cumulative = np.zeros((n_fine + 1, n_given, n_other))
    np.cumsum(counts.reshape(n_fine, n_given, n_other), axis=0, out=cumulative[1:])
    joined = cumulative[end] - cumulative[first]
    gains = np.full((n_fine + 1, n_fine + 1), -np.inf)
    gains[first, end] = _x_log_x(joined).sum(axis=(1, 2)) - _x_log_x(joined.sum(axis=2)).sum(axis=1)
    return gains


def histogram_gains(counts: Array, edges: Floats) -> Floats:
    """Return the gain of every join of fine bins: the log-likelihood of a histogram's density.

    Each bin costs two parameters, its height and an edge.
    """
    n, n_fine = max(float(counts.sum()), 2.0), len(counts)
    first, end = np.triu_indices(n_fine + 1, 1)
    cumulative = np.r_[0.0, np.cumsum(counts)]
    joined = cumulative[end] - cumulative[first]
    relative = (edges - edges[0]) / ((edges[-1] - edges[0]) or 1.0)
    widths = relative[end] - relative[first] + 1 / n  # a bin of one value has no width
    gains = np.full((n_fine + 1, n_fine + 1), -np.inf)
    gains[first, end] = _x_log_x(joined) - joined * np.log(n * widths) - log(n)
    return gains


def best_joins(gains: Floats, max_bins: int) -> tuple[int, ...]:
    """Return the first fine bins of the bins of the best partition into two bins or more.

    A partition has the sum of the gains of its bins, less the cost of its description.
    """
    n_fine = len(gains) - 1
    totals, before = gains[0], []
    best = (-np.inf, 1)
    for n_bins in range(2, min(max_bins, n_fine) + 1):
        choices = totals[:, None] + gains
        before.append(choices.argmax(axis=0))
        totals = choices.max(axis=0)
        best = max(best, (totals[-1] - partition_cost(n_fine, n_bins), n_bins))
    starts = [n_fine]
    for way in reversed(before[: best[1] - 1]):
        starts.append(int(way[starts[-1]]))
    return (0, *reversed(starts[1:]))


def partition_cost(n_fine: int, n_bins: int) -> float:
    """Return the logarithm of the number of partitions into so many bins."""
    return lgamma(n_fine) - lgamma(n_bins) - lgamma(n_fine - n_bins + 1)


def _x_log_x(counts: Floats) -> Floats:
    return np.asarray(counts * np.log(np.maximum(counts, MIN_COUNT)))
