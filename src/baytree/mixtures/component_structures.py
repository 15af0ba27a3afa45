"""Structures for the components of a mixture, learned from the rows without their components."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.cluster import KMeans

from baytree.exceptions import InterruptedWarning, TimeLimitWarning
from baytree.learning.constraints import ArcConstraints
from baytree.learning.learner import NetworkLearner
from baytree.mixtures.parts import hidden_name
from baytree.networks.row_answers import Floats
from baytree.tables.columns import StateCodes
from baytree.tables.encoding import TableEncoding
from baytree.tables.weighted_rows import bootstrap_weights

N_CLUSTERS = 12  # that stand for the components while the arcs within them are learned
MAX_CLUSTERED_ROWS = 20_000
MAX_CLUSTERED_STATES = 5_000  # columns of indicators
LARGE_TREEWIDTHS = (3, 5)  # of structures for whole tables, beside the tree
SMALL_TREEWIDTHS = (2, 3)  # of structures for what is left within clusters
MIN_SECONDS = 1e-3


@dataclass(frozen=True, eq=False)
class StructureRows:
    """Rows that structures are learned from, until a time of `time.monotonic`."""

    encoding: TableEncoding
    codes: StateCodes
    weights: Floats
    n_jobs: int | None
    deadline: float

    def resampled(self, seed: int) -> StructureRows:
        """Return a bootstrap sample of the rows, in which every variable is observed."""
        counts = bootstrap_weights(self.codes, seed)
        sample = self.weighted(counts * self.weights)
        return sample if sample.has_all_variables else self

    def weighted(self, weights: Floats) -> StructureRows:
        """Return the rows of positive weight."""
        codes = np.asfortranarray(self.codes[weights > 0])
        return replace(self, codes=codes, weights=weights[weights > 0])

    @property
    def has_all_variables(self) -> bool:
        """Whether every variable has an observed cell."""
        return bool((self.codes >= 0).any(axis=0).all())


@dataclass(frozen=True)
class StructureRecipe:
    """How the arcs of components are learned.

    Attributes
    ----------
    max_treewidth : int
        Largest treewidth.
    is_within_clusters : bool
        Whether from what clusters of rows leave unexplained, which is best where many components
        are needed; else from the table as it is.
    """

    max_treewidth: int
    is_within_clusters: bool = False

    def __str__(self) -> str:
        """Return the recipe in words."""
        return f"treewidth {self.max_treewidth}" + self.is_within_clusters * " within clusters"

    def learn(self, rows: StructureRows, max_clique_states: float, seed: int) -> ComponentStructure:
        """Return the structure of some rows."""
        if self.max_treewidth == 0:
            n = len(rows.encoding.variables)
            return ComponentStructure(self, [()] * n, [*range(n)], 0)
        learner = NetworkLearner(
            self.max_treewidth,
            search="hill-climb" if self.max_treewidth > 1 else "chow-liu",
            max_clique_states=max_clique_states,
            n_jobs=rows.n_jobs,
            random_state=seed,
        )
        if self.is_within_clusters:
            return _within_clusters(self, rows, learner, cluster_rows(rows, seed))
        _fit(learner, rows, rows.encoding, rows.codes)
        return _structure(self, learner, len(rows.encoding.variables))


@dataclass(frozen=True, eq=False)
class ComponentStructure:
    """Arcs of components.

    Attributes
    ----------
    recipe : StructureRecipe
        How it was learned.
    parents : list of tuple of int
        Parents of each variable.
    elimination_order : list of int
        An order of elimination that keeps the treewidth.
    treewidth : int
        Width of its decomposition.
    """

    recipe: StructureRecipe
    parents: list[tuple[int, ...]]
    elimination_order: list[int]
    treewidth: int


def candidate_structures(
    rows: StructureRows, max_treewidth: int, max_clique_states: float, seed: int
) -> list[ComponentStructure]:
    """Return structures of several treewidths, of which no two are equal.

    Ctrl-C raises KeyboardInterrupt.
    """
    recipes = [StructureRecipe(min(max_treewidth, 1))]
    recipes += [StructureRecipe(k) for k in LARGE_TREEWIDTHS if k <= max_treewidth]
    recipes += [StructureRecipe(k, True) for k in SMALL_TREEWIDTHS if k <= max_treewidth]
    found = [recipe.learn(rows, max_clique_states, seed) for recipe in recipes]
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


def _within_clusters(
    recipe: StructureRecipe, rows: StructureRows, learner: NetworkLearner, clusters: StateCodes
) -> ComponentStructure:
    """Return arcs among variables of which the cluster is a parent."""
    names = rows.encoding.variables
    hidden = hidden_name(names)
    learner.set_params(
        max_treewidth=recipe.max_treewidth + 1,
        search="hill-climb",
        criterion="aic",  # the clusters are many, the components alike
        constraints=ArcConstraints(required=[(hidden, name) for name in names]),
    )
    extended = _with_variable(rows.encoding, hidden, int(clusters.max()) + 1)
    codes = np.asfortranarray(np.column_stack([rows.codes, clusters]))
    _fit(learner, rows, extended, codes)
    return _structure(recipe, learner, len(names))


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


def _structure(recipe: StructureRecipe, learner: NetworkLearner, n: int) -> ComponentStructure:
    """Return the structure of a fitted learner, of the first `n` variables."""
    network = learner.network_
    parents = [tuple(at for at in own if at < n) for own in network._parent_positions[:n]]
    order = [at for at in network._elimination_order if at < n]
    is_extended = n < len(network.variables)
    return ComponentStructure(recipe, parents, order, learner.treewidth_ - is_extended)
