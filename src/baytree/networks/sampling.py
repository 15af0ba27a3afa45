"""Sampling: rows drawn from a network, given states and likelihoods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from baytree import _core
from baytree.exceptions import ImpossibleEvidenceError
from baytree.messages.arguments import integer_at_least
from baytree.networks.cpts import Cpt
from baytree.networks.evidence import EncodedEvidence, Evidence, encode_evidence
from baytree.networks.row_calls import RefusalWords, answer_rows
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.tables.encoding import StateCodes

if TYPE_CHECKING:
    from baytree.networks.network import BayesianNetwork


def sample(
    network: BayesianNetwork,
    n: int,
    evidence: Evidence | None,
    random_state: Seed,
    n_jobs: int | None,
) -> pd.DataFrame:
    """Return rows drawn from the distribution given evidence."""
    n_rows = integer_at_least("n", n, 0)
    tables = NetworkTables(
        network._encoding.arities.tolist(),
        network._parent_positions,
        network._known_cpts(),
        network._elimination_order,
    )
    codes = _drawn_rows(
        network._row_network,
        tables,
        encode_evidence(network._encoding, evidence),
        n_rows=n_rows,
        seed=drawn_seed(random_state),
        n_jobs=n_jobs,
    )
    return network._encoding.decode_frame(codes)


@dataclass(frozen=True)
class NetworkTables:
    """A network in numbers: arities, parents, probability tables and an elimination order."""

    arities: Sequence[int]
    parents: Sequence[Sequence[int]]
    tables: Sequence[Cpt]
    elimination_order: Sequence[int]

    def row_network(self) -> _core.RowNetwork:
        """Return the network in the form of the core."""
        tabular = _core.TabularNetwork(
            list(self.arities),
            parents=[list(parents) for parents in self.parents],
            tables=[np.ravel(table) for table in self.tables],
        )
        return _core.RowNetwork(tabular, elimination_order=list(self.elimination_order))

    def with_witnesses(self, likelihoods: Sequence[tuple[int, list[float]]]) -> NetworkTables:
        """Return the network with a binary child per likelihood.

        The probability of its second state is proportional to the likelihood, so that observing
        that state is virtual evidence.
        """
        n_variables = len(self.arities)
        witnesses = range(n_variables, n_variables + len(likelihoods))
        return NetworkTables(
            [*self.arities, *(2 for _ in witnesses)],
            [*self.parents, *([variable] for variable, _ in likelihoods)],
            [*self.tables, *(_witness_table(likelihood) for _, likelihood in likelihoods)],
            [*witnesses, *self.elimination_order],
        )


def _drawn_rows(
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
