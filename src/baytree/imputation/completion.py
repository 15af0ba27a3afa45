"""Completion of missing cells by their posteriors: joint, independent, or drawn at random."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from baytree import _core
from baytree.exceptions import InferenceTooLargeError
from baytree.imputation.missing_cells import MAX_STATES, Floats, MissingCells, is_asked
from baytree.imputation.regressions import StateRegressions
from baytree.networks import rows as network_rows
from baytree.networks.network import BayesianNetwork
from baytree.networks.row_calls import MAX_MEMORY_FRACTION, answer_rows
from baytree.networks.rows import CompletionName
from baytree.runtime.memory import available_memory
from baytree.tables.columns import Mask, StateCodes

MAX_DRAWN_CELLS = 2**25  # of tables that are drawn at once
ENTRIES_PER_BATCH = 2**22  # of distributions that are computed at once
BYTES_PER_ENTRY = 150  # of a frame of distributions, while it is made


def draw_tables(
    network: BayesianNetwork,
    codes: StateCodes,
    seeds: Sequence[int],
    n_jobs: int | None,
    max_cells: int = MAX_DRAWN_CELLS,
) -> Iterator[StateCodes]:
    """Yield one table per seed, with the missing cells of each row drawn from their posterior.

    Several are drawn at once, as many as `max_cells` allows, which takes hardly longer than one.
    """
    n_at_once = max(max_cells // max(codes.size, 1), 1)
    for first in range(0, len(seeds), n_at_once):
        some = [int(seed) for seed in seeds[first : first + n_at_once]]
        yield from _call_rows(_core.draw_completions, network, codes, n_jobs, seeds=some)


@dataclass(frozen=True)
class NetworkAverage:
    """Networks over the same variables, whose posteriors are averaged with equal weights.

    Regressions apply to single cells only. What completes whole rows uses networks alone.
    """

    networks: Sequence[BayesianNetwork]
    n_jobs: int | None = 1
    regressions: StateRegressions | None = None

    @property
    def _arities(self) -> StateCodes:
        return self.networks[0]._encoding.arities

    @property
    def _binned(self) -> list[int]:
        return list(self.networks[0]._encoding.bins)

    def cell_probabilities(self, codes: StateCodes, max_states: int | None = MAX_STATES) -> Floats:
        """Return the distributions of missing cells, by row, then by variable.

        They are those of the variables of at most `max_states`; None for all, if they fit in
        memory.
        """
        cells = MissingCells.of(codes, self._arities, max_states)
        if max_states is None:
            _refuse_too_many_entries(cells, self.networks[0].variables)
        batches = _row_batches(codes, self._arities)
        probabilities = np.concatenate([self._by_networks(some, max_states) for some in batches])
        if self.regressions is not None:
            is_pooled = _is_of_few_states(cells)
            pooled = self.regressions.pool(codes, probabilities[is_pooled])
            probabilities[is_pooled] = pooled
        return probabilities

    def _by_networks(self, codes: StateCodes, max_states: int | None) -> Floats:
        """Return the means over networks, in the memory of the distributions of all cells."""
        total: Any = 0.0
        for network in self.networks:
            total = total + _call_rows(_core.cell_marginals, network, codes, self.n_jobs)
        means = np.asarray(total / len(self.networks))
        return means if max_states is None else self._of_few_states(codes, means)

    def _of_few_states(self, codes: StateCodes, probabilities: Floats) -> Floats:
        """Return those distributions of all missing cells that are of few states."""
        cells = MissingCells.of(codes, self._arities, max_states=None)
        return probabilities[_is_of_few_states(cells)]

    def complete(
        self,
        codes: StateCodes,
        completion: CompletionName,
        probabilities: Floats | None = None,
    ) -> StateCodes:
        """Return codes without missing cells; `probabilities` are those of all cells, if known.

        A row in which nothing is observed gets the most probable joint states. The first network
        alone completes single cells of more than `MAX_STATES`.
        """
        is_missing = codes < 0
        is_joint = is_missing.any(axis=1) if completion == "joint" else is_missing.all(axis=1)
        completed = codes.copy(order="F")
        if completion == "independent" and probabilities is not None:
            self._put_states(completed, self._of_few_states(codes, probabilities))
        elif completion == "independent":
            rows = self._needs_distributions(codes) & ~is_joint
            some = np.asfortranarray(codes[rows])
            self._put_states(some, self.cell_probabilities(some))
            completed[rows] = some
        if is_joint.any():
            completed[is_joint] = self._complete_jointly(np.asfortranarray(codes[is_joint]))
        is_left = np.asarray((completed < 0).any(axis=1))
        if is_left.any():
            modes = self._modes_by_first_network(np.asfortranarray(codes[is_left]))
            completed[is_left] = np.where(completed[is_left] < 0, modes, completed[is_left])
        return completed

    def _needs_distributions(self, codes: StateCodes) -> Mask:
        """Return the rows that the core cannot complete; it knows modes, but of one network."""
        is_needed = is_asked(codes, self._arities)
        if len(self.networks) == 1 and self.regressions is None:
            is_needed = is_needed[:, self._binned]
        return np.asarray(is_needed.any(axis=1))

    def _modes_by_first_network(self, codes: StateCodes) -> StateCodes:
        return network_rows.completed(self.networks[0], codes, "independent", self.n_jobs)

    def _put_states(self, codes: StateCodes, probabilities: Floats) -> None:
        """Put the mode into each cell that has a distribution, and the median of binned numbers.

        The most probable of many bins can be far from where most of the probability is.
        """
        cells = MissingCells.of(codes, self._arities)
        states = cells.most_probable_states(probabilities)
        is_binned = np.isin(cells.variables, self._binned)
        if is_binned.any():
            states = np.where(is_binned, cells.median_states(probabilities), states)
        codes[cells.rows, cells.variables] = states

    def log_probabilities(self, codes: StateCodes, shown: StateCodes, is_held_out: Mask) -> Floats:
        """Return the log probabilities of the states of held-out cells, by row, then by variable.

        `shown` are the codes without the held-out cells; those of many states are left out.
        """
        is_held_out = is_held_out & (self._arities <= MAX_STATES)
        if not is_held_out.any():
            return np.zeros(0)
        probabilities = self.cell_probabilities(shown)
        cells = MissingCells.of(shown, self._arities)
        starts = cells.starts[is_held_out[cells.rows, cells.variables]]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(probabilities[starts + codes[is_held_out]]))

    def draw(self, codes: StateCodes, seeds: Sequence[int]) -> Iterator[StateCodes]:
        """Yield one table per seed, with joint draws of missing cells; networks take turns."""
        n_networks = len(self.networks)
        max_cells = MAX_DRAWN_CELLS // n_networks
        by_network = [
            draw_tables(network, codes, seeds[position::n_networks], self.n_jobs, max_cells)
            for position, network in enumerate(self.networks)
        ]
        for turn in range(len(seeds)):
            yield next(by_network[turn % n_networks])

    def log_likelihoods(self, codes: StateCodes) -> Floats:
        """Return the logarithm of the mean probability of each row over networks."""
        rows = self._log_likelihoods(codes)
        return np.asarray(np.logaddexp.reduce(np.stack(rows)) - np.log(len(rows)))

    def _log_likelihoods(self, codes: StateCodes) -> list[Floats]:
        return [network_rows.log_likelihoods(own, codes, self.n_jobs) for own in self.networks]

    def _complete_jointly(self, codes: StateCodes) -> StateCodes:
        """Complete rows as each network would, and keep the most probable under all of them."""
        if len(self.networks) == 1:
            return network_rows.completed(self.networks[0], codes, "joint", self.n_jobs)
        observed = self._log_likelihoods(codes)
        best, best_posterior = codes, np.full(len(codes), -1.0)
        for own in self.networks:
            candidate = network_rows.completed(own, codes, "joint", self.n_jobs)
            posterior = np.zeros(len(codes))
            for network, evidence in zip(self.networks, observed, strict=True):
                whole = network_rows.log_likelihoods(network, candidate, self.n_jobs)
                with np.errstate(invalid="ignore"):  # of a row that is impossible
                    posterior += np.nan_to_num(np.exp(whole - evidence))
            is_better = posterior > best_posterior
            best = np.where(is_better[:, None], candidate, best)
            best_posterior = np.maximum(posterior, best_posterior)
        return np.asfortranarray(best)


def _is_of_few_states(cells: MissingCells) -> Mask:
    """Return the mask of the entries of distributions over at most `MAX_STATES`."""
    return np.asarray(np.repeat(cells.arities <= MAX_STATES, cells.arities))


def _row_batches(codes: StateCodes, arities: StateCodes) -> Iterator[StateCodes]:
    """Yield rows in order, in batches that bound the memory of their distributions."""
    batches = np.cumsum((codes < 0) @ arities.astype(np.int64)) // ENTRIES_PER_BATCH
    ends = np.flatnonzero(np.diff(batches)) + 1
    for first, last in pairwise([0, *ends.tolist(), len(codes)]):
        yield codes[first:last]


def _refuse_too_many_entries(cells: MissingCells, names: Sequence[Hashable]) -> None:
    """Raise InferenceTooLargeError if a frame of distributions would not fit in memory."""
    n_bytes, max_bytes = BYTES_PER_ENTRY * cells.n_entries, MAX_MEMORY_FRACTION * available_memory()
    if n_bytes <= max_bytes:
        return
    by_variable = np.bincount(cells.variables, cells.arities, minlength=len(names))
    largest = int(by_variable.argmax())
    own = cells.variables == largest
    raise InferenceTooLargeError(
        f"The distributions of the missing cells need {n_bytes / 1e9:,.3g} GB; "
        f"{max_bytes / 1e9:,.3g} GB are allowed. Most is for variable {names[largest]!r}: "
        f"{np.count_nonzero(own):,} missing cells of {cells.arities[own][0]:,} states. "
        "Leave the variable out, or give fewer rows at a time."
    )


def _call_rows(
    call: Any, network: BayesianNetwork, codes: StateCodes, n_jobs: int | None, **options: Any
) -> Any:
    rows = np.asfortranarray(codes)
    return answer_rows(call, network._row_network, rows, n_jobs=n_jobs, **options)
