"""Networks and regressions of an imputer, learned from codes with missing cells."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from baytree.runtime.limits import deadline_after
from baytree.runtime.progress import part_of
from baytree.runtime.seeds import drawn_seed
from baytree.tables.columns import StateCodes
from baytree.tables.encoding import TableEncoding
from baytree.tables.weighted_rows import bootstrap_weights

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

    def n_remaining(self, position: int, n_learned: int) -> float:
        """Return the time for all networks that are left, in times of the next one."""
        if self.n_networks == 1 < n_learned and position == 0:
            return 1.0 + FRACTION_FOR_FOLDS
        return float(n_learned - position)

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
    networks: list[BayesianNetwork] = []
    likely_parents: _core.LikelyParents | None = None
    completed: Iterator[StateCodes] = iter(())
    for position, learner in enumerate(learners):
        learner.time_limit = _time_for(learner, end, others.n_remaining(position, len(learners)))
        try:
            with others.progress_label(position, end):
                if networks and time.monotonic() >= end:
                    raise TimeoutError
                if networks:
                    _learn_other(learner, encoding, others, position, completed, likely_parents)
                else:
                    found = learner._fit_codes(encoding, codes)
                    likely_parents = found.likely_parents
                    seeds = [drawn_seed(other.random_state) for other in learners[1:]]
                    completed = _draw_completed(learner, found, codes, others, seeds, end)
        except (KeyboardInterrupt, TimeoutError) as ended:
            if not networks:
                raise
            others.warn_of_end(ended, len(networks))
            is_interrupted = isinstance(ended, KeyboardInterrupt)
            return LearnedNetworks(tuple(networks), learners[0].em_history_, is_interrupted)
        networks.append(learner.network_)
        if learner.is_interrupted_:
            break
    return LearnedNetworks(tuple(networks), learners[0].em_history_, learner.is_interrupted_)


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
    with warnings.catch_warnings():
        # The first two are raised below instead; the last one is about the first network.
        for category in (InterruptedWarning, TimeLimitWarning, RejectedNetworksWarning):
            warnings.simplefilter("ignore", category)
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
        regressions = fit_regressions(rows.take(chosen), parts, columns, deadline)
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
    completed: Iterator[StateCodes],
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
    drawn = next(completed) if bool((codes < 0).any()) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TimeLimitWarning)  # names the time of one network
        warnings.simplefilter("ignore", RejectedNetworksWarning)  # is about the first network
        found = learner._fit_codes(
            encoding, codes, weights, drawn, likely_parents=likely_parents, started=started
        )
    if learner.is_interrupted_:
        raise KeyboardInterrupt
    if _is_cut_short(learner, found, time.monotonic() - started):
        raise TimeoutError


def _is_cut_short(learner: NetworkLearner, found: FoundStructure, n_seconds: float) -> bool:
    """Return True if time ended the search of a network before it had a useful result."""
    if learner.time_limit is None:
        return False
    if learner.search in ENDING_SEARCHES:
        return n_seconds >= learner.time_limit
    return found.n_iterations == 0 and n_seconds >= SEARCH_TIME_FRACTION * learner.time_limit
