"""Rows of tables by a mixture: each part answers, weighted by what it makes of the row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from baytree import _core
from baytree.mixtures.parts import MixturePart, PartCodes
from baytree.networks.row_answers import CompletionName, Floats
from baytree.networks.row_calls import answer_rows, check_answer_memory
from baytree.tables.columns import StateCodes

MAX_BLOCK_ENTRIES = 4_000_000  # probabilities of missing cells at once


class MixtureAnswers:
    """Answers of a mixture."""

    def __init__(self, parts: Sequence[MixturePart]) -> None:
        self._parts = parts

    def log_likelihoods(self, codes: StateCodes, n_jobs: int | None) -> Floats:
        """Return the log probability of the observed cells of each row."""
        found: Floats = np.logaddexp.reduce(self._by_part(PartCodes(codes), n_jobs), axis=1)
        return found

    def completed(
        self, codes: StateCodes, completion: CompletionName, n_jobs: int | None
    ) -> StateCodes:
        """Return codes with the missing cells completed.

        A joint completion is the most probable one together with its component.
        """
        complete = self._jointly if completion == "joint" else self._cell_by_cell
        is_incomplete = (codes < 0).any(axis=1)
        found = codes.copy(order="F")
        if is_incomplete.any():
            found[is_incomplete] = complete(np.asfortranarray(codes[is_incomplete]), n_jobs)
        return found

    def marginals(
        self, codes: StateCodes, positions: Sequence[int], n_jobs: int | None
    ) -> list[Floats]:
        """Return the distributions of some hidden variables in each row, rows by states."""
        extended = PartCodes(codes)
        shares = self._part_shares(extended, n_jobs)
        sums: list[Floats] = []
        for part, share in zip(self._parts, shares.T, strict=True):
            answers = part.network._row_answers
            found = answers.marginals(extended.of(part), positions, n_jobs)
            weighted = [own * share[:, None] for own in found]
            sums = [a + b for a, b in zip(sums, weighted, strict=True)] if sums else weighted
        return sums

    def responsibilities(self, codes: StateCodes, n_jobs: int | None) -> Floats:
        """Return the probability of each component in each row."""
        check_answer_memory(len(codes), sum(part.n_components for part in self._parts))
        extended = PartCodes(codes)
        shares = self._part_shares(extended, n_jobs)
        hidden = codes.shape[1]
        columns = []
        for part, share in zip(self._parts, shares.T, strict=True):
            if part.n_components == 1:
                columns.append(share[:, None])
                continue
            (found,) = part.network._row_answers.marginals(extended.of(part), [hidden], n_jobs)
            columns.append(found * share[:, None])
        return np.concatenate(columns, axis=1)

    def _part_shares(self, codes: PartCodes, n_jobs: int | None) -> Floats:
        """Return the probability of each part in each row; their weights in an impossible row."""
        logs = self._by_part(codes, n_jobs)
        logs[np.isneginf(logs).all(axis=1)] = self._log_weights
        shares: Floats = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
        return shares

    @cached_property
    def _log_weights(self) -> Floats:
        return np.log([part.weight for part in self._parts])

    def _by_part(self, codes: PartCodes, n_jobs: int | None) -> Floats:
        """Return the log probability of each row together with each part."""
        columns = [
            part.network._row_answers.log_likelihoods(codes.of(part), n_jobs)
            for part in self._parts
        ]
        return np.column_stack(columns) + self._log_weights

    def _jointly(self, codes: StateCodes, n_jobs: int | None) -> StateCodes:
        extended = PartCodes(codes)
        best, best_logs = codes, np.full(len(codes), -np.inf)
        for part, log_weight in zip(self._parts, self._log_weights, strict=True):
            answers = part.network._row_answers
            found = answers.completed(extended.of(part), "joint", n_jobs)
            logs = answers.log_likelihoods(found, n_jobs) + log_weight
            if best is codes:
                best = found[:, :-1].copy(order="F")
            is_better = logs > best_logs
            best[is_better] = found[is_better, :-1]
            best_logs = np.maximum(best_logs, logs)
        return best

    def _cell_by_cell(self, codes: StateCodes, n_jobs: int | None) -> StateCodes:
        found = codes.copy(order="F")
        arities = self._parts[0].network._encoding.arities[:-1]
        n_hidden = max(part.n_components for part in self._parts)
        for block in _blocks(codes, arities, n_hidden):
            some = np.asfortranarray(codes[block])
            cells = _MissingCells(some, arities)
            extended = PartCodes(some)
            shares = self._part_shares(extended, n_jobs)
            sums = np.zeros(cells.n_entries)
            for part, share in zip(self._parts, shares.T, strict=True):
                own = answer_rows(
                    _core.cell_marginals,
                    part.network._row_network,
                    extended.of(part),
                    n_jobs=n_jobs,
                )
                if part.n_components > 1:
                    own = cells.without_component(own, part.n_components)
                sums += own * share[cells.row_of_entry]
            found[block] = cells.filled(some, sums)
        return found


class _MissingCells:
    """The missing cells of rows in order, and the states of each."""

    def __init__(self, codes: StateCodes, arities: StateCodes) -> None:
        self._rows, self._columns = np.nonzero(codes < 0)
        self._arities = arities[self._columns]
        self._firsts = np.cumsum(self._arities) - self._arities
        self._n_rows = len(codes)
        self.n_entries = int(self._arities.sum())
        self.row_of_entry = np.repeat(self._rows, self._arities)

    def without_component(self, entries: Floats, n_components: int) -> Floats:
        """Return entries of the cells; in each row, those of the component come last."""
        is_cell = np.ones(len(entries), dtype=bool)
        per_row = np.bincount(self._rows, weights=self._arities, minlength=self._n_rows)
        ends = np.cumsum(per_row.astype(np.int64) + n_components)
        for back in range(1, n_components + 1):
            is_cell[ends - back] = False
        kept: Floats = entries[is_cell]
        return kept

    def filled(self, codes: StateCodes, entries: Floats) -> StateCodes:
        """Return codes with the most probable state of each missing cell."""
        filled = codes.copy()
        for arity in np.unique(self._arities):
            members = np.flatnonzero(self._arities == arity)
            own = entries[self._firsts[members][:, None] + np.arange(arity)]
            filled[self._rows[members], self._columns[members]] = own.argmax(axis=1)
        return filled


def _blocks(codes: StateCodes, arities: StateCodes, n_hidden: int) -> Iterator[slice]:
    """Yield blocks of rows whose missing cells have a bounded number of states."""
    entries = np.cumsum((codes < 0) @ arities.astype(np.int64) + n_hidden)
    start = 0
    while start < len(codes):
        before = entries[start - 1] if start else 0
        end = int(np.searchsorted(entries, before + MAX_BLOCK_ENTRIES, side="right"))
        yield slice(start, max(end, start + 1))
        start = max(end, start + 1)
