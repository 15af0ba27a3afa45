"""Networks of an imputer: learned from codes with gaps, and asked together."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from baytree import _core
from baytree._bootstraps import bootstrap_weights
from baytree._columns import Mask
from baytree._copy_estimation import estimated_copies
from baytree._encoding import StateCodes, TableEncoding
from baytree._filled_networks import SHARE_FOR_SEARCH
from baytree._network_rows import CompletionName
from baytree._progress import part_of
from baytree._regression_estimation import estimated_regressions
from baytree._row_calls import answer_rows
from baytree._row_copies import Floats, LikelyCopies, RowCopies
from baytree._search_problems import ENDING_SEARCHES
from baytree._seeds import drawn_seed
from baytree._state_regressions import StateRegressions
from baytree._structure_searches import FoundStructure
from baytree._user_warnings import warn_user
from baytree.exceptions import InterruptedWarning, TimeLimitWarning
from baytree.learning import NetworkLearner
from baytree.network import BayesianNetwork

LEAST_SECONDS = 1e-3
MAX_DRAWN_CELLS = 2**25  # of tables that are drawn at once
SHARE_OF_JUDGE = 1 / 3  # of the time of a network, for one that judges regressions
N_NETWORKS_FOR_ROWS = 5  # that say how probable rows are unless they are copies


@dataclass(frozen=True)
class LearnedNetworks:
    """Networks of a table with gaps; the first is that of the table, others of bootstraps."""

    networks: tuple[BayesianNetwork, ...]
    em_history: pd.DataFrame
    interrupted: bool
    copies: RowCopies | None = None
    regressions: StateRegressions | None = None

    def average(self, n_jobs: int | None) -> NetworkAverage:
        """Return what fills gaps by all of this."""
        return NetworkAverage(self.networks, n_jobs, self.copies, self.regressions)


@dataclass(frozen=True)
class OtherRows:
    """What all networks but the first are learned from.

    Networks of bootstraps are there to be averaged. One that is not of a bootstrap is there to
    judge regressions by.
    """

    codes: StateCodes
    are_bootstraps: bool = True

    def n_to_come(self, n_networks: int, position: int) -> float:
        """Return how many networks share the time that is left, in times that of the next one."""
        return n_networks - position if self.are_bootstraps else 1 + SHARE_OF_JUDGE * (not position)

    def told_apart(
        self, position: int, n_networks: int, end: float
    ) -> contextlib.AbstractContextManager[None]:
        """Let live lines say which network is learned, if there are several, and the time."""
        if not self.are_bootstraps:
            return part_of("regressions", end) if position else contextlib.nullcontext()
        if n_networks == 1:
            return contextlib.nullcontext()
        return part_of(f"network {position + 1} of {n_networks}", end)

    def report_end(self, ended: BaseException, n_learned: int, n_networks: int) -> None:
        """Warn of networks that are missing."""
        if not self.are_bootstraps:
            _report_no_regressions(ended)
            return
        counts = f"there are {n_learned:,} of {n_networks:,} networks."
        if isinstance(ended, KeyboardInterrupt):
            warn_user(f"Interrupted: {counts}", InterruptedWarning)
        else:
            warn_user(f"time_limit was too short for more: {counts}", TimeLimitWarning)


def learn_networks(
    learners: Sequence[NetworkLearner],
    encoding: TableEncoding,
    codes: StateCodes,
    *,
    others: OtherRows | None = None,
    time_limit: float | None,
) -> LearnedNetworks:
    """Return a network for each learner; fewer, with a warning, if Ctrl-C or time ends it.

    The first is that of the codes, the others are of bootstraps of the codes or of other rows.
    """
    end = math.inf if time_limit is None else time.monotonic() + time_limit
    others = OtherRows(codes) if others is None else others
    networks: list[BayesianNetwork] = []
    likely_parents: _core.LikelyParents | None = None
    fillings: Iterator[StateCodes] = iter(())
    for position, learner in enumerate(learners):
        learner.time_limit = _time_for(learner, end, others.n_to_come(len(learners), position))
        try:
            with others.told_apart(position, len(learners), end):
                if networks and time.monotonic() >= end:
                    raise TimeoutError
                if networks:
                    _learn_other(learner, encoding, others, fillings, likely_parents)
                else:
                    likely_parents = learner._fit_codes(encoding, codes).likely_parents
                    seeds = [drawn_seed(other.random_state) for other in learners[1:]]
                    fillings = drawn_tables(learner.network_, others.codes, seeds, learner.n_jobs)
        except (KeyboardInterrupt, TimeoutError) as ended:
            if not networks:
                raise
            others.report_end(ended, len(networks), len(learners))
            interrupted = isinstance(ended, KeyboardInterrupt)
            return LearnedNetworks(tuple(networks), learners[0].em_history_, interrupted)
        networks.append(learner.network_)
        if learner.interrupted_:
            break
    return LearnedNetworks(tuple(networks), learners[0].em_history_, learner.interrupted_)


def with_copies(
    learned: LearnedNetworks,
    codes: StateCodes,
    *,
    seed: int,
    deadline: float,
    n_jobs: int | None,
) -> LearnedNetworks:
    """Return networks with the copies in their table; if that is cut short, a warning says so."""
    average = NetworkAverage(learned.networks[:N_NETWORKS_FOR_ROWS], n_jobs)
    try:
        copies = estimated_copies(
            codes,
            average.networks[0]._encoding.arities,
            average,
            seed=seed,
            deadline=deadline,
            n_jobs=n_jobs,
        )
    except KeyboardInterrupt:
        warn_user("Interrupted: copies among the rows were not looked for.", InterruptedWarning)
        return replace(learned, interrupted=True)
    except TimeoutError:
        warn_user("time_limit was too short to look for copies among the rows.", TimeLimitWarning)
        return learned
    return replace(learned, copies=copies)


def with_regressions(
    learned: LearnedNetworks,
    codes: StateCodes,
    shown: StateCodes,
    *,
    n_networks: int,
    seed: int,
    deadline: float,
    n_jobs: int | None,
) -> LearnedNetworks:
    """Return the first networks, with regressions if these help to tell what is not shown.

    All networks but the first were learned from what is shown. If Ctrl-C or time ends it, a warning
    says so.
    """
    kept = replace(learned, networks=learned.networks[:n_networks])
    if len(learned.networks) < 2:  # a warning was given
        return kept
    arities = learned.networks[0]._encoding.arities
    try:
        of_gaps = NetworkAverage(learned.networks[1:], n_jobs).cell_probabilities(shown)
        regressions = estimated_regressions(
            codes, shown, arities, of_gaps, seed=seed, deadline=deadline
        )
    except (KeyboardInterrupt, TimeoutError) as ended:
        _report_no_regressions(ended)
        return replace(kept, interrupted=isinstance(ended, KeyboardInterrupt))
    return replace(kept, regressions=regressions)


def _report_no_regressions(ended: BaseException) -> None:
    if isinstance(ended, KeyboardInterrupt):
        warn_user("Interrupted: there are no regressions.", InterruptedWarning)
    else:
        warn_user("time_limit was too short for regressions.", TimeLimitWarning)


def _time_for(learner: NetworkLearner, end: float, n_to_come: float) -> float | None:
    """Return the seconds for the next network: as many as it needs, or a share if it takes all."""
    if math.isinf(end):
        return None
    share = 1 if learner.search in ENDING_SEARCHES else 1 / n_to_come
    return max(share * (end - time.monotonic()), LEAST_SECONDS)


def _learn_other(
    learner: NetworkLearner,
    encoding: TableEncoding,
    others: OtherRows,
    fillings: Iterator[StateCodes],
    likely_parents: _core.LikelyParents | None,
) -> None:
    """Learn a network of other rows, as they are or drawn with replacement.

    Their gaps are filled by the next of `fillings`, draws from the first network. Its most probable
    states would make the table speak for it, and EM for every bootstrap would take up to twice as
    long for about as many cells. Averages are of whole networks: Ctrl-C raises KeyboardInterrupt,
    and time that is too short for one TimeoutError.
    """
    started, codes = time.monotonic(), others.codes
    seed = drawn_seed(learner.random_state)
    weights = bootstrap_weights(codes, seed) if others.are_bootstraps else None
    filled = next(fillings) if bool((codes < 0).any()) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TimeLimitWarning)  # speaks of the time of one network
        found = learner._fit_codes(
            encoding, codes, weights, filled, likely_parents=likely_parents, started=started
        )
    if learner.interrupted_:
        raise KeyboardInterrupt
    if _is_cut_short(learner, found, time.monotonic() - started):
        raise TimeoutError


def _is_cut_short(learner: NetworkLearner, found: FoundStructure, n_seconds: float) -> bool:
    """Return whether time ended the search of a network before it was worth anything."""
    if learner.time_limit is None:
        return False
    if learner.search in ENDING_SEARCHES:
        return n_seconds >= learner.time_limit
    return found.n_iterations == 0 and n_seconds >= SHARE_FOR_SEARCH * learner.time_limit


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

    Regressions may have a say on single cells. Rows may be copies of others, if that is more
    probable than the networks make them.
    """

    networks: Sequence[BayesianNetwork]
    n_jobs: int | None = 1
    copies: RowCopies | None = None
    regressions: StateRegressions | None = None

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
        n_for_rows = 0 if self.copies is None else N_NETWORKS_FOR_ROWS
        average, of_rows = self._averaged(codes, n_for_rows)
        if self.regressions is not None:
            average = self.regressions.pooled(codes, average)
        if self.copies is None:
            return average
        return self.copies.mixed(codes, average, self.copies.likely(codes, of_rows, self.n_jobs))

    def _averaged(self, codes: StateCodes, n_for_rows: int) -> tuple[Floats, Floats]:
        """Return the average distributions of gaps, and log-likelihoods by the first networks."""
        total: Any = 0.0
        of_rows: list[Floats] = []
        for position, network in enumerate(self.networks):
            if position < n_for_rows:
                call = _core.cell_marginals_and_log_likelihoods
                marginals, likelihoods = _answered(call, network, codes, self.n_jobs)
                of_rows.append(likelihoods)
            else:
                marginals = _answered(_core.cell_marginals, network, codes, self.n_jobs)
            total = total + marginals
        average = np.asarray(total / len(self.networks))
        return average, _mean_of_logs(of_rows) if of_rows else np.zeros(0)

    def log_probabilities_of(self, codes: StateCodes, shown: StateCodes, is_hidden: Mask) -> Floats:
        """Return the log probabilities of the states of hidden cells, by row, then by variable.

        `shown` are the codes without the hidden cells.
        """
        if not is_hidden.any():
            return np.zeros(0)
        return self._logs_of(codes, shown, is_hidden, self.cell_probabilities(shown))

    def log_probabilities_by_networks(
        self, codes: StateCodes, shown: StateCodes, is_hidden: Mask
    ) -> tuple[Floats, Floats]:
        """Return the same without copies, and the log-likelihoods of the rows that are shown."""
        average, of_rows = self._averaged(shown, len(self.networks))
        return self._logs_of(codes, shown, is_hidden, average), of_rows

    def _logs_of(
        self, codes: StateCodes, shown: StateCodes, is_hidden: Mask, distributions: Floats
    ) -> Floats:
        """Return the logarithms that distributions of gaps give to the states of hidden cells."""
        rows, variables = np.nonzero(shown < 0)
        arities = self.networks[0]._encoding.arities[variables]
        first = np.cumsum(arities) - arities
        at = is_hidden[rows, variables]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(distributions[first[at] + codes[is_hidden]]))

    def drawn(self, codes: StateCodes, seeds: Sequence[int]) -> Iterator[StateCodes]:
        """Yield codes with the gaps of each row drawn together; networks take turns."""
        n_networks = len(self.networks)
        max_cells = MAX_DRAWN_CELLS // n_networks
        by_network = [
            drawn_tables(network, codes, seeds[position::n_networks], self.n_jobs, max_cells)
            for position, network in enumerate(self.networks)
        ]
        drawn = (next(by_network[turn % n_networks]) for turn in range(len(seeds)))
        if self.copies is None:
            yield from drawn
            return
        likely = self._likely(self.copies, codes)
        for seed, table in zip(seeds, drawn, strict=True):
            yield self.copies.drawn(codes, table, likely, seed)

    def log_likelihoods(self, codes: StateCodes) -> Floats:
        """Return the logarithm of each row's mean probability over networks."""
        rows = [network._log_likelihoods(codes, self.n_jobs) for network in self.networks]
        return _mean_of_logs(rows)

    def _likely(self, copies: RowCopies, codes: StateCodes) -> LikelyCopies:
        """Return the rows that may be copies."""
        few = NetworkAverage(self.networks[:N_NETWORKS_FOR_ROWS], self.n_jobs)
        return copies.likely(codes, few.log_likelihoods(codes), self.n_jobs)

    def _completed(self, codes: StateCodes, method: CompletionName) -> StateCodes:
        is_one_network = len(self.networks) == 1 and self.copies is None
        if method == "independent" and (self.regressions is not None or not is_one_network):
            return self._most_probable_cells(codes)
        if len(self.networks) == 1:
            filled = self.networks[0]._completed(codes, method, self.n_jobs)
        else:
            filled = self._best_joint(codes)
        if self.copies is None:
            return filled
        return self.copies.completed(codes, filled, self._likely(self.copies, codes))

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


def _mean_of_logs(logarithms: Sequence[Floats]) -> Floats:
    """Return the logarithms of the means of what they are logarithms of."""
    return np.asarray(np.logaddexp.reduce(np.stack(logarithms)) - np.log(len(logarithms)))


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
