"""What several networks say together about rows with gaps, with regressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baytree import _core
from baytree.imputation.regressions import StateRegressions
from baytree.networks.network import BayesianNetwork
from baytree.networks.row_calls import answer_rows
from baytree.networks.rows import CompletionName
from baytree.tables.cell_distributions import Floats, GapCells
from baytree.tables.columns import Mask
from baytree.tables.encoding import StateCodes

MAX_DRAWN_CELLS = 2**25  # of tables that are drawn at once


def drawn_tables(
    network: BayesianNetwork,
    codes: StateCodes,
    seeds: Sequence[int],
    n_jobs: int | None,
    max_cells: int = MAX_DRAWN_CELLS,
) -> Iterator[StateCodes]:
    """Yield codes with the gaps of each row drawn from their joint posterior, once for each seed.

    Several are drawn at once, which takes hardly longer than one, as far as cells are allowed.
    """
    n_at_once = max(max_cells // max(codes.size, 1), 1)
    for first in range(0, len(seeds), n_at_once):
        some = [int(seed) for seed in seeds[first : first + n_at_once]]
        yield from _answered(_core.draw_completions, network, codes, n_jobs, seeds=some)


@dataclass(frozen=True)
class NetworkAverage:
    """Networks over the same variables whose posteriors are averaged, all with one weight.

    Regressions may have a say on single cells.
    """

    networks: Sequence[BayesianNetwork]
    n_jobs: int | None = 1
    regressions: StateRegressions | None = None

    @property
    def _arities(self) -> StateCodes:
        return self.networks[0]._encoding.arities

    def completed(self, codes: StateCodes, method: CompletionName) -> StateCodes:
        """Return codes with all gaps filled."""
        is_gap = codes < 0
        is_blank = is_gap.all(axis=1)  # nothing to go by: the most probable row of all
        filled = codes.copy(order="F")
        for where, how in ((is_gap.any(axis=1) & ~is_blank, method), (is_blank, "joint")):
            if where.any():
                filled[where] = self._completed(np.asfortranarray(codes[where]), how)
        if method == "independent":
            self._set_middle_bins(codes, filled)
        return filled

    def _set_middle_bins(self, codes: StateCodes, filled: StateCodes) -> None:
        """Fill gaps of numbers with the bin in the middle of their distribution.

        The likeliest of many bins can lie far from where most of the probability is.
        """
        binned = list(self.networks[0]._encoding.bins)
        has_gap = (codes[:, binned] < 0).any(axis=1)
        rows = np.flatnonzero(has_gap & (codes >= 0).any(axis=1))
        if not len(rows):
            return
        gaps = codes[rows] < 0
        arities = self._arities[np.nonzero(gaps)[1]]
        middles = np.zeros(gaps.shape, dtype=np.int32)
        middles[gaps] = _middle_states(self.cell_probabilities(codes[rows]), arities)
        for position in binned:
            own = rows[gaps[:, position]]
            filled[own, position] = middles[gaps[:, position], position]

    def cell_probabilities(self, codes: StateCodes) -> Floats:
        """Return the distribution of every gap, one behind the other, by row, then by variable."""
        total: Any = 0.0
        for network in self.networks:
            total = total + _answered(_core.cell_marginals, network, codes, self.n_jobs)
        average = np.asarray(total / len(self.networks))
        return average if self.regressions is None else self.regressions.pooled(codes, average)

    def log_probabilities_of(self, codes: StateCodes, shown: StateCodes, is_hidden: Mask) -> Floats:
        """Return the log probabilities of the states of hidden cells, by row, then by variable.

        `shown` are the codes without the hidden cells.
        """
        if not is_hidden.any():
            return np.zeros(0)
        distributions = self.cell_probabilities(shown)
        gaps = GapCells.missing_in(shown, self._arities)
        starts = gaps.starts[is_hidden[gaps.rows, gaps.variables]]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(distributions[starts + codes[is_hidden]]))

    def drawn(self, codes: StateCodes, seeds: Sequence[int]) -> Iterator[StateCodes]:
        """Yield codes with the gaps of each row drawn together; networks take turns."""
        n_networks = len(self.networks)
        max_cells = MAX_DRAWN_CELLS // n_networks
        by_network = [
            drawn_tables(network, codes, seeds[position::n_networks], self.n_jobs, max_cells)
            for position, network in enumerate(self.networks)
        ]
        for turn in range(len(seeds)):
            yield next(by_network[turn % n_networks])

    def log_likelihoods(self, codes: StateCodes) -> Floats:
        """Return the logarithm of each row's mean probability over networks."""
        rows = [network._log_likelihoods(codes, self.n_jobs) for network in self.networks]
        return np.asarray(np.logaddexp.reduce(np.stack(rows)) - np.log(len(rows)))

    def _completed(self, codes: StateCodes, method: CompletionName) -> StateCodes:
        is_one_network = len(self.networks) == 1
        if method == "independent" and (self.regressions is not None or not is_one_network):
            return self._most_probable_cells(codes)
        if is_one_network:
            return self.networks[0]._completed(codes, method, self.n_jobs)
        return self._best_joint(codes)

    def _most_probable_cells(self, codes: StateCodes) -> StateCodes:
        filled = codes.copy(order="F")
        arities = self._arities[np.nonzero(codes < 0)[1]]
        probabilities = self.cell_probabilities(codes)
        filled[codes < 0] = _first_maxima(probabilities, arities)
        return filled

    def _best_joint(self, codes: StateCodes) -> StateCodes:
        """Return, of the networks' own completions, the most probable one under all of them."""
        observed = [network._log_likelihoods(codes, self.n_jobs) for network in self.networks]
        best, best_posterior = codes, np.full(len(codes), -1.0)
        for candidate in (n._completed(codes, "joint", self.n_jobs) for n in self.networks):
            posterior = np.zeros(len(codes))
            for network, evidence in zip(self.networks, observed, strict=True):
                whole = network._log_likelihoods(candidate, self.n_jobs)
                with np.errstate(invalid="ignore"):  # of a row that is impossible
                    posterior += np.nan_to_num(np.exp(whole - evidence))
            is_better = posterior > best_posterior
            best = np.where(is_better[:, None], candidate, best)
            best_posterior = np.maximum(posterior, best_posterior)
        return np.asfortranarray(best)


def _answered(
    call: Any, network: BayesianNetwork, codes: StateCodes, n_jobs: int | None, **options: Any
) -> Any:
    return answer_rows(
        call, network._row_network, np.asfortranarray(codes), n_jobs=n_jobs, **options
    )


def _middle_states(probabilities: Floats, arities: StateCodes) -> StateCodes:
    """Return the first state of each distribution with half of the probability up to it."""
    ends = np.cumsum(arities)
    below = np.cumsum(probabilities)
    below -= np.repeat(below[ends - 1] - np.add.reduceat(probabilities, ends - arities), arities)
    return np.add.reduceat(below < 0.5, ends - arities, dtype=np.int32)


def _first_maxima(probabilities: Floats, arities: StateCodes) -> StateCodes:
    """Return the first of the most probable states of each distribution."""
    starts = np.concatenate([[0], np.cumsum(arities[:-1])]).astype(np.intp)
    highest = np.repeat(np.maximum.reduceat(probabilities, starts), arities)
    within = np.arange(len(probabilities)) - np.repeat(starts, arities)
    codes = np.where(probabilities >= highest, within, np.iinfo(np.int32).max)
    return np.minimum.reduceat(codes, starts).astype(np.int32)
