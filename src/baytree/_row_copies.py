"""Rows that are near copies of others, and what that says about their gaps.

A network does not hold that a row is there twice. So a row either is drawn from the network, or
copies a donor, one of the rows of fit: each of its cells is kept, or at some rate of errors drawn
anew from the distribution of its variable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree._encoding import StateCodes
from baytree._long_calls import long_call
from baytree._run_limits import run_control, thread_count

Floats: TypeAlias = npt.NDArray[np.float64]
Positions: TypeAlias = npt.NDArray[np.intp]

ERROR_RATES = np.array([0.003, 0.01, 0.03, 0.1, 0.3])
N_DONORS = 16  # of a row; those behind them hardly ever count
NEGLIGIBLE = -10.0  # log odds of a copy
LOWEST = -1e300  # log-likelihood of rows that the network holds impossible


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows with the donors that are most like them."""

    donors: Positions  # by row
    log_densities: Floats  # of each row as a copy, by donor and rate of errors


@dataclass(frozen=True, eq=False)
class LikelyCopies:
    """Rows of a table that may be copies, with their likeliest donors."""

    rows: Positions
    of_network: Floats  # log weight of each row's not being a copy
    donors: Positions  # by row
    log_weights: Floats  # by row, donor and rate of errors

    @cached_property
    def of_donors(self) -> Floats:
        """Log weights by row and donor."""
        return np.asarray(np.logaddexp.reduce(self.log_weights, axis=2))

    @cached_property
    def kept(self) -> Floats:
        """Probability of a cell to be kept, by row and donor."""
        highest = np.maximum(self.of_donors, np.finfo(float).min)[:, :, None]
        return np.asarray(np.exp(self.log_weights - highest) @ (1 - ERROR_RATES))

    def pruned(self) -> LikelyCopies:
        """Return the rows for which being a copy is worth a thought."""
        at = np.flatnonzero(self.of_donors.max(axis=1) > self.of_network + NEGLIGIBLE)
        return LikelyCopies(
            self.rows[at], self.of_network[at], self.donors[at], self.log_weights[at]
        )


