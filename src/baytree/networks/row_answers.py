"""Answers for the rows of a table in codes, by a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.networks.row_calls import answer_rows
from baytree.tables.columns import StateCodes
from baytree.vocabulary import COMPLETIONS

CompletionName: TypeAlias = Literal["joint", "independent"]
Floats: TypeAlias = npt.NDArray[np.float64]

CORE_COMPLETIONS = {name: getattr(_core.Completion, name) for name in COMPLETIONS}


class RowAnswers(Protocol):
    """What a model says about rows, of which missing cells have the code -1."""

    def log_likelihoods(self, codes: StateCodes, n_jobs: int | None) -> Floats:
        """Return the log probability of the observed cells of each row."""

    def completed(
        self, codes: StateCodes, completion: CompletionName, n_jobs: int | None
    ) -> StateCodes:
        """Return codes with the missing cells completed."""

    def marginals(
        self, codes: StateCodes, positions: Sequence[int], n_jobs: int | None
    ) -> list[Floats]:
        """Return the distributions of some hidden variables in each row, rows by states."""


class NetworkAnswers:
    """Answers of one network."""

    def __init__(self, network: _core.RowNetwork, arities: Sequence[int]) -> None:
        self._network = network
        self._arities = arities

    def log_likelihoods(self, codes: StateCodes, n_jobs: int | None) -> Floats:
        """Return the log probability of the observed cells of each row."""
        return answer_rows(_core.log_likelihoods, self._network, codes, n_jobs=n_jobs)

    def completed(
        self, codes: StateCodes, completion: CompletionName, n_jobs: int | None
    ) -> StateCodes:
        """Return codes with the missing cells completed."""
        chosen = CORE_COMPLETIONS[completion]
        return answer_rows(
            _core.complete_rows, self._network, codes, completion=chosen, n_jobs=n_jobs
        )

    def marginals(
        self, codes: StateCodes, positions: Sequence[int], n_jobs: int | None
    ) -> list[Floats]:
        """Return the distributions of some hidden variables in each row, rows by states."""
        order = sorted(positions)
        found = answer_rows(
            _core.target_marginals, self._network, codes, targets=order, n_jobs=n_jobs
        )
        by_position = dict(zip(order, found, strict=True))
        return [by_position[at].reshape(len(codes), self._arities[at]) for at in positions]
