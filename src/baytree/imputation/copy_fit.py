"""How many rows of a table are near copies of others, and whether that helps to fill it.

By the likelihood alone, rows of all combinations of some states would be copies of each other, and
donors would be wrong about the one cell in question. So cells are hidden and filled, too.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from baytree.imputation.copies import ERROR_RATES, LOWEST, ComparedRows, LikelyCopies, RowCopies
from baytree.runtime.limits import run_control
from baytree.tables.cell_distributions import Floats
from baytree.tables.columns import Mask
from baytree.tables.encoding import StateCodes

# Rows are compared with every donor, so there are no more than these, whatever the table.
MAX_DONORS = 20_000
MAX_CELLS = 2**24
# Shares are estimated from so many rows, or from fewer where more cells would be compared.
MAX_ROWS = 1_000
MAX_COMPARED_CELLS = 1e10
HIDDEN_SHARE = 0.05  # of the cells of these rows
N_EM_ITERATIONS = 100
OFFSETS = np.arange(0.0, 41.0)
IMPROBABLE = -10.0  # as a logarithm: one cell that is impossible must not decide alone
NO_COPIES = np.eye(1, 1 + len(ERROR_RATES))[0]


class RowModel(Protocol):
    """What networks say about rows."""

    def log_likelihoods(self, codes: StateCodes) -> Floats:
        """Return the logarithm of each row's probability."""

    def log_probabilities_by_networks(
        self, codes: StateCodes, shown: StateCodes, is_hidden: Mask
    ) -> tuple[Floats, Floats]:
        """Return those of the states of hidden cells, by row and variable, and of shown rows."""


def estimated_copies(
    codes: StateCodes,
    arities: StateCodes,
    networks: RowModel,
    *,
    seed: int,
    deadline: float,
    n_jobs: int | None,
) -> RowCopies | None:
    """Return the copies in a table; None if hidden cells are hardly more probable with them.

    Ctrl-C raises KeyboardInterrupt, and a deadline TimeoutError.
    """
    random = np.random.default_rng(seed)
    n_donors = min(len(codes), MAX_DONORS, MAX_CELLS // codes.shape[1])
    if n_donors < 2:
        return None
    donors = np.asfortranarray(codes[_drawn(len(codes), n_donors, random)])
    n_rows = min(n_donors, MAX_ROWS, int(MAX_COMPARED_CELLS / donors.size))
    own = _drawn(n_donors, n_rows, random)
    work = _Estimation(networks, deadline, n_jobs)
    copies, likely = work.most_probable(RowCopies(donors, arities, NO_COPIES), own)
    offset = work.offset(copies, own[likely.pruned().rows], random)
    if offset is None:
        return None
    held = replace(likely, of_network=likely.of_network + offset)
    return replace(copies, offset=offset, copied_share=float(held.probabilities.mean()))


def _drawn(n_rows: int, n_drawn: int, random: np.random.Generator) -> StateCodes:
    """Return rows drawn without replacement, in order."""
    return np.sort(random.choice(n_rows, n_drawn, replace=False)).astype(np.int32)


@dataclass(frozen=True)
class _Estimation:
    """The steps, with what they all need; `own` are positions of rows among the donors."""

    networks: RowModel
    deadline: float
    n_jobs: int | None

    def most_probable(self, copies: RowCopies, own: StateCodes) -> tuple[RowCopies, LikelyCopies]:
        """Return copies with the most probable shares, and what the rows come from."""
        rows = np.asfortranarray(copies.donors[own])
        compared = self._compared(copies, rows, own)
        likelihoods = self.networks.log_likelihoods(rows)
        of_copies = np.logaddexp.reduce(compared.log_densities, axis=1)
        of_copies -= math.log(len(copies.donors) - 1)
        shares = estimated_shares(np.column_stack([likelihoods, of_copies]))
        found = replace(copies, shares=shares)
        return found, found.weighted(np.arange(len(own)), compared, likelihoods)

    def offset(
        self, copies: RowCopies, own: StateCodes, random: np.random.Generator
    ) -> float | None:
        """Return the best offset for some cells of rows, which are hidden for it."""
        if not len(own):
            return None
        rows = np.asfortranarray(copies.donors[own])
        is_hidden = (rows >= 0) & (random.random(rows.shape) < HIDDEN_SHARE)
        shown = np.asfortranarray(np.where(is_hidden, np.int32(-1), rows))
        compared = self._compared(copies, shown, own)
        of_cells, of_rows = self.networks.log_probabilities_by_networks(rows, shown, is_hidden)
        likely = copies.weighted(np.arange(len(own)), compared, of_rows)
        lines, variables = np.nonzero(is_hidden)
        told = copies.weights_for_states(likely, lines, variables, rows[is_hidden])
        return best_offset(likely.of_network[lines], of_cells, *told)

    def _compared(self, copies: RowCopies, rows: StateCodes, own: StateCodes) -> ComparedRows:
        control = run_control(self.deadline, None)
        compared = copies.compared(rows, own=own, n_jobs=self.n_jobs, control=control)
        if control.is_interrupted:
            raise KeyboardInterrupt
        if time.monotonic() >= self.deadline:
            raise TimeoutError
        return compared


def estimated_shares(log_densities: Floats) -> Floats:
    """Return how often rows have each of their densities, by EM.

    One row more is spread over all: where every row has a copy, new ones may still have none.
    """
    n_rows, n_densities = log_densities.shape
    floored = np.maximum(log_densities, LOWEST)
    shares = np.full(n_densities, 1 / n_densities)
    for _ in range(N_EM_ITERATIONS):
        joint = floored + np.log(shares)
        posteriors = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
        shares = (posteriors.sum(axis=0) + 1 / n_densities) / (n_rows + 1)
    return np.asarray(shares)


def best_offset(
    of_network: Floats, of_cells: Floats, of_donors: Floats, of_right_donors: Floats
) -> float | None:
    """Return by how many nats copies are to be held less probable, for hidden cells to be more so.

    All are logarithms, for each cell: the weight of the network and its probability of the cell's
    state, the weight of the donors that have the cell, and that part of it which they give to the
    state. Returns the first that gains about as much as any; None unless the gain is worth the
    parameter by BIC.
    """
    right = of_right_donors - of_network - np.maximum(of_cells, IMPROBABLE)
    everything = of_donors - of_network
    gains = [
        np.sum(np.logaddexp(0, right - offset) - np.logaddexp(0, everything - offset))
        for offset in OFFSETS
    ]
    if not len(of_cells) or max(gains) < math.log(len(of_cells)) / 2:
        return None
    return float(OFFSETS[np.argmax(np.array(gains) > max(gains) - 1)])
