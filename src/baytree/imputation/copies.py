"""Rows that are near copies of others, and what that says about their gaps.

A network does not hold that a row is there twice. So a row either is drawn from the network, or
copies a donor, one of the rows of fit: each of its cells is kept, or at some rate of errors drawn
anew from the distribution of its variable. A donor that lacks a cell says nothing about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from baytree import _core
from baytree.runtime.limits import run_control, thread_count
from baytree.runtime.long_calls import long_call
from baytree.tables.cell_distributions import Floats, GapCells, Positions
from baytree.tables.columns import Mask
from baytree.tables.encoding import StateCodes

ERROR_RATES = np.array([0.003, 0.01, 0.03, 0.1, 0.3])
N_DONORS = 16  # of a row
NEGLIGIBLE = -10.0  # log odds of a copy
LOWEST = -1e300  # log-likelihood of rows that the network holds impossible
ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows with the donors that are most like them."""

    donors: Positions  # by row; -1 where there are no more
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
        highest = np.maximum(self.of_donors, LOWEST)[:, :, None]
        return np.asarray(np.exp(self.log_weights - highest) @ (1 - ERROR_RATES))

    @property
    def probabilities(self) -> Floats:
        """Probability of each row to be a copy."""
        of_copies = np.logaddexp.reduce(self.of_donors, axis=1)
        return np.asarray(np.exp(of_copies - np.logaddexp(of_copies, self.of_network)))

    def pruned(self) -> LikelyCopies:
        """Return the rows for which being a copy is worth a thought."""
        at = np.flatnonzero(self.of_donors.max(axis=1) > self.of_network + NEGLIGIBLE)
        return LikelyCopies(
            self.rows[at], self.of_network[at], self.donors[at], self.log_weights[at]
        )


