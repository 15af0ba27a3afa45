"""How many rows of a table are near copies of others, if it is worth knowing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from baytree._encoding import StateCodes
from baytree._row_copies import ERROR_RATES, LOWEST, Floats, RowCopies
from baytree._run_limits import run_control

# Rows are compared with every donor, so there are no more than these, whatever the table.
MAX_DONORS = 20_000
MAX_CELLS = 50_000_000
# Shares are estimated from so many rows, or from fewer where more cells would be compared.
MAX_ROWS = 1_000
MAX_COMPARED_CELLS = 1e10
N_EM_ITERATIONS = 100
NO_COPIES = np.eye(1, 1 + len(ERROR_RATES))[0]


def estimated_copies(
    codes: StateCodes,
    arities: StateCodes,
    log_likelihoods: Callable[[StateCodes], Floats],
    *,
    seed: int,
    deadline: float,
    n_jobs: int | None,
) -> RowCopies | None:
    """Return the copies in a table; None if it is hardly more probable with them than without.

    `log_likelihoods` are those of rows under the network. Ctrl-C raises KeyboardInterrupt, and a
    deadline TimeoutError.
    """
    random = np.random.default_rng(seed)
    n_donors = min(len(codes), MAX_DONORS, MAX_CELLS // codes.shape[1])
    if n_donors < 2:
        return None
    donors = np.asfortranarray(codes[np.sort(random.choice(len(codes), n_donors, replace=False))])
    n_rows = min(n_donors, MAX_ROWS, int(MAX_COMPARED_CELLS / donors.size))
    own = np.sort(random.choice(n_donors, n_rows, replace=False)).astype(np.int32)
    copies = RowCopies(donors, arities, NO_COPIES)
    control = run_control(deadline, None)
    _, densities = copies.log_densities(donors[own], own=own, n_jobs=n_jobs, control=control)
    if control.is_interrupted:
        raise KeyboardInterrupt
    if time.monotonic() >= deadline:
        raise TimeoutError
    of_copies = np.logaddexp.reduce(densities, axis=1) - math.log(n_donors - 1)
    weights = estimated_weights(np.column_stack([log_likelihoods(donors[own]), of_copies]))
    return None if weights is None else replace(copies, weights=weights)


def estimated_weights(log_densities: Floats) -> Floats | None:
    """Return how often rows have each of their densities; None if the first is enough by BIC."""
    n_rows, n_densities = log_densities.shape
    floored = np.maximum(log_densities, LOWEST)
    weights = np.full(n_densities, 1 / n_densities)
    with np.errstate(divide="ignore"):  # weights may come down to zero
        for _ in range(N_EM_ITERATIONS):
            joint = floored + np.log(weights)
            weights = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)).mean(axis=0)
        gains = np.logaddexp.reduce(floored + np.log(weights), axis=1) - floored[:, 0]
    return weights if gains.sum() > (n_densities - 1) / 2 * math.log(n_rows) else None
