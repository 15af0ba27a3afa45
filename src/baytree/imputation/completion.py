"""Completion of missing cells by their posteriors: joint, independent, or drawn at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baytree import _core
from baytree.imputation.missing_cells import Floats, MissingCells
from baytree.imputation.regressions import StateRegressions
from baytree.networks import rows as network_rows
from baytree.networks.network import BayesianNetwork
from baytree.networks.row_calls import answer_rows
from baytree.networks.rows import CompletionName
from baytree.tables.columns import Mask, StateCodes

MAX_DRAWN_CELLS = 2**25  # of tables that are drawn at once


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

    def cell_probabilities(self, codes: StateCodes) -> Floats:
        """Return the distribution of every missing cell, by row, then by variable."""
        total: Any = 0.0
        for network in self.networks:
            total = total + _call_rows(_core.cell_marginals, network, codes, self.n_jobs)
        average = np.asarray(total / len(self.networks))
        return average if self.regressions is None else self.regressions.pool(codes, average)

    def complete(
        self,
        codes: StateCodes,
        completion: CompletionName,
        probabilities: Floats | None = None,
    ) -> StateCodes:
        """Return codes without missing cells; `probabilities` are those of the cells, if known.

        A row in which nothing is observed gets the most probable joint states.
        """
        is_missing = codes < 0
        is_joint = is_missing.any(axis=1) if completion == "joint" else is_missing.all(axis=1)
        completed = codes.copy(order="F")
        if probabilities is not None and completion == "independent":
            completed[is_missing] = self._choose_states(codes, probabilities)
        elif completion == "independent":
            rows = is_missing.any(axis=1) & ~is_joint
            completed[rows] = self._complete_cells(np.asfortranarray(codes[rows]))
        if is_joint.any():
            completed[is_joint] = self._complete_jointly(np.asfortranarray(codes[is_joint]))
        return completed

    def _complete_cells(self, codes: StateCodes) -> StateCodes:
        """Complete each cell on its own, without its distribution where the core needs none."""
        completed = codes.copy(order="F")
        rows = np.ones(len(codes), dtype=bool)
        if len(self.networks) == 1 and self.regressions is None:
            rows = np.asarray((codes[:, self._binned] < 0).any(axis=1))
            others = np.asfortranarray(codes[~rows])
            completed[~rows] = network_rows.completed(
                self.networks[0], others, "independent", self.n_jobs
            )
        if rows.any():
            some = np.asfortranarray(codes[rows])
            some[some < 0] = self._choose_states(some, self.cell_probabilities(some))
            completed[rows] = some
        return completed

    def _choose_states(self, codes: StateCodes, probabilities: Floats) -> StateCodes:
        """Return the mode of each missing cell; the median of a cell of binned numbers.

        The most probable of many bins can be far from where most of the probability is.
        """
        cells = MissingCells.of(codes, self._arities)
        states = cells.most_probable_states(probabilities)
        is_binned = np.isin(cells.variables, self._binned)
        if is_binned.any():
            states = np.where(is_binned, cells.median_states(probabilities), states)
        return states

    def log_probabilities(self, codes: StateCodes, shown: StateCodes, is_held_out: Mask) -> Floats:
        """Return the log probabilities of the states of held-out cells, by row, then by variable.

        `shown` are the codes without the held-out cells.
        """
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


def _call_rows(
    call: Any, network: BayesianNetwork, codes: StateCodes, n_jobs: int | None, **options: Any
) -> Any:
    rows = np.asfortranarray(codes)
    return answer_rows(call, network._row_network, rows, n_jobs=n_jobs, **options)