@dataclass(frozen=True, eq=False)
class RowCopies:
    """Donors, and the shares of rows that come from the network, and that copy at each rate.

    Copies are held less probable by an offset, in nats, than these shares would have it. What is
    left of them, of the rows that were compared, is the copied share.
    """

    donors: StateCodes
    arities: StateCodes
    shares: Floats
    offset: float = 0.0
    copied_share: float = 0.0

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to the core and is made again when needed."""
        return {name: value for name, value in self.__dict__.items() if name != "_search"}

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
        must_help: bool = False,
        n_jobs: int | None,
        control: _core.RunControl,
    ) -> ComparedRows:
        """Return rows with their donors.

        `own` are the rows' own positions among the donors, where they are some. Donors that must
        help have a cell that the row lacks.
        """
        with long_call(control):
            donors, densities = self._search.find(
                np.asfortranarray(codes),
                own=own,
                must_help=must_help,
                n_donors=N_DONORS,
                n_threads=thread_count(n_jobs),
                control=control,
            )
        shape = (len(codes), min(N_DONORS, len(self.donors) - (own is not None)))
        by_rate = densities.reshape(*shape, len(ERROR_RATES))
        return ComparedRows(donors.reshape(shape).astype(np.intp), by_rate)

    @cached_property
    def _search(self) -> _core.DonorSearch:
        return _core.DonorSearch(
            self.donors,
            arities=self.arities.tolist(),
            probabilities=self.probabilities,
            error_rates=ERROR_RATES.tolist(),
        )

    def weighted(
        self, rows: Positions, compared: ComparedRows, log_likelihoods: Floats
    ) -> LikelyCopies:
        """Return rows with the weights of all that they may come from."""
        with np.errstate(divide="ignore"):  # a share may be zero
            log_shares = np.log(self.shares)
        return LikelyCopies(
            rows,
            np.maximum(log_shares[0] + log_likelihoods + self.offset, LOWEST),
            compared.donors,
            compared.log_densities + log_shares[1:] - math.log(len(self.donors)),
        )

    def likely(
        self, codes: StateCodes, log_likelihoods: Floats, n_jobs: int | None
    ) -> LikelyCopies:
        """Return the rows with gaps that may be copies; Ctrl-C raises KeyboardInterrupt."""
        is_gap = codes < 0
        rows = np.flatnonzero(is_gap.any(axis=1) & ~is_gap.all(axis=1))
        parts = []
        for first in range(0, max(len(rows), 1), ROWS_AT_ONCE):
            some = rows[first : first + ROWS_AT_ONCE]
            control = run_control(math.inf, None)
            compared = self.compared(codes[some], must_help=True, n_jobs=n_jobs, control=control)
            if control.is_interrupted:
                raise KeyboardInterrupt
            parts.append(self.weighted(some, compared, log_likelihoods[some]).pruned())
        return LikelyCopies(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.of_network for part in parts]),
            np.concatenate([part.donors for part in parts]),
            np.concatenate([part.log_weights for part in parts]),
        )

    def mixed(self, codes: StateCodes, of_networks: Floats, likely: LikelyCopies) -> Floats:
        """Return the distributions of all gaps, given those of networks, by row and variable."""
        line = np.full(len(codes), -1)
        line[likely.rows] = np.arange(len(likely.rows))
        gaps = GapCells.missing_in(codes, self.arities)
        asked = np.flatnonzero(line[gaps.rows] >= 0)
        entries = gaps.entries_of(asked)
        mixed = of_networks.copy()
        mixed[entries] = self._mixed_cells(
            likely, line[gaps.rows[asked]], gaps.variables[asked], of_networks[entries]
        )
        return mixed

    def completed(self, codes: StateCodes, filled: StateCodes, likely: LikelyCopies) -> StateCodes:
        """Return filled rows, in which cells of likelier donors take the place of others."""

        def best(lines: Positions, is_helpful: Mask) -> tuple[Positions, Floats]:
            weights = np.where(is_helpful, likely.of_donors[lines], -np.inf)
            donors = weights.argmax(axis=1)
            is_copy = weights.max(axis=1) > likely.of_network[lines]
            return np.where(is_copy, donors, -1), np.zeros(len(lines))

        return self._copied(codes, filled, likely, best, np.random.default_rng(0))

    def drawn(
        self, codes: StateCodes, drawn: StateCodes, likely: LikelyCopies, seed: int
    ) -> StateCodes:
        """Return rows drawn from a network, of which some are copies instead, with their errors.

        Each cell has the distribution that `mixed` says: of the origins that are drawn one after
        the other, it comes from the first that has it.
        """
        random = np.random.default_rng(seed)

        def origin(lines: Positions, is_helpful: Mask) -> tuple[Positions, Floats]:
            weights = np.where(is_helpful[:, :, None], likely.log_weights[lines], -np.inf)
            flat = weights.reshape(len(lines), is_helpful.shape[1] * len(ERROR_RATES))
            flat = np.column_stack([likely.of_network[lines], flat])
            chosen = (flat + random.gumbel(size=flat.shape)).argmax(axis=1) - 1
            donors, rates = np.divmod(np.maximum(chosen, 0), len(ERROR_RATES))
            return np.where(chosen < 0, -1, donors), ERROR_RATES[rates]

        return self._copied(codes, drawn, likely, origin, random)

    def _copied(
        self,
        codes: StateCodes,
        filled: StateCodes,
        likely: LikelyCopies,
        choose: Callable[[Positions, Mask], tuple[Positions, Floats]],
        random: np.random.Generator,
    ) -> StateCodes:
        """Return filled rows with the cells of chosen donors.

        `choose` says for some lines of `likely`, and which donors have cells that are still open,
        the donor of each, or -1 for the network, which has all; and its rate of errors.
        """
        result = filled.copy(order="F")
        is_open = codes[likely.rows] < 0
        lines = np.arange(len(likely.rows))
        while len(lines):
            ranks, rates = choose(lines, self._is_helpful(likely.donors[lines], is_open[lines]))
            is_copy = ranks >= 0
            lines, ranks, rates = lines[is_copy], ranks[is_copy], rates[is_copy]
            theirs = self.donors[likely.donors[lines, ranks]]
            is_taken = is_open[lines] & (theirs >= 0)
            at, variables = np.nonzero(is_taken)
            states = theirs[is_taken]
            is_error = random.random(len(at)) < rates[at]
            states[is_error] = self._drawn_states(variables[is_error], random)
            result[likely.rows[lines[at]], variables] = states
            is_open[lines] &= ~is_taken
            lines = lines[is_open[lines].any(axis=1)]
        return result

    def _is_helpful(self, donors: Positions, is_open: Mask) -> Mask:
        """Return whether each donor of rows has a cell that is open."""
        columns = [(is_open & (self.donors[own] >= 0)).any(axis=1) for own in donors.T]
        return np.asarray(np.column_stack(columns) & (donors >= 0))

    def _mixed_cells(
        self, likely: LikelyCopies, lines: Positions, variables: Positions, of_networks: Floats
    ) -> Floats:
        """Return distributions of gaps, each in a line of `likely`."""
        n_donors = likely.donors.shape[1]
        highest = likely.of_network[lines]
        for rank in range(n_donors):
            highest = np.maximum(highest, self._of_donors(likely, rank, lines, variables)[1])
        of_network = np.exp(likely.of_network[lines] - highest)
        total, redrawn = of_network.copy(), np.zeros(len(lines))
        arities = self.arities[variables]
        firsts = np.cumsum(arities) - arities
        kept = np.zeros(len(of_networks))
        for rank in range(n_donors):
            states, log_weights = self._of_donors(likely, rank, lines, variables)
            weights = np.exp(log_weights - highest)
            own = weights * likely.kept[lines, rank]
            total += weights
            redrawn += weights - own
            np.add.at(kept, firsts + np.maximum(states, 0), own)
        of_variables = self.probabilities[_entries(self.first_states[variables], arities)]
        spread = [np.repeat(part / total, arities) for part in (of_network, redrawn)]
        return np.asarray(
            spread[0] * of_networks + spread[1] * of_variables + kept / np.repeat(total, arities)
        )

    def weights_for_states(
        self, likely: LikelyCopies, lines: Positions, variables: Positions, states: StateCodes
    ) -> tuple[Floats, Floats]:
        """Return the log weights of the donors that have cells, and what of it goes to states."""
        of_variables = self.probabilities[self.first_states[variables] + states]
        of_all = of_right = np.full(len(lines), -np.inf)
        for rank in range(likely.donors.shape[1]):
            theirs, log_weights = self._of_donors(likely, rank, lines, variables)
            kept = likely.kept[lines, rank]
            right = kept * (theirs == states) + (1 - kept) * of_variables
            of_all = np.logaddexp(of_all, log_weights)
            of_right = np.logaddexp(of_right, log_weights + np.log(right))
        return of_all, of_right

    def _of_donors(
        self, likely: LikelyCopies, rank: int, lines: Positions, variables: Positions
    ) -> tuple[StateCodes, Floats]:
        """Return what the donors of a rank say about cells, and their log weights."""
        states = self.donors[likely.donors[lines, rank], variables]
        return states, np.where(states >= 0, likely.of_donors[lines, rank], -np.inf)

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
