"""Networks of an imputer: learned from codes with gaps, with regressions."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree import _core
from baytree.exceptions import InterruptedWarning, TimeLimitWarning
from baytree.imputation.averages import NetworkAverage, draw_tables
from baytree.imputation.regression_fit import choose_training_rows, fit_regressions
from baytree.imputation.regressions import StateRegressions
from baytree.learning.em_settings import StructuralEM
from baytree.learning.incomplete_rows import MAX_STEPS, SEARCH_TIME_FRACTION
from baytree.learning.learner import NetworkLearner
from baytree.learning.search_problem import ENDING_SEARCHES
from baytree.learning.searches import FoundStructure
from baytree.messages.user_warnings import warn_user
from baytree.networks.network import BayesianNetwork
from baytree.runtime.progress import part_of
from baytree.runtime.seeds import drawn_seed
from baytree.tables.encoding import StateCodes, TableEncoding
from baytree.tables.weighted_rows import bootstrap_weights

LEAST_SECONDS = 1e-3
SHARE_OF_JUDGE = 1 / 3  # of the time of a network, for one that judges regressions


@dataclass(frozen=True)
class LearnedNetworks:
    """Networks of a table with gaps; the first is that of the table, others of bootstraps."""

    networks: tuple[BayesianNetwork, ...]
    em_history: pd.DataFrame
    is_interrupted: bool
    regressions: StateRegressions | None = None

    def average(self, n_jobs: int | None) -> NetworkAverage:
        """Return what fills gaps by all of this."""
        return NetworkAverage(self.networks, n_jobs, self.regressions)


@dataclass(frozen=True)
class Bootstraps:
    """Rows drawn with replacement, for all networks but the first."""

    codes: StateCodes

    def weights(self, seed: int) -> npt.NDArray[np.float64] | None:
        """Return how often each row counts."""
        return bootstrap_weights(self.codes, seed)

    def n_to_come(self, position: int, n_networks: int) -> float:
        """Return how many networks share the time that is left, in times that of the next one."""
        return n_networks - position

    def told_apart(
        self, position: int, n_networks: int, end: float
    ) -> contextlib.AbstractContextManager[None]:
        """Let live lines say which network is learned, if there are several, and the time."""
        if n_networks == 1:
            return contextlib.nullcontext()
        return part_of(f"network {position + 1} of {n_networks}", end)

    def report_end(self, ended: BaseException, n_learned: int, n_networks: int) -> None:
        """Warn of networks that are missing."""
        counts = f"there are {n_learned:,} of {n_networks:,} networks."
        if isinstance(ended, KeyboardInterrupt):
            warn_user(f"Interrupted: {counts}", InterruptedWarning)
        else:
            warn_user(f"time_limit was too short for more: {counts}", TimeLimitWarning)


class JudgedRows(Bootstraps):
    """All rows once, for a second network that regressions are judged by."""

    def weights(self, seed: int) -> None:
        """Return that each row counts once."""

    def n_to_come(self, position: int, n_networks: int) -> float:
        """Return that the judge has less time than the network."""
        return 1.0 if position else 1.0 + SHARE_OF_JUDGE

    def told_apart(
        self, position: int, n_networks: int, end: float
    ) -> contextlib.AbstractContextManager[None]:
        """Let live lines say when regressions are at work."""
        return part_of("regressions", end) if position else contextlib.nullcontext()

    def report_end(self, ended: BaseException, n_learned: int, n_networks: int) -> None:
        """Warn that there is no judge."""
        _report_no_regressions(ended)


def learn_networks(
    learners: Sequence[NetworkLearner],
    encoding: TableEncoding,
    codes: StateCodes,
    *,
    others: Bootstraps | None = None,
    time_limit: float | None,
) -> LearnedNetworks:
    """Return a network for each learner; fewer, with a warning, if Ctrl-C or time ends it.

    The first is that of the codes. The others are of bootstraps of the codes, or of other rows.
    """
    end = math.inf if time_limit is None else time.monotonic() + time_limit
    others = Bootstraps(codes) if others is None else others
    networks: list[BayesianNetwork] = []
    likely_parents: _core.LikelyParents | None = None
    fillings: Iterator[StateCodes] = iter(())
    for position, learner in enumerate(learners):
        learner.time_limit = _time_for(learner, end, others.n_to_come(position, len(learners)))
        try:
            with others.told_apart(position, len(learners), end):
                if networks and time.monotonic() >= end:
                    raise TimeoutError
                if networks:
                    _learn_other(learner, encoding, others, fillings, likely_parents)
                else:
                    found = learner._fit_codes(encoding, codes)
                    likely_parents = found.likely_parents
                    seeds = [drawn_seed(other.random_state) for other in learners[1:]]
                    fillings = _fillings(learner, found, codes, others.codes, seeds, end)
        except (KeyboardInterrupt, TimeoutError) as ended:
            if not networks:
                raise
            others.report_end(ended, len(networks), len(learners))
            is_interrupted = isinstance(ended, KeyboardInterrupt)
            return LearnedNetworks(tuple(networks), learners[0].em_history_, is_interrupted)
        networks.append(learner.network_)
        if learner.is_interrupted_:
            break
    return LearnedNetworks(tuple(networks), learners[0].em_history_, learner.is_interrupted_)


def _fillings(
    learner: NetworkLearner,
    found: FoundStructure,
    codes: StateCodes,
    others: StateCodes,
    seeds: Sequence[int],
    end: float,
) -> Iterator[StateCodes]:
    """Yield the other codes with their gaps drawn from the first network, once for each seed.

    It may know by heart the cells that it was learned from and the others lack. These are drawn
    from a tree that is learned without them.
    """
    drawn = draw_tables(learner.network_, others, seeds, learner.n_jobs)
    if others is codes:
        yield from drawn
        return
    rows = np.flatnonzero((codes != others).any(axis=1))
    some = np.asfortranarray(others[rows])
    is_hidden = codes[rows] != some
    tree = _tree(learner, found, others, end)
    of_tree = draw_tables(tree, some, seeds, learner.n_jobs)
    for filled, hidden in zip(drawn, of_tree, strict=True):
        filled[rows] = np.where(is_hidden, hidden, filled[rows])
        yield filled


def _tree(
    learner: NetworkLearner, found: FoundStructure, codes: StateCodes, end: float
) -> BayesianNetwork:
    """Return a quick network of codes, in the manner of a learner."""
    tree = NetworkLearner(
        learner.max_treewidth,
        search="chow-liu",
        criterion=learner.criterion,
        time_limit=None if math.isinf(end) else max(end - time.monotonic(), LEAST_SECONDS),
        max_clique_states=learner.max_clique_states,
        equivalent_sample_size=learner.equivalent_sample_size,
        em=StructuralEM(max_structure_updates=1, max_em_iterations=MAX_STEPS),
        n_jobs=learner.n_jobs,
        random_state=learner.random_state,
    )
    with warnings.catch_warnings():
        for told_later in (InterruptedWarning, TimeLimitWarning):
            warnings.simplefilter("ignore", told_later)
        tree._fit_codes(learner.network_._encoding, codes, likely_parents=found.likely_parents)
    if tree.is_interrupted_:
        raise KeyboardInterrupt
    if time.monotonic() >= end:
        raise TimeoutError
    return tree.network_


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
    rows = choose_training_rows(codes, shown, arities, seed)
    seen = np.asfortranarray(shown[rows])
    try:
        of_gaps = NetworkAverage(learned.networks[1:], n_jobs).cell_probabilities(seen)
        regressions = fit_regressions(codes[rows], seen, arities, of_gaps, deadline)
    except (KeyboardInterrupt, TimeoutError) as ended:
        _report_no_regressions(ended)
        return replace(kept, is_interrupted=isinstance(ended, KeyboardInterrupt))
    return replace(kept, regressions=regressions)


def _report_no_regressions(ended: BaseException) -> None:
    if isinstance(ended, KeyboardInterrupt):
        warn_user("Interrupted: there are no regressions.", InterruptedWarning)
    else:
        advice = "Allow more seconds, or pass regressions=False."
        warn_user(f"time_limit was too short for regressions. {advice}", TimeLimitWarning)


def _time_for(learner: NetworkLearner, end: float, n_to_come: float) -> float | None:
    """Return the seconds for the next network: as many as it needs, or a share if it takes all."""
    if math.isinf(end):
        return None
    share = 1 if learner.search in ENDING_SEARCHES else 1 / n_to_come
    return max(share * (end - time.monotonic()), LEAST_SECONDS)


def _learn_other(
    learner: NetworkLearner,
    encoding: TableEncoding,
    others: Bootstraps,
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
    weights = others.weights(seed)
    filled = next(fillings) if bool((codes < 0).any()) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TimeLimitWarning)  # speaks of the time of one network
        found = learner._fit_codes(
            encoding, codes, weights, filled, likely_parents=likely_parents, started=started
        )
    if learner.is_interrupted_:
        raise KeyboardInterrupt
    if _is_cut_short(learner, found, time.monotonic() - started):
        raise TimeoutError


def _is_cut_short(learner: NetworkLearner, found: FoundStructure, n_seconds: float) -> bool:
    """Return whether time ended the search of a network before it was worth anything."""
    if learner.time_limit is None:
        return False
    if learner.search in ENDING_SEARCHES:
        return n_seconds >= learner.time_limit
    return found.n_iterations == 0 and n_seconds >= SEARCH_TIME_FRACTION * learner.time_limit
