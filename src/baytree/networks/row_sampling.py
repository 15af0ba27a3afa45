"""Rows drawn from a network, given states and likelihoods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baytree import _core
from baytree.exceptions import ImpossibleEvidenceError
from baytree.networks.cpts import Cpt
from baytree.networks.evidence import EncodedEvidence
from baytree.networks.row_calls import RefusalWords, answer_rows
from baytree.tables.encoding import StateCodes


@dataclass(frozen=True)
class NetworkTables:
    """A network in numbers: tables of probabilities, and the order in which to eliminate."""

    arities: Sequence[int]
    parents: Sequence[Sequence[int]]
    tables: Sequence[Cpt]
    elimination_order: Sequence[int]

    def row_network(self) -> _core.RowNetwork:
        """Return the network as the core takes it."""
        tabular = _core.TabularNetwork(
            list(self.arities),
            parents=[list(parents) for parents in self.parents],
            tables=[np.ravel(table) for table in self.tables],
        )
        return _core.RowNetwork(tabular, elimination_order=list(self.elimination_order))

    def with_witnesses(self, likelihoods: Sequence[tuple[int, list[float]]]) -> NetworkTables:
        """Return the network with a child of two states for each likelihood.

        The child is in its second state as often as the likelihood says, so that to observe it
        there is virtual evidence.
        """
        n_variables = len(self.arities)
        witnesses = range(n_variables, n_variables + len(likelihoods))
        return NetworkTables(
            [*self.arities, *(2 for _ in witnesses)],
            [*self.parents, *([variable] for variable, _ in likelihoods)],
            [*self.tables, *(_witness_table(likelihood) for _, likelihood in likelihoods)],
            [*witnesses, *self.elimination_order],
        )


def drawn_rows(
    network: _core.RowNetwork,
    tables: NetworkTables,
    evidence: EncodedEvidence,
    *,
    n_rows: int,
    seed: int,
    n_jobs: int | None,
) -> StateCodes:
    """Return codes of rows from the exact distribution given evidence."""
    n_variables = len(tables.arities)
    if evidence.likelihoods:
        _refuse_impossible(all(max(likelihood) > 0 for _, likelihood in evidence.likelihoods))
        network = tables.with_witnesses(evidence.likelihoods).row_network()
    codes = np.full(network.n_variables, -1, dtype=np.int32)
    codes[n_variables:] = 1
    for variable, code in evidence.states:
        codes[variable] = code
    row = np.asfortranarray(codes[None, :])
    words = RefusalWords("Rows given this evidence", "observe other variables")
    likelihood = answer_rows(_core.log_likelihoods, network, row, n_jobs=1, words=words)
    _refuse_impossible(np.isfinite(likelihood[0]))
    drawn = answer_rows(
        _core.sample_rows, network, codes, n_rows=n_rows, seed=seed, n_jobs=n_jobs, words=words
    )
    return drawn[:, :n_variables]


def _witness_table(likelihood: Sequence[float]) -> Cpt:
    shares = np.asarray(likelihood) / max(likelihood)
    return np.column_stack([1 - shares, shares])


def _refuse_impossible(is_possible: bool | np.bool_) -> None:
    if not is_possible:
        raise ImpossibleEvidenceError(
            "The evidence has probability zero, so no rows can be drawn given it. Check it, or "
            "smooth the probabilities (equivalent_sample_size above 0)."
        )