@dataclass(frozen=True, eq=False)
class RowCopies:
    """Donors, and the share of rows that come from the network, and that copy at each rate.

    Copies are held less probable by an offset, in nats, than these shares would have it.
    """

    donors: StateCodes
    arities: StateCodes
    weights: Floats
    offset: float = 0.0

    @property
    def share(self) -> float:
        """Share of rows that are copies."""
        return float(self.weights[1:].sum())

    @cached_property
    def probabilities(self) -> Floats:
        """Distributions of all variables, one behind the other."""
        counts = [
            np.bincount(column[column >= 0], minlength=arity) + 1 / arity
            for column, arity in zip(self.donors.T, self.arities, strict=True)
        ]
        return np.concatenate([own / own.sum() for own in counts])

    @cached_property
    def first_states(self) -> Positions:
        """Positions of the variables' first states in `probabilities`."""
        return np.asarray(np.cumsum(self.arities) - self.arities, dtype=np.intp)

    def compared(
        self,
        codes: StateCodes,
        *,
        own: StateCodes | None = None,
        n_jobs: int | None,
        control: _core.RunControl,
    ) -> ComparedRows:
        """Return rows with their donors; `own` are the rows' own positions among the donors."""
        with long_call(control):
            donors, densities = _core.find_donors(
                np.asfortranarray(codes),
                self.donors,
                own=own,
                arities=self.arities.tolist(),
                probabilities=self.probabilities,
                error_rates=ERROR_RATES.tolist(),
                n_donors=N_DONORS,
                n_threads=thread_count(n_jobs),
                control=control,
            )
        shape = (len(codes), min(N_DONORS, len(self.donors) - (own is not None)))
        by_rate = densities.reshape(*shape, len(ERROR_RATES))
        return ComparedRows(donors.reshape(shape).astype(np.intp), by_rate)

    def weighted(
        self, rows: Positions, compared: ComparedRows, log_likelihoods: Floats
    ) -> LikelyCopies:
        """Return rows with the weights of all that they may come from."""
        with np.errstate(divide="ignore"):  # a weight may be zero
            log_weights = np.log(self.weights)
        return LikelyCopies(
            rows,
            np.maximum(log_weights[0] + log_likelihoods + self.offset, LOWEST),
            compared.donors,
            compared.log_densities + log_weights[1:] - math.log(len(self.donors)),
        )

    def mixed(
        self, codes: StateCodes, of_networks: Floats, log_likelihoods: Floats, n_jobs: int | None
    ) -> Floats:
        """Return the distributions of all gaps, given those of networks, by row and variable.

        A donor that lacks a cell says nothing about it, so that a row of fit is not its own donor.
        """
        likely = self._likely(codes, log_likelihoods, n_jobs)
        line = np.full(len(codes), -1)
        line[likely.rows] = np.arange(len(likely.rows))
        rows, variables = np.nonzero(codes < 0)
        arities = self.arities[variables]
        is_asked = line[rows] >= 0
        firsts = (np.cumsum(arities) - arities)[is_asked]
        mixed = of_networks.copy()
        entries = _entries(firsts, arities[is_asked])
        mixed[entries] = self._mixed_cells(
            likely, line[rows[is_asked]], variables[is_asked], of_networks[entries]
        )
        return mixed

    def completed(
        self, codes: StateCodes, filled: StateCodes, log_likelihoods: Floats, n_jobs: int | None
    ) -> StateCodes:
        """Return filled rows; those that most probably are copies with the cells of one donor."""
        likely = self._likely(codes, log_likelihoods, n_jobs)
        of_donors = np.where(self._is_helpful(codes, likely), likely.of_donors, -np.inf)
        best = of_donors.argmax(axis=1)
        is_copy = np.take_along_axis(of_donors, best[:, None], 1)[:, 0] > likely.of_network
        return self._copied(
            codes, filled, likely.rows[is_copy], likely.donors[is_copy, best[is_copy]]
        )

    def drawn(
        self,
        codes: StateCodes,
        drawn: StateCodes,
        log_likelihoods: Floats,
        seed: int,
        n_jobs: int | None,
    ) -> StateCodes:
        """Return rows drawn from a network, some of them as copies instead, with their errors."""
        likely = self._likely(codes, log_likelihoods, n_jobs)
        random = np.random.default_rng(seed)
        is_helpful = self._is_helpful(codes, likely)[:, :, None]
        of_donors = np.where(is_helpful, likely.log_weights, -np.inf).reshape(len(likely.rows), -1)
        weights = np.column_stack([likely.of_network, of_donors])
        chosen = (weights + random.gumbel(size=weights.shape)).argmax(axis=1) - 1
        is_copy = chosen >= 0
        donors, rates = np.divmod(chosen[is_copy], len(ERROR_RATES))
        rows = likely.rows[is_copy]
        result = self._copied(codes, drawn, rows, likely.donors[is_copy, donors])
        is_error = random.random((len(rows), codes.shape[1])) < ERROR_RATES[rates][:, None]
        lines, variables = np.nonzero(is_error & (codes[rows] < 0))
        result[rows[lines], variables] = self._drawn_states(variables, random)
        return result

    def _likely(
        self, codes: StateCodes, log_likelihoods: Floats, n_jobs: int | None
    ) -> LikelyCopies:
        """Return the rows with gaps that may be copies."""
        is_gap = codes < 0
        rows = np.flatnonzero(is_gap.any(axis=1) & ~is_gap.all(axis=1))
        control = run_control(math.inf, None)
        compared = self.compared(codes[rows], n_jobs=n_jobs, control=control)
        if control.is_interrupted:
            raise KeyboardInterrupt
        return self.weighted(rows, compared, log_likelihoods[rows]).pruned()

    def _mixed_cells(
        self, likely: LikelyCopies, lines: Positions, variables: Positions, of_networks: Floats
    ) -> Floats:
        """Return distributions of gaps, each in a line of `likely`."""
        n_donors = likely.donors.shape[1]
        highest = likely.of_network[lines]
        for i in range(n_donors):
            highest = np.maximum(highest, self._of_donor(likely, i, lines, variables)[1])
        of_network = np.exp(likely.of_network[lines] - highest)
        total, redrawn = of_network.copy(), np.zeros(len(lines))
        arities = self.arities[variables]
        firsts = np.cumsum(arities) - arities
        kept = np.zeros(len(of_networks))
        for i in range(n_donors):
            states, log_weights = self._of_donor(likely, i, lines, variables)
            weights = np.exp(log_weights - highest)
            own = weights * likely.kept[lines, i]
            total += weights
            redrawn += weights - own
            np.add.at(kept, firsts + np.maximum(states, 0), own)
        of_variables = self.probabilities[_entries(self.first_states[variables], arities)]
        spread = [np.repeat(part / total, arities) for part in (of_network, redrawn)]
        return np.asarray(
            spread[0] * of_networks + spread[1] * of_variables + kept / np.repeat(total, arities)
        )

    def told(
        self, likely: LikelyCopies, lines: Positions, variables: Positions, states: StateCodes
    ) -> tuple[Floats, Floats]:
        """Return the log weights of the donors that have cells, and what of it goes to states."""
        of_variables = self.probabilities[self.first_states[variables] + states]
        of_all = of_right = np.full(len(lines), -np.inf)
        for i in range(likely.donors.shape[1]):
            theirs, log_weights = self._of_donor(likely, i, lines, variables)
            kept = likely.kept[lines, i]
            right = kept * (theirs == states) + (1 - kept) * of_variables
            of_all = np.logaddexp(of_all, log_weights)
            of_right = np.logaddexp(of_right, log_weights + np.log(right))
        return of_all, of_right

    def _of_donor(
        self, likely: LikelyCopies, i: int, lines: Positions, variables: Positions
    ) -> tuple[StateCodes, Floats]:
        """Return what the donors in a column say about cells, and their log weights."""
        states = self.donors[likely.donors[lines, i], variables]
        return states, np.where(states >= 0, likely.of_donors[lines, i], -np.inf)

    def _is_helpful(self, codes: StateCodes, likely: LikelyCopies) -> npt.NDArray[np.bool_]:
        """Return whether donors have a cell that the row lacks."""
        is_gap = codes[likely.rows] < 0
        columns = [(is_gap & (self.donors[donors] >= 0)).any(axis=1) for donors in likely.donors.T]
        return np.column_stack(columns)

    def _copied(
        self, codes: StateCodes, filled: StateCodes, rows: Positions, donors: Positions
    ) -> StateCodes:
        """Return filled rows, some of which take over what a donor each has in their gaps."""
        result = filled.copy(order="F")
        theirs = self.donors[donors]
        is_taken = (codes[rows] < 0) & (theirs >= 0)
        result[rows] = np.where(is_taken, theirs, result[rows])
        return result

    def _drawn_states(self, variables: Positions, random: np.random.Generator) -> StateCodes:
        """Return a state for each variable, drawn from its distribution."""
        ends = np.cumsum(self.probabilities)  # grows by one with each variable
        firsts = self.first_states[variables]
        below = ends[firsts] - self.probabilities[firsts]
        states = np.searchsorted(ends, below + random.random(len(variables)), "right") - firsts
        return np.asarray(np.clip(states, 0, self.arities[variables] - 1), dtype=np.int32)


def _entries(firsts: Positions, arities: StateCodes) -> Positions:
    """Return the positions of distributions that start at given ones."""
    starts = np.cumsum(arities) - arities
    return np.asarray(np.repeat(firsts - starts, arities) + np.arange(arities.sum()))
