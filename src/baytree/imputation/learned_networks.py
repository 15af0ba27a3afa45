"""Networks and regressions of an imputer, learned from codes with missing cells."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree import _core
from baytree.exceptions import InterruptedWarning, RejectedNetworksWarning, TimeLimitWarning
from baytree.imputation.completion import NetworkAverage, draw_tables
from baytree.imputation.missing_cells import TableRows
from baytree.imputation.regression_fit import (
    Fold,
    choose_training_rows,
    fit_regressions,
    hide_some_cells,
)
from baytree.imputation.regressions import NumberColumns, Regressions, VariableColumns
from baytree.learning.em_settings import StructuralEM
from baytree.learning.incomplete_rows import MAX_ITERATIONS_AFTER_DRAWS, SEARCH_TIME_FRACTION
from baytree.learning.learner import NetworkLearner
from baytree.learning.search_problem import ENDING_SEARCHES
from baytree.learning.searches import FoundStructure
from baytree.messages.user_warnings import warn_user
from baytree.networks.network import BayesianNetwork
from baytree.networks.row_calls import one_of_calls
from baytree.runtime.limits import deadline_after, thread_count
from baytree.runtime.pool import InterruptiblePool
from baytree.runtime.progress import part_of, progress_bar
from baytree.runtime.seeds import drawn_seed
from baytree.tables.columns import StateCodes
from baytree.tables.encoding import TableEncoding
from baytree.tables.weighted_rows import bootstrap_weights

Drawn: TypeAlias = StateCodes | TimeoutError | None

MIN_SECONDS = 1e-3
FRACTION_FOR_REGRESSIONS = 0.25  # of a time limit
FRACTION_FOR_FOLDS = 1 / 3  # of the time of the first network, for those of folds
# The criterion "auto" depends on the rows per variable. By networks alone, on six tables with 0.3
# to 3.5 of them, EBIC restored up to 0.4 % more of the cells than BIC, on average over masks never
# fewer, in no more time; AIC restored as many as BIC, and took up to eight times as long.
MAX_ROWS_OF_EBIC = 4
# The fewer rows, the more uncertain is a network. By networks alone, with at most four rows per
# variable, twenty restored up to 0.3 % more cells than five; ten, between one and four, up to
# 0.1 % fewer than twenty.
N_NETWORKS = ((1, 20), (4, 10), (math.inf, 5))  # up to so many rows per variable


def choose_criterion(criterion: str, codes: StateCodes) -> str:
    """Return the criterion of a setting; "auto" depends on the shape of the table."""
    if criterion != "auto":
        return criterion
    return "ebic" if _rows_per_variable(codes) <= MAX_ROWS_OF_EBIC else "aic"


def choose_n_networks(n_networks: int | str, codes: StateCodes) -> int:
    """Return the number of networks of a setting; "auto" depends on the shape of the table."""
    if n_networks != "auto":
        return int(n_networks)
    rows = _rows_per_variable(codes)
    return next(n for max_rows, n in N_NETWORKS if rows <= max_rows)


def _rows_per_variable(codes: StateCodes) -> float:
    n_rows, n_variables = codes.shape
    return float(n_rows / n_variables)


@dataclass(frozen=True)
class LearnedNetworks:
    """Networks of a table, and regressions if there are any.

    The first network is that of the table, the others are those of bootstraps.
    """

    networks: tuple[BayesianNetwork, ...]
    em_history: pd.DataFrame
    is_interrupted: bool
    regressions: Regressions | None = None

    def average(self, n_jobs: int | None) -> NetworkAverage:
        """Return the posteriors of missing cells by all of them."""
        return NetworkAverage(self.networks, n_jobs, self.regressions)


@dataclass(frozen=True)
class LearningPlan:
    """Settings of an imputer for learning: those of each network, and what else to learn."""

    learner: NetworkLearner
    n_networks: int | str
    regressions: bool
    time_limit: float | None

    def learn(
        self, encoding: TableEncoding, rows: TableRows, seed: int, chosen: Mapping[str, Any]
    ) -> LearnedNetworks:
        """Learn networks and regressions with the chosen criterion and prior."""
        started = time.monotonic()
        n_networks = choose_n_networks(self.n_networks, rows.codes)
        columns = VariableColumns(encoding.arities, NumberColumns.of(encoding.bins, rows))
        folds = hide_some_cells(rows.codes, columns, seed) if self.regressions else []
        learned = learn_networks(
            self._learners(max(n_networks, 1 + len(folds)), seed, chosen),
            encoding,
            rows.codes,
            others=OtherRows(folds or [rows.codes], n_networks),
            time_limit=self._time_for_networks(),
        )
        if not folds or learned.is_interrupted:
            return learned
        return _with_regressions(
            learned,
            rows,
            folds,
            columns,
            n_networks=n_networks,
            seed=seed,
            deadline=deadline_after(started, self.time_limit),
            n_jobs=self.learner.n_jobs,
        )

    def _learners(
        self, n_learners: int, seed: int, chosen: Mapping[str, Any]
    ) -> list[NetworkLearner]:
        """Return learners with the chosen criterion and prior, each with a seed of its own."""
        random = np.random.RandomState(seed)
        settings = self.learner.get_params(deep=False) | dict(chosen)
        return [
            NetworkLearner(**settings | {"random_state": int(random.randint(1, 2**31 - 1))})
            for _ in range(n_learners)
        ]

    def _time_for_networks(self) -> float | None:
        """Return the time limit, less that of regressions if the searches would take all of it."""
        if self.time_limit is None or self.learner.search in ENDING_SEARCHES:
            return self.time_limit
        return (1.0 - FRACTION_FOR_REGRESSIONS * self.regressions) * self.time_limit


@dataclass(frozen=True)
class OtherRows:
    """Rows of all networks but the first.

    Networks that are averaged are learned from bootstraps. Those that only weigh regressions come
    after them. Where cells are held out, the networks take turns with the folds.
    """

    folds: Sequence[StateCodes]
    n_networks: int  # that are averaged

    def codes(self, position: int) -> StateCodes:
        """Return the codes for the network at a position."""
        return self.folds[(position - 1) % len(self.folds)]

    def weights(self, position: int, seed: int) -> npt.NDArray[np.float64] | None:
        """Return the weights of the rows; one network alone has no bootstraps."""
        return bootstrap_weights(self.codes(position), seed) if self.n_networks > 1 else None

    def n_remaining(self, position: int, n_learned: int, n_at_once: int) -> float:
        """Return the time for all networks that are left, in times of the next one.

        Those after the first are learned several at once.
        """
        if position > 0:
            return math.ceil((n_learned - position) / n_at_once)
        n_rounds = math.ceil((n_learned - 1) / n_at_once)
        return 1.0 + n_rounds * (FRACTION_FOR_FOLDS if self.n_networks == 1 else 1.0)

    def progress_label(self, position: int, end: float) -> contextlib.AbstractContextManager[None]:
        """Add the number or the purpose of the network and the deadline to progress."""
        if position >= self.n_networks:
            return part_of("regressions", end)
        if self.n_networks == 1:
            return contextlib.nullcontext()
        return part_of(f"network {position + 1} of {self.n_networks}", end)

    def warn_of_end(self, ended: BaseException, n_learned: int) -> None:
        """Warn that networks or regressions are left out."""
        is_interrupt = isinstance(ended, KeyboardInterrupt)
        if n_learned < self.n_networks:
            counts = f"there are {n_learned:,} of {self.n_networks:,} networks."
            if is_interrupt:
                warn_user(f"Interrupted: {counts}", InterruptedWarning)
            else:
                warn_user(f"time_limit was too short for more: {counts}", TimeLimitWarning)
        elif is_interrupt or n_learned == 1:  # one fold is enough to weigh regressions
            _warn_of_no_regressions(ended)


def learn_networks(
    learners: Sequence[NetworkLearner],
    encoding: TableEncoding,
    codes: StateCodes,
    *,
    others: OtherRows | None = None,
    time_limit: float | None,
) -> LearnedNetworks:
    """Learn one network per learner; fewer, with a warning, if Ctrl-C or time ends it.

    The first is that of the codes. The others are of bootstraps of the codes, or of other rows.
    """
    end = math.inf if time_limit is None else time.monotonic() + time_limit
    others = OtherRows([codes], len(learners)) if others is None else others
    first = learners[0]
    n_at_once = max(min(thread_count(first.n_jobs), len(learners) - 1), 1)
    first.time_limit = _time_for(first, end, others.n_remaining(0, len(learners), n_at_once))
    with others.progress_label(0, end):
        found = first._fit_codes(encoding, codes)
    if first.is_interrupted_ or len(learners) == 1:
        return LearnedNetworks((first.network_,), first.em_history_, first.is_interrupted_)
    seeds = [drawn_seed(other.random_state) for other in learners[1:]]
    completed = _draw_completed(first, found, codes, others, seeds, end)
    learn = _OtherNetworks(learners, encoding, others, completed, found.likely_parents, end)
    rest, ended = learn.in_turn() if n_at_once == 1 else learn.at_once(n_at_once)
    networks = (first.network_, *rest)
    if ended is not None:
        others.warn_of_end(ended, len(networks))
    return LearnedNetworks(networks, first.em_history_, isinstance(ended, KeyboardInterrupt))


_Ended: TypeAlias = KeyboardInterrupt | TimeoutError


@dataclass(frozen=True)
class _OtherNetworks:
    """Networks after the first, which do not depend on each other."""

    learners: Sequence[NetworkLearner]
    encoding: TableEncoding
    others: OtherRows
    completed: Iterator[StateCodes]
    likely_parents: _core.LikelyParents | None
    end: float

    def in_turn(self) -> tuple[list[BayesianNetwork], _Ended | None]:
        """Return the networks, one learned after the other, and what ended them."""
        networks: list[BayesianNetwork] = []
        try:
            for position in range(1, len(self.learners)):
                with self.others.progress_label(position, self.end), _without_warnings():
                    networks.append(self._learn(position, self._drawn(position), 1))
        except (KeyboardInterrupt, TimeoutError) as ended:
            return networks, ended
        return networks, None

    def at_once(self, n_threads: int) -> tuple[list[BayesianNetwork], _Ended | None]:
        """Return the networks, several learned at once, and what ended them.

        Those before the first that failed are returned: folds take turns.
        """
        n_networks = len(self.learners) - 1
        shown = self.learners[0].verbose > 0
        for learner in self.learners[1:]:
            learner.n_jobs, learner.verbose = max(thread_count(learner.n_jobs) // n_threads, 1), 0

        def work(job: tuple[int, Drawn]) -> tuple[int, BayesianNetwork | TimeoutError]:
            try:
                with one_of_calls(n_threads):
                    return job[0], self._learn(*job, n_threads)
            except TimeoutError as ended:
                return job[0], ended

        pool = InterruptiblePool(work, self._jobs(), n_networks)
        # Filters of warnings are those of the process: threads must not set them.
        with (
            _without_warnings(),
            progress_bar("Learning networks", "networks", shown=shown) as on_progress,
        ):
            outcomes, is_interrupted = pool.run(n_threads, on_progress)
        networks: list[BayesianNetwork] = []
        for (position, outcome), expected in zip(sorted(outcomes, key=_first), count(1)):
            if isinstance(outcome, TimeoutError):
                return networks, outcome
            if position == expected:
                networks.append(outcome)
        return networks, KeyboardInterrupt() if is_interrupted else None

    def _jobs(self) -> Iterator[tuple[int, Drawn]]:
        """Yield positions and drawn rows in order; also if time ends the draws."""
        ended: TimeoutError | None = None
        for position in range(1, len(self.learners)):
            drawn: Drawn = ended
            try:
                drawn = ended or self._drawn(position)
            except TimeoutError as error:
                drawn = ended = error
            yield position, drawn

    def _drawn(self, position: int) -> StateCodes | None:
        """Return the completed rows of the next network; None if no cell is missing."""
        if time.monotonic() >= self.end:
            raise TimeoutError
        has_missing = bool((self.others.codes(position) < 0).any())
        return next(self.completed) if has_missing else None

    def _learn(self, position: int, drawn: Drawn, n_at_once: int) -> BayesianNetwork:
        if isinstance(drawn, TimeoutError) or time.monotonic() >= self.end:
            raise TimeoutError
        learner = self.learners[position]
        n_remaining = self.others.n_remaining(position, len(self.learners), n_at_once)
        learner.time_limit = _time_for(learner, self.end, n_remaining)
        _learn_other(learner, self.encoding, self.others, position, drawn, self.likely_parents)
        return learner.network_


def _first(outcome: tuple[int, object]) -> int:
    return outcome[0]


def _draw_completed(
    learner: NetworkLearner,
    found: FoundStructure,
    codes: StateCodes,
    others: OtherRows,
    seeds: Sequence[int],
    end: float,
) -> Iterator[StateCodes]:
    """Yield the other codes, once per seed, with missing cells drawn from the first network."""
    n_folds = len(others.folds)
    by_fold = [
        _draw_fold(learner, found, codes, fold, seeds[number::n_folds], end)
        for number, fold in enumerate(others.folds)
    ]
    for turn in range(len(seeds)):
        yield next(by_fold[turn % n_folds])


def _draw_fold(
    learner: NetworkLearner,
    found: FoundStructure,
    codes: StateCodes,
    fold: StateCodes,
    seeds: Sequence[int],
    end: float,
) -> Iterator[StateCodes]:
    """Yield the codes of a fold, once per seed, with missing cells drawn.

    The first network may have memorised the cells that it was learned from and the fold lacks.
    These are drawn from a tree that is learned without them.
    """
    drawn = draw_tables(learner.network_, fold, seeds, learner.n_jobs)
    if fold is codes:
        yield from drawn
        return
    rows = np.flatnonzero((codes != fold).any(axis=1))
    some = np.asfortranarray(fold[rows])
    is_held_out = codes[rows] != some
    tree = _learn_tree(learner, found, fold, end)
    by_tree = draw_tables(tree, some, seeds, learner.n_jobs)
    for completed, held_out in zip(drawn, by_tree, strict=True):
        completed[rows] = np.where(is_held_out, held_out, completed[rows])
        yield completed


def _learn_tree(
    learner: NetworkLearner, found: FoundStructure, codes: StateCodes, end: float
) -> BayesianNetwork:
    """Learn a tree in little time, with the settings of a learner; it may break constraints."""
    tree = NetworkLearner(
        learner.max_treewidth,
        search="chow-liu",
        criterion=learner.criterion,
        time_limit=None if math.isinf(end) else max(end - time.monotonic(), MIN_SECONDS),
        max_clique_states=learner.max_clique_states,
        equivalent_sample_size=learner.equivalent_sample_size,
        em=StructuralEM(max_structure_updates=1, max_em_iterations=MAX_ITERATIONS_AFTER_DRAWS),
        n_jobs=learner.n_jobs,
        random_state=learner.random_state,
    )
    with _without_warnings():
        tree._fit_codes(learner.network_._encoding, codes, likely_parents=found.likely_parents)
    if tree.is_interrupted_:
        raise KeyboardInterrupt
    if time.monotonic() >= end:
        raise TimeoutError
    return tree.network_


def _with_regressions(
    learned: LearnedNetworks,
    rows: TableRows,
    folds: Sequence[StateCodes],
    columns: VariableColumns,
    *,
    n_networks: int,
    seed: int,
    deadline: float,
    n_jobs: int | None,
) -> LearnedNetworks:
    """Return the first networks, with regressions if these predict held-out cells better.

    All networks but the first were learned from folds. If Ctrl-C or time ends it, a warning is
    given, and there are no regressions.
    """
    kept = replace(learned, networks=learned.networks[:n_networks])
    folds = folds[: len(learned.networks) - 1]
    if not folds:  # a warning was given
        return kept
    chosen = choose_training_rows(rows.codes, folds, columns, seed)
    try:
        parts = []
        for number, fold in enumerate(folds):
            own = NetworkAverage(learned.networks[1 + number :: len(folds)], n_jobs)
            shown = np.asfortranarray(fold[chosen])
            parts.append(Fold(shown, own.by_networks(shown)))
        regressions = fit_regressions(
            rows.take(chosen), parts, columns, deadline, thread_count(n_jobs)
        )
    except (KeyboardInterrupt, TimeoutError) as ended:
        _warn_of_no_regressions(ended)
        return replace(kept, is_interrupted=isinstance(ended, KeyboardInterrupt))
    return replace(kept, regressions=regressions)


def _warn_of_no_regressions(ended: BaseException) -> None:
    if isinstance(ended, KeyboardInterrupt):
        warn_user("Interrupted: there are no regressions.", InterruptedWarning)
    else:
        advice = "Allow more seconds, or pass regressions=False."
        warn_user(f"time_limit was too short for regressions. {advice}", TimeLimitWarning)


def _time_for(learner: NetworkLearner, end: float, n_remaining: float) -> float | None:
    """Return the seconds for the next network: all that are left if its search ends by itself."""
    if math.isinf(end):
        return None
    fraction = 1 if learner.search in ENDING_SEARCHES else 1 / n_remaining
    return max(fraction * (end - time.monotonic()), MIN_SECONDS)


def _learn_other(
    learner: NetworkLearner,
    encoding: TableEncoding,
    others: OtherRows,
    position: int,
    drawn: StateCodes | None,
    likely_parents: _core.LikelyParents | None,
) -> None:
    """Learn a network of other rows, whose missing cells are completed by draws.

    The most probable states of the first network would make the table agree with it, and EM for
    every bootstrap would take up to twice as long for about as many cells. Averages are of whole
    networks: Ctrl-C raises KeyboardInterrupt, and time that is too short for one TimeoutError.
    """
    started, codes = time.monotonic(), others.codes(position)
    seed = drawn_seed(learner.random_state)
    weights = others.weights(position, seed)
    found = learner._fit_codes(
        encoding, codes, weights, drawn, likely_parents=likely_parents, started=started
    )
    if learner.is_interrupted_:
        raise KeyboardInterrupt
    if _is_cut_short(learner, found, time.monotonic() - started):
        raise TimeoutError


@contextlib.contextmanager
def _without_warnings() -> Iterator[None]:
    """Ignore warnings about single networks, which the caller words for all of them."""
    with warnings.catch_warnings():
        for category in (InterruptedWarning, TimeLimitWarning, RejectedNetworksWarning):
            warnings.simplefilter("ignore", category)
        yield


def _is_cut_short(learner: NetworkLearner, found: FoundStructure, n_seconds: float) -> bool:
    """Return True if time ended the search of a network before it had a useful result."""
    if learner.time_limit is None:
        return False
    if learner.search in ENDING_SEARCHES:
        return n_seconds >= learner.time_limit
    return found.n_iterations == 0 and n_seconds >= SEARCH_TIME_FRACTION * learner.time_limit
