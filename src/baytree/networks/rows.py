"""Rows of tables: their likelihoods, predictions and completions by a network."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from baytree import _core
from baytree.exceptions import UnknownStateError
from baytree.messages.arguments import one_of
from baytree.networks.model import Model
from baytree.networks.row_answers import CompletionName, Floats
from baytree.networks.row_calls import check_answer_memory
from baytree.networks.state_indexes import grouped_index, state_index
from baytree.networks.variables import known_targets
from baytree.tables.columns import Array, StateCodes
from baytree.tables.containers import Table
from baytree.tables.containers.polars_tables import PolarsLayout
from baytree.tables.inputs import OpenedTable, open_table, open_view
from baytree.tables.variable_encoding import UnknownPolicy
from baytree.tables.weighted_rows import refuse_missing_cells, weighted_rows
from baytree.vocabulary import COMPLETIONS

if TYPE_CHECKING:
    from baytree.networks.network import BayesianNetwork

MAX_BLOCK_ENTRIES = 10_000_000  # probabilities at once, where only the best state is of interest
_BIC_REMEDY = (
    "The BIC of a structure counts complete rows. Fill the cells (impute), or drop the rows."
)


def read_table(
    network: Model,
    path: str | os.PathLike[str],
    missing_values: Collection[str] | None,
) -> pd.DataFrame:
    """Return the table in a file; names and cells that spell variables and states become them."""
    table: pd.DataFrame = open_view(path, network._encoding, missing_words=missing_values).native
    return table


def open_rows(network: Model, table: Table, **options: Any) -> OpenedTable:
    """Return a table of rows, opened in the states of a network; by default it may be empty.

    Variables that the table lacks are missing in every row, and other columns are ignored.
    """
    keywords = {"may_be_empty": True, **options}
    try:
        return open_table(table, network._encoding, is_partial=True, **keywords)
    except UnknownStateError as error:
        if "handle_unknown" not in options:
            raise
        hint = 'handle_unknown="missing" takes such cells as missing.'
        raise UnknownStateError(f"{error} {hint}") from None


def predict(
    network: Model,
    table: Table,
    target: Any,
    handle_unknown: UnknownPolicy,
    n_jobs: int | None,
) -> Any:
    """Return the most probable state of each target in each row, or the mean of a number."""
    targets, is_one = known_targets(target, network._positions)
    codes = _evidence_codes(network, table, targets, handle_unknown, n_jobs)
    best = _best_in_blocks(network, codes, targets, n_jobs)
    cells = {name: _labelled(network, name, own) for name, own in best.items()}
    if _is_polars(table):
        series = [_polars_labels(labels, codes) for codes, labels in cells.values()]
        frame = PolarsLayout().table(targets, series)
        return frame.to_series(0) if is_one else frame
    columns = {
        name: state_index(name, labels).take(codes) for name, (codes, labels) in cells.items()
    }
    index = _row_index(table)
    if is_one:
        found = columns[target]
        return found.to_numpy() if index is None else pd.Series(found, index, name=target)
    frame = pd.DataFrame(columns, index=index)
    frame.columns = pd.Index(targets, tupleize_cols=False)
    return frame.to_numpy() if index is None else frame


def _best_in_blocks(
    network: Model, codes: StateCodes, targets: Sequence[Hashable], n_jobs: int | None
) -> dict[Hashable, Array]:
    """Return the most probable states of targets, or means; no block of rows needs much memory."""
    n_rows = max(1, MAX_BLOCK_ENTRIES // sum(len(network.states(name)) for name in targets))
    bins = {name: network._encoding.bins.get(network._positions[name]) for name in targets}
    blocks: list[list[Array]] = []
    for start in range(0, max(len(codes), 1), n_rows):
        block = np.asfortranarray(codes[start : start + n_rows])
        found = zip(bins.values(), marginals_of_rows(network, block, targets, n_jobs), strict=True)
        blocks.append([own.argmax(axis=1) if b is None else b.expected(own) for b, own in found])
    return dict(zip(targets, map(np.concatenate, zip(*blocks, strict=True)), strict=True))


def _labelled(
    network: Model, variable: Hashable, best: Array
) -> tuple[StateCodes, Sequence[Hashable]]:
    """Return codes and labels of states, or of numbers."""
    own = network._encoding.variable_encodings[network._positions[variable]]
    if own.bins is None:
        return best.astype(np.int32), network.states(variable)
    return own.number_codes(best)


def predict_proba(
    network: Model,
    table: Table,
    target: Any,
    handle_unknown: UnknownPolicy,
    n_jobs: int | None,
) -> Any:
    """Return the probability of every state of each target in each row."""
    targets, is_one = known_targets(target, network._positions)
    codes = _evidence_codes(network, table, targets, handle_unknown, n_jobs)
    marginals = marginals_of_rows(network, codes, targets, n_jobs)
    cells = marginals[0] if len(marginals) == 1 else np.concatenate(marginals, axis=1)
    states = {name: network.states(name) for name in targets}
    if _is_polars(table):
        return PolarsLayout().table(_column_texts(states, is_one), [*cells.T])
    columns: pd.Index[Any] = grouped_index(states, ("variable", "state"))
    if is_one:
        columns = state_index(target, states[target])
    return pd.DataFrame(cells, index=_row_index(table), columns=columns)


def impute(network: Model, table: Table, completion: CompletionName, n_jobs: int | None) -> Any:
    """Return the table with its missing cells filled."""
    one_of("completion", completion, COMPLETIONS)
    opened = open_rows(network, table, n_jobs=n_jobs)
    codes = network._row_answers.completed(opened.codes, completion, n_jobs)
    is_joint = completion == "joint"
    return opened.filled(codes, None if is_joint else _means(network, opened.codes, n_jobs))


def _means(network: Model, codes: StateCodes, n_jobs: int | None) -> dict[int, Floats]:
    """Return the posterior mean of each missing number, by position of its variable."""
    means = {}
    for position, bins in network._encoding.bins.items():
        is_missing = codes[:, position] < 0
        missing = np.asfortranarray(codes[is_missing])
        (found,) = marginals_of_rows(network, missing, [network.variables[position]], n_jobs)
        means[position] = np.full(len(codes), np.nan)
        means[position][is_missing] = bins.expected(found)
    return means


def bic(network: BayesianNetwork, table: Table) -> float:
    """Return the BIC of the structure on a table."""
    codes = open_rows(network, table, may_be_empty=False).codes
    refuse_missing_cells((codes < 0).sum(axis=0), network.variables, remedy=_BIC_REMEDY)
    rows = weighted_rows(network.variables, network._encoding.arities, codes, None)
    scorer = _core.FamilyScorer(
        rows.dataset(), score="bic", equivalent_sample_size=1.0, n_table_entries=0
    )
    families = enumerate(network._parent_positions)
    return float(sum(scorer.score(child, parents) for child, parents in families))


def marginals_of_rows(
    network: Model, codes: StateCodes, targets: Sequence[Hashable], n_jobs: int | None
) -> list[Floats]:
    """Return the distributions of targets in each row; refuse those that memory cannot hold."""
    check_answer_memory(len(codes), sum(len(network.states(name)) for name in targets))
    positions = [network._positions[name] for name in targets]
    return network._row_answers.marginals(codes, positions, n_jobs)


def _evidence_codes(
    network: Model,
    table: Table,
    targets: Sequence[Hashable],
    handle_unknown: UnknownPolicy,
    n_jobs: int | None,
) -> StateCodes:
    """Return the codes of a table, in which targets are no evidence for each other."""
    opened = open_rows(network, table, masked=targets, handle_unknown=handle_unknown, n_jobs=n_jobs)
    return opened.codes


def _row_index(table: Any) -> pd.Index[Any] | None:
    return table.index if isinstance(table, pd.DataFrame) else None


def _is_polars(table: Any) -> bool:
    return nw.dependencies.is_polars_dataframe(table)


def _polars_labels(states: Sequence[Hashable], codes: StateCodes) -> Any:
    """Return a series of states; states of several types become text, as a series has one type."""
    try:
        return PolarsLayout().column(codes, states, None)
    except TypeError:
        return PolarsLayout().column(codes, _texts(states), None)


def _column_texts(states: Mapping[Hashable, Sequence[Hashable]], is_one: bool) -> list[str]:
    """Return names of columns: states, or variable=state for several variables."""
    if is_one:
        return _texts([state for labels in states.values() for state in labels])
    names = dict(zip(states, _texts(states), strict=True))
    texts = [f"{names[name]}={text}" for name, labels in states.items() for text in _texts(labels)]
    if len({*texts}) == len(texts):
        return texts
    return [f"{name!r}={label!r}" for name, labels in states.items() for label in labels]


def _texts(labels: Iterable[Hashable]) -> list[str]:
    """Return labels as distinct texts."""
    texts = [str(label) for label in labels]
    return texts if len({*texts}) == len(texts) else [repr(label) for label in labels]
