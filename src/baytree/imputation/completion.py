"""Completion of missing cells by their posteriors: joint, independent, or drawn at random."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from baytree import _core
from baytree.exceptions import InferenceTooLargeError
from baytree.imputation.missing_cells import (
    MAX_STATES,
    Floats,
    MissingCells,
    TableRows,
    is_asked,
)
from baytree.imputation.number_draws import draw_numbers, number_quantiles
from baytree.imputation.regressions import Prediction, Regressions
from baytree.networks.network import BayesianNetwork
from baytree.networks.row_calls import MAX_MEMORY_FRACTION, answer_rows
from baytree.runtime.memory import available_memory
from baytree.tables.bins import Bins
from baytree.tables.columns import Mask, StateCodes

ImputationName: TypeAlias = Literal["independent", "median", "joint"]

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


class CompletedRows(NamedTuple):
    """Codes without missing cells, and the numbers of missing cells of binned variables.

    Numbers are by variable, one per row; they have no meaning in cells that are observed.
    """

    codes: StateCodes
    numbers: Mapping[int, Floats]


@dataclass(frozen=True)
class NetworkAverage:
    """Networks over the same variables, whose posteriors are averaged with equal weights.

    Regressions apply to single cells only. What completes whole rows uses networks alone.
    """

    networks: Sequence[BayesianNetwork]
    n_jobs: int | None = 1
    regressions: Regressions | None = None

    @property
    def _arities(self) -> StateCodes:
        return self.networks[0]._encoding.arities

    @property
    def _bins(self) -> Mapping[int, Bins]:
        return self.networks[0]._encoding.bins

    def predict(self, rows: TableRows, max_states: int | None = MAX_STATES) -> Prediction:
        """Return the distributions of missing cells, and the means of those that hold numbers.

        They are those of the variables of at most `max_states`; None for all, if they fit in
        memory. Cells are in order by row, then by variable.
        """
        cells = MissingCells.of(rows.codes, self._arities, max_states)
        if max_states is None:
            refuse_too_many_entries(cells, self.networks[0].variables)
        predicted = Prediction(
            self.by_networks(rows.codes, max_states), *np.full((2, len(cells.rows)), np.nan)
        )
        for variable, own in self._bins.items():
            some, entries = cells.of_variable(variable, int(self._arities[variable]))
            predicted.numbers[some] = own.expected(predicted.distributions[entries])
        if self.regressions is not None:
            is_few, is_own = cells.few_states()
            pooled = self.regressions.predict(rows, predicted.distributions[is_own])
            predicted.distributions[is_own] = pooled.distributions
            predicted.centres[is_few] = pooled.centres
            has_number = ~np.isnan(pooled.numbers)
            predicted.numbers[np.flatnonzero(is_few)[has_number]] = pooled.numbers[has_number]
        return predicted

    def quantiles(
        self, rows: TableRows, prediction: Prediction, levels: Sequence[float]
    ) -> dict[int, Floats]:
        """Return the quantiles of the missing numbers of each variable, a row per level.

        `prediction` is that of all cells of these rows.
        """
        cells = MissingCells.of(rows.codes, self._arities, max_states=None)
        return {
            variable: self._quantiles(cells, prediction, variable, levels)
            for variable in self._bins
        }

    def _quantiles(
        self, cells: MissingCells, prediction: Prediction, variable: int, levels: Sequence[float]
    ) -> Floats:
        mine, entries = cells.of_variable(variable, int(self._arities[variable]))
        probabilities, centres = prediction.distributions[entries], prediction.centres[mine]
        if self.regressions is None or np.isnan(centres).any():
            bins = self._bins[variable]
            return np.array([bins.quantiles(probabilities, level) for level in levels])
        return number_quantiles(self.regressions, variable, probabilities, centres, levels)

    def by_networks(self, codes: StateCodes, max_states: int | None = MAX_STATES) -> Floats:
        """Return the distributions of missing cells without regressions."""
        batches = _row_batches(codes, self._arities)
        return np.concatenate([self._mean_over_networks(some, max_states) for some in batches])

    def _mean_over_networks(self, codes: StateCodes, max_states: int | None) -> Floats:
        """Return the means over networks, in the memory of the distributions of all cells."""
        total: Any = 0.0
        for network in self.networks:
            total = total + _call_rows(_core.cell_marginals, network, codes, self.n_jobs)
        means = np.asarray(total / len(self.networks))
        if max_states is None:
            return means
        cells = MissingCells.of(codes, self._arities, max_states=None)
        return means[cells.few_states(max_states)[1]]

    def complete(
        self, rows: TableRows, completion: ImputationName, prediction: Prediction | None = None
    ) -> CompletedRows:
        """Return rows without missing cells; `prediction` is that of all cells, if known.

        A row in which nothing is observed gets the most probable joint states. The first network
        alone completes single cells of more than `MAX_STATES`.
        """
        codes = rows.codes
        is_missing = codes < 0
        completed = codes.copy(order="F")
        numbers = {variable: np.full(len(codes), np.nan) for variable in self._bins}
        if completion != "joint":
            chosen = np.ones(len(codes), dtype=bool)
            if prediction is None:
                chosen = self._needs_distributions(codes)
            self._put_predicted(completed, numbers, rows, chosen, completion, prediction)
        is_joint = is_missing.any(axis=1) if completion == "joint" else is_missing.all(axis=1)
        if is_joint.any():
            jointly = self._complete_jointly(np.asfortranarray(codes[is_joint]))
            completed[is_joint] = jointly
        self._put_modes(completed, codes)
        for variable, own in numbers.items():
            is_open = np.isnan(own)
            own[is_open] = self._bins[variable].means[completed[is_open, variable]]
        return CompletedRows(completed, numbers)

    def _needs_distributions(self, codes: StateCodes) -> Mask:
        """Return the rows that the core cannot complete; it knows modes, but of one network."""
        is_needed = is_asked(codes, self._arities)
        if len(self.networks) == 1 and self.regressions is None:
            is_needed = is_needed[:, list(self._bins)]
        return np.asarray(is_needed.any(axis=1))

    def _put_modes(self, completed: StateCodes, codes: StateCodes) -> None:
        """Put the modes by the first network into the cells that are left."""
        is_left = np.asarray((completed < 0).any(axis=1))
        if is_left.any():
            some = np.asfortranarray(codes[is_left])
            modes = self.networks[0]._row_answers.completed(some, "independent", self.n_jobs)
            completed[is_left] = np.where(completed[is_left] < 0, modes, completed[is_left])

    def _put_predicted(
        self,
        completed: StateCodes,
        numbers: Mapping[int, Floats],
        rows: TableRows,
        chosen: Mask,
        completion: ImputationName,
        prediction: Prediction | None,
    ) -> None:
        """Put the mode into cells of states, and the mean or the median into cells of numbers.

        The most probable of many bins can be far from where most of the probability is.
        """
        lines = np.flatnonzero(chosen)
        some = rows.take(lines)
        cells = MissingCells.of(some.codes, self._arities)
        prediction = (
            self.predict(some) if prediction is None else self._of_few_states(some, prediction)
        )
        at = lines[cells.rows]
        completed[at, cells.variables] = cells.most_probable_states(prediction.distributions)
        for variable, own in self._bins.items():
            mine, _ = cells.of_variable(variable, int(self._arities[variable]))
            found = prediction.numbers[mine]
            if completion == "median":
                found = self._quantiles(cells, prediction, variable, [0.5])[0]
            numbers[variable][at[mine]] = found
            completed[at[mine], variable] = own.codes(found)

    def _of_few_states(self, rows: TableRows, prediction: Prediction) -> Prediction:
        """Return the part of a prediction of all cells that is of few states."""
        is_few, entries = MissingCells.of(rows.codes, self._arities, max_states=None).few_states()
        numbers, centres = prediction.numbers[is_few], prediction.centres[is_few]
        return Prediction(prediction.distributions[entries], numbers, centres)

    def log_probabilities(self, rows: TableRows, is_held_out: Mask) -> Floats:
        """Return the log probabilities of the states of held-out cells, by row, then by variable.

        Those of many states are left out.
        """
        codes, shown = rows.codes, np.where(is_held_out, np.int32(-1), rows.codes)
        is_held_out = is_held_out & (self._arities <= MAX_STATES)
        if not is_held_out.any():
            return np.zeros(0)
        probabilities = self.predict(rows.with_codes(shown)).distributions
        cells = MissingCells.of(shown, self._arities)
        starts = cells.starts[is_held_out[cells.rows, cells.variables]]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(probabilities[starts + codes[is_held_out]]))

    def draw(self, rows: TableRows, seeds: Sequence[int]) -> Iterator[CompletedRows]:
        """Yield one table per seed, with joint draws of missing cells; networks take turns."""
        n_networks = len(self.networks)
        max_cells = MAX_DRAWN_CELLS // n_networks
        by_network = [
            draw_tables(network, rows.codes, seeds[position::n_networks], self.n_jobs, max_cells)
            for position, network in enumerate(self.networks)
        ]
        for turn, seed in enumerate(seeds):
            drawn = next(by_network[turn % n_networks])
            random = np.random.RandomState(seed)
            numbers: Mapping[int, Floats]
            numbers = {at: own.draw(drawn[:, at], random) for at, own in self._bins.items()}
            if self.regressions is not None and self.regressions.group_weights:
                numbers = draw_numbers(self.regressions, rows, drawn, numbers, random)
            yield CompletedRows(drawn, numbers)

    def log_likelihoods(self, codes: StateCodes) -> Floats:
        """Return the logarithm of the mean probability of each row over networks."""
        rows = self._log_likelihoods(codes)
        return np.asarray(np.logaddexp.reduce(np.stack(rows)) - np.log(len(rows)))

    def _log_likelihoods(self, codes: StateCodes) -> list[Floats]:
        return [own._row_answers.log_likelihoods(codes, self.n_jobs) for own in self.networks]

    def _complete_jointly(self, codes: StateCodes) -> StateCodes:
        """Complete rows as each network would, and keep the most probable under all of them."""
        if len(self.networks) == 1:
            return self.networks[0]._row_answers.completed(codes, "joint", self.n_jobs)
        observed = self._log_likelihoods(codes)
        best, best_posterior = codes, np.full(len(codes), -1.0)
        for own in self.networks:
            candidate = own._row_answers.completed(codes, "joint", self.n_jobs)
            posterior = np.zeros(len(codes))
            for network, evidence in zip(self.networks, observed, strict=True):
                whole = network._row_answers.log_likelihoods(candidate, self.n_jobs)
                with np.errstate(invalid="ignore"):  # of a row that is impossible
                    posterior += np.nan_to_num(np.exp(whole - evidence))
            is_better = posterior > best_posterior
            best = np.where(is_better[:, None], candidate, best)
            best_posterior = np.maximum(posterior, best_posterior)
        return np.asfortranarray(best)


def _row_batches(codes: StateCodes, arities: StateCodes) -> Iterator[StateCodes]:
    """Yield rows in order, in batches that bound the memory of their distributions."""
    batches = np.cumsum((codes < 0) @ arities.astype(np.int64)) // ENTRIES_PER_BATCH
    ends = np.flatnonzero(np.diff(batches)) + 1
    for first, last in pairwise([0, *ends.tolist(), len(codes)]):
        yield codes[first:last]


def refuse_too_many_entries(cells: MissingCells, names: Sequence[Hashable]) -> None:
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
