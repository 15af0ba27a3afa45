"""Networks of an imputer: learned from codes with gaps, and asked together."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree import _core
from baytree._encoding import StateCodes, TableEncoding
from baytree._network_rows import CompletionName
from baytree._progress import part_of
from baytree._row_calls import answer_rows
from baytree._seeds import drawn_seed
from baytree._user_warnings import warn_user
from baytree.exceptions import InterruptedWarning
from baytree.learning import NetworkLearner
from baytree.network import BayesianNetwork

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LearnedNetworks:
    """Networks of a table with gaps; the first is that of the table, others of bootstraps."""

    networks: tuple[BayesianNetwork, ...]
    em_history: pd.DataFrame
    interrupted: bool


def learn_networks(
    learners: Sequence[NetworkLearner], encoding: TableEncoding, codes: StateCodes
) -> LearnedNetworks:
    """Return a network for each learner; Ctrl-C ends it with those that there are."""
    networks: list[BayesianNetwork] = []
    for position, learner in enumerate(learners):
        try:
            with _told_apart(position, learners):
                _learn(learner, encoding, codes, networks[:1])
        except KeyboardInterrupt:
            if not networks:
                raise
            _report_interrupt(len(networks), len(learners))
            return LearnedNetworks(tuple(networks), learners[0].em_history_, interrupted=True)
        networks.append(learner.network_)
        if learner.interrupted_:
            break
    interrupted = learners[len(networks) - 1].interrupted_
    return LearnedNetworks(tuple(networks), learners[0].em_history_, interrupted)


def _learn(
    learner: NetworkLearner,
    encoding: TableEncoding,
    codes: StateCodes,
    first: Sequence[BayesianNetwork],
) -> None:
    """Learn the first network or, if it is there, one of rows drawn with replacement.

    Then gaps are filled by draws from the first. Its most probable states would make the table
    speak for it, and EM for every bootstrap would take four times as long and restore no more.
    """
    if not first:
        learner._fit_codes(encoding, codes)
        return
    seed = drawn_seed(learner.random_state)
    filled = NetworkAverage(first, learner.n_jobs).drawn(codes, seed)
    learner._fit_codes(encoding, codes, bootstrap_weights(codes, seed), filled)


def _report_interrupt(n_learned: int, n_networks: int) -> None:
    message = f"Interrupted: there are {n_learned:,} of {n_networks:,} networks."
    warn_user(message, InterruptedWarning)


def _told_apart(
    position: int, learners: Sequence[NetworkLearner]
) -> contextlib.AbstractContextManager[None]:
    """Let live lines say which network is learned, if there are several, and the time for all."""
    if len(learners) == 1:
        return contextlib.nullcontext()
    limits = [learner.time_limit or math.inf for learner in learners[position:]]
    end = time.monotonic() + sum(limits)
    return part_of(f"network {position + 1} of {len(learners)}", end)


def bootstrap_weights(codes: StateCodes, seed: int) -> Floats:
    """Return how often each row is drawn, with some row for every variable that has it observed."""
    n_rows = len(codes)
    drawn = np.random.RandomState(seed).randint(n_rows, size=n_rows)
    weights = np.bincount(drawn, minlength=n_rows).astype(np.float64)
    is_observed = codes >= 0
    weights[~is_observed.any(axis=1)] = 0.0  # a row that says nothing
    for position in np.flatnonzero(~is_observed[weights > 0].any(axis=0)):
        weights[np.argmax(is_observed[:, position])] = 1.0
    return weights


@dataclass(frozen=True)
class NetworkAverage:
    """Networks over the same variables whose posteriors are averaged, all with one weight."""

    networks: Sequence[BayesianNetwork]
    n_jobs: int | None = 1

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
        arities = self.networks[0]._encoding.arities[np.nonzero(gaps)[1]]
        middles = np.zeros(gaps.shape, dtype=np.int32)
        middles[gaps] = _middle_states(self.cell_probabilities(codes[rows]), arities)
        for position in binned:
            own = rows[gaps[:, position]]
            filled[own, position] = middles[gaps[:, position], position]

    def cell_probabilities(self, codes: StateCodes) -> Floats:
        """Return the distribution of every gap, one behind the other, by row, then by variable."""
        total: Any = 0.0
        for network in self.networks:
            total = total + self._answer(_core.cell_marginals, network, codes)
        return np.asarray(total / len(self.networks))

    def drawn(self, codes: StateCodes, seed: int) -> StateCodes:
        """Return codes with the gaps of each row drawn from their averaged joint posterior."""
        random = np.random.RandomState(seed)
        turns = random.randint(len(self.networks), size=len(codes))
        filled = codes.copy(order="F")
        for turn, network in enumerate(self.networks):
            rows = np.asfortranarray(codes[turns == turn])
            if len(rows):
                draw = random.randint(1, np.iinfo(np.int32).max)
                filled[turns == turn] = self._answer(
                    _core.draw_completions, network, rows, seed=int(draw)
                )
        return filled

    def mean_log_likelihood(self, codes: StateCodes) -> float:
        """Return the mean over rows, each of which has its mean probability over networks."""
        rows = np.stack([network._log_likelihoods(codes, self.n_jobs) for network in self.networks])
        return float((np.logaddexp.reduce(rows) - np.log(len(rows))).mean())

    def _completed(self, codes: StateCodes, method: CompletionName) -> StateCodes:
        if len(self.networks) == 1:
            return self.networks[0]._completed(codes, method, self.n_jobs)
        return self._best_joint(codes) if method == "joint" else self._most_probable_cells(codes)

    def _most_probable_cells(self, codes: StateCodes) -> StateCodes:
        filled = codes.copy(order="F")
        positions = np.nonzero(codes < 0)[1]
        arities = self.networks[0]._encoding.arities[positions]
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

    def _answer(
        self, call: Any, network: BayesianNetwork, codes: StateCodes, **options: Any
    ) -> Any:
        return answer_rows(
            call, network._row_network, np.asfortranarray(codes), n_jobs=self.n_jobs, **options
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
