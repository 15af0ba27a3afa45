"""Sampling: rows drawn from a network given evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from baytree import _core
from baytree.exceptions import ImpossibleEvidenceError
from baytree.messages.arguments import integer_at_least, is_number
from baytree.networks.evidence import Evidence, encode_evidence
from baytree.networks.row_calls import RefusalWords, answer_rows
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.tables.bin_contents import Floats
from baytree.tables.columns import StateCodes, is_missing_cell
from baytree.tables.encoding import TableEncoding

if TYPE_CHECKING:
    from baytree.networks.network import BayesianNetwork

_WORDS = RefusalWords("Rows given this evidence", "observe other variables")


def sample(
    network: BayesianNetwork,
    n: int,
    evidence: Evidence | None,
    random_state: Seed,
    n_jobs: int | None,
) -> pd.DataFrame:
    """Return rows from the exact distribution given evidence."""
    n_rows = integer_at_least("n", n, 0)
    network._known_cpts()
    encoded = encode_evidence(network._encoding, evidence)
    n_variables = len(network.variables)
    core = network._row_network
    if encoded.likelihoods:
        _refuse_impossible(all(max(likelihood) > 0 for _, likelihood in encoded.likelihoods))
        core = _with_witnesses(network, encoded.likelihoods)
    codes = np.full(core.n_variables, -1, dtype=np.int32)
    codes[n_variables:] = 1
    for variable, code in encoded.states:
        codes[variable] = code
    row = np.asfortranarray(codes[None, :])
    likelihood = answer_rows(_core.log_likelihoods, core, row, n_jobs=1, words=_WORDS)
    _refuse_impossible(np.isfinite(likelihood[0]))
    seed = drawn_seed(random_state)
    drawn = answer_rows(
        _core.sample_rows, core, codes, n_rows=n_rows, seed=seed, n_jobs=n_jobs, words=_WORDS
    )[:, :n_variables]
    numbers = _drawn_numbers(network._encoding, drawn, evidence, np.random.RandomState(seed))
    return network._encoding.decode_frame(drawn, numbers)


def _drawn_numbers(
    encoding: TableEncoding,
    codes: StateCodes,
    evidence: Evidence | None,
    random: np.random.RandomState,
) -> dict[int, Floats]:
    """Return numbers within the bins, by position; those that are evidence stay as they are."""
    numbers = {
        position: bins.draw(codes[:, position], random) for position, bins in encoding.bins.items()
    }
    for variable, observed in ({} if evidence is None else evidence).items():
        position = encoding.position(variable)
        if position in numbers and is_number(observed) and not is_missing_cell(observed):
            numbers[position] = np.full(len(codes), float(observed))
    return numbers


def _with_witnesses(
    network: BayesianNetwork, likelihoods: Sequence[tuple[int, list[float]]]
) -> _core.RowNetwork:
    """Return the network with a binary child per likelihood.

    The probability of its second state is proportional to the likelihood, so that observing that
    state is virtual evidence.
    """
    arities = network._encoding.arities.tolist()
    witnesses = range(len(arities), len(arities) + len(likelihoods))
    scaled = (np.asarray(own) / max(own) for _, own in likelihoods)
    tabular = _core.TabularNetwork(
        [*arities, *(2 for _ in witnesses)],
        parents=[*network._parent_positions, *((variable,) for variable, _ in likelihoods)],
        tables=[
            *(cpt.ravel() for cpt in network._known_cpts()),
            *(np.column_stack([1 - own, own]).ravel() for own in scaled),
        ],
    )
    return _core.RowNetwork(tabular, elimination_order=[*witnesses, *network._elimination_order])


def _refuse_impossible(is_possible: bool | np.bool_) -> None:
    if not is_possible:
        raise ImpossibleEvidenceError(
            "The evidence has probability zero, so no rows can be drawn given it. Check it, or "
            "smooth the probabilities (equivalent_sample_size above 0)."
        )
