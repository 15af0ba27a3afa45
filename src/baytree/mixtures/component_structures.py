"""Structures for the components of a mixture, learned from the rows without their components."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.cluster import KMeans

from baytree.exceptions import InterruptedWarning, TimeLimitWarning
from baytree.learning.constraints import ArcConstraints
from baytree.learning.learner import NetworkLearner
from baytree.mixtures.parts import hidden_name
from baytree.networks.network import BayesianNetwork
from baytree.networks.row_answers import Floats
from baytree.tables.columns import StateCodes
from baytree.tables.encoding import TableEncoding

N_CLUSTERS = 12  # that stand for the components while the arcs within them are learned
MAX_CLUSTERED_ROWS = 20_000
MAX_CLUSTERED_STATES = 5_000  # columns of indicators
LARGE_TREEWIDTHS = (3, 5)  # of structures for whole tables, beside the tree
SMALL_TREEWIDTHS = (2, 3)  # of structures for what is left within clusters
MIN_SECONDS = 1e-3


@dataclass(frozen=True, eq=False)
class ComponentStructure:
    """Arcs of components.

    Attributes
    ----------
    name : str
        How it was learned.
    parents : list of tuple of int
        Parents of each variable.
    elimination_order : list of int
        An order of elimination that keeps the treewidth.
    treewidth : int
        Width of its decomposition.
    """

    name: str
    parents: list[tuple[int, ...]]
    elimination_order: list[int]
    treewidth: int


@dataclass(frozen=True, eq=False)
class StructureRows:
    """Rows that structures are learned from, until a time of `time.monotonic`."""

    encoding: TableEncoding
    codes: StateCodes
    weights: Floats
    n_jobs: int | None
    deadline: float


def candidate_structures(
    rows: StructureRows, max_treewidth: int, max_clique_states: float, seed: int
) -> list[ComponentStructure]:
    """Return structures of several treewidths, of which no two are equal.

    Some are learned from the table as it is, which is best where few components are needed, and
    some from what clusters of rows leave unexplained, where many are. Ctrl-C raises
    KeyboardInterrupt.
    """
    learner = NetworkLearner(
        search="hill-climb",
        max_clique_states=max_clique_states,
        n_jobs=rows.n_jobs,
        random_state=seed,
    )
    found = [_independent(rows)] if max_treewidth == 0 else []
    if max_treewidth > 0:
        found.append(_learned(rows, learner, 1, "tree"))
    for treewidth in LARGE_TREEWIDTHS:
        if 1 < treewidth <= max_treewidth:
            found.append(_learned(rows, learner, treewidth, f"treewidth {treewidth}"))
    if max_treewidth > 1:
        clusters = cluster_rows(rows, seed)
        for treewidth in SMALL_TREEWIDTHS:
            if treewidth <= max_treewidth:
                found.append(_within_clusters(rows, learner, clusters, treewidth))
    distinct = {tuple(own.parents): own for own in reversed(found)}
    return [own for own in found if distinct[tuple(own.parents)] is own]


def cluster_rows(rows: StructureRows, seed: int) -> StateCodes:
    """Return a cluster of each row, by k-means over indicators of states."""
    columns = [
        (rows.codes[:, at] == state).astype(np.float32)
        for at, arity in enumerate(rows.encoding.arities)
        for state in range(1, arity)
    ][:MAX_CLUSTERED_STATES]
    indicators = np.column_stack(columns) if columns else np.zeros((len(rows.codes), 1), np.float32)
    random = np.random.RandomState(seed)
    chosen = random.permutation(len(indicators))[:MAX_CLUSTERED_ROWS]
    n_clusters = min(N_CLUSTERS, len(np.unique(indicators[chosen], axis=0)))
    means = KMeans(n_clusters, n_init=1, max_iter=20, random_state=random)
    means.fit(indicators[chosen], sample_weight=rows.weights[chosen])
    clusters: StateCodes = means.predict(indicators).astype(np.int32)
    return clusters


def _independent(rows: StructureRows) -> ComponentStructure:
    n = len(rows.encoding.variables)
    return ComponentStructure("independent", [()] * n, [*range(n)], 0)


def _learned(
    rows: StructureRows, learner: NetworkLearner, treewidth: int, name: str
) -> ComponentStructure:
    """Return a structure that is learned from the table as it is."""
    search = "chow-liu" if treewidth == 1 else "hill-climb"
    own = NetworkLearner(**{**learner.get_params(deep=False), "search": search})
    own.set_params(max_treewidth=treewidth)
    _fit(own, rows, rows.encoding, rows.codes)
    return _structure(name, own.network_, own.treewidth_)


def _within_clusters(
    rows: StructureRows, learner: NetworkLearner, clusters: StateCodes, treewidth: int
) -> ComponentStructure:
    """Return arcs among variables of which the cluster is a parent."""
    names = rows.encoding.variables
    hidden = hidden_name(names)
    extended = _with_variable(rows.encoding, hidden, int(clusters.max()) + 1)
    own = NetworkLearner(**learner.get_params(deep=False))
    own.set_params(
        max_treewidth=treewidth + 1,
        criterion="aic",  # the clusters are many, the components alike
        constraints=ArcConstraints(required=[(hidden, name) for name in names]),
    )
    codes = np.asfortranarray(np.column_stack([rows.codes, clusters]))
    _fit(own, rows, extended, codes)
    name = f"treewidth {treewidth} within clusters"
    return _structure(name, own.network_, own.treewidth_, n_variables=len(names))


def _fit(
    learner: NetworkLearner, rows: StructureRows, encoding: TableEncoding, codes: StateCodes
) -> None:
    """Learn in at most a half of the time left; what the search starts from is a structure, too."""
    seconds = rows.deadline - time.monotonic()
    if math.isfinite(seconds):
        learner.set_params(time_limit=max(seconds / 2, MIN_SECONDS))
    with warnings.catch_warnings():
        for category in (InterruptedWarning, TimeLimitWarning):
            warnings.simplefilter("ignore", category)
        learner._fit_codes(encoding, codes, rows.weights)
    if learner.is_interrupted_:
        raise KeyboardInterrupt


def _with_variable(encoding: TableEncoding, name: Hashable, n_states: int) -> TableEncoding:
    added = TableEncoding.from_states({name: range(n_states)}).variable_encodings
    visible = encoding.restricted(range(len(encoding.variables)))
    return replace(visible, variable_encodings=visible.variable_encodings + added)


def _structure(
    name: str, network: BayesianNetwork, treewidth: int, n_variables: int | None = None
) -> ComponentStructure:
    """Return the structure of a network, without the variables from a position on."""
    n = len(network.variables) if n_variables is None else n_variables
    parents = [_below(own, n) for own in network._parent_positions[:n]]
    order = [at for at in network._elimination_order if at < n]
    return ComponentStructure(name, parents, order, treewidth - (n < len(network.variables)))


def _below(positions: Sequence[int], n: int) -> tuple[int, ...]:
    return tuple(position for position in positions if position < n)
