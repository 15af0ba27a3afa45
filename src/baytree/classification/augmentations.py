"""Arcs among the features of a network in which the class is a parent of every feature."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np

from baytree import _core
from baytree.classification.class_rows import ClassRows
from baytree.runtime.limits import check_deadline

MAX_PARTNERS = 16  # sets of several parents are made of a feature's best single parents


@dataclass(frozen=True)
class Augmentation:
    """Parents of every feature among the features, ascending; the class is one more parent.

    Parents are joined by arcs, so the network is its own triangulation: its treewidth is the
    largest number of parents, and class probabilities of any product of functions of families
    are those of some probabilities of the network [roos].
    """

    parents: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]  # parents before children

    @cached_property
    def hosts(self) -> tuple[int, ...]:
        """For every feature the last of its parents, whose family holds all of them, or -1."""
        rank = {feature: place for place, feature in enumerate(self.order)}
        return tuple(max(own, key=rank.__getitem__, default=-1) for own in self.parents)

    @property
    def width(self) -> int:
        """Treewidth of the network: features and class in the largest family, less one."""
        return max((len(own) for own in self.parents), default=0) + 1


def naive(n_features: int) -> Augmentation:
    """Return no arcs: features are independent given the class."""
    return Augmentation(((),) * n_features, tuple(range(n_features)))


@dataclass
class FamilyGains:
    """Gains in a criterion by parents of a feature beside the class."""

    rows: ClassRows
    criterion: str
    max_states: float  # of a family with the class
    _known: dict[tuple[int, tuple[int, ...]], float] = field(default_factory=dict)

    @cached_property
    def _scorer(self) -> _core.FamilyScorer:
        return _core.FamilyScorer(
            self.rows.dataset(), score=self.criterion, equivalent_sample_size=1.0
        )

    def gain(self, feature: int, parents: tuple[int, ...]) -> float:
        """Return the gain by some parents; minus infinity for a family that is too large."""
        family = (feature, parents)
        if family not in self._known:
            self._known[family] = self._computed(feature, parents)
        return self._known[family]

    def _computed(self, feature: int, parents: tuple[int, ...]) -> float:
        arities = self.rows.arities
        sizes = [self.rows.n_classes, *(arities[member] for member in (feature, *parents))]
        if math.prod(sizes) > self.max_states:
            return -math.inf
        target = self.rows.n_features
        score = self._scorer.score
        return score(feature, [*parents, target]) - score(feature, [target])

    def relevance(self, feature: int) -> float:
        """Return the gain of a feature by the class alone."""
        return self._scorer.score(feature, [self.rows.n_features]) - self._scorer.score(feature, [])


def grown(gains: FamilyGains, max_parents: int, deadline: float = math.inf) -> Augmentation:
    """Return arcs that are added greedily: the feature of the highest gain comes next.

    Its parents are among those that came before and joined by arcs. With one parent this is the
    forest of the highest criterion [tan]. A feature whose parents gain nothing begins a new tree.
    A deadline raises TimeoutError.
    """
    return _Growth(gains, max_parents, deadline).run()


class _Growth:
    def __init__(self, gains: FamilyGains, max_parents: int, deadline: float) -> None:
        n_features = gains.rows.n_features
        self._gains = gains
        self._max_parents = max_parents
        self._deadline = deadline
        self._left = sorted(range(n_features), key=gains.relevance, reverse=True)
        self._order: list[int] = []
        self._parents: list[tuple[int, ...]] = [()] * n_features
        self._best = np.zeros(n_features)
        # Of every child, a heap of gains with places in the order: the lowest gain comes first.
        self._partners: list[list[tuple[float, int]]] = [[] for _ in range(n_features)]

    def run(self) -> Augmentation:
        while self._left:
            check_deadline(self._deadline)
            feature = max(self._left, key=self._best.__getitem__)  # of equal ones the most relevant
            self._left.remove(feature)
            self._order.append(feature)
            self._offer(feature)
        return Augmentation(tuple(self._parents), tuple(self._order))

    def _offer(self, feature: int) -> None:
        """Try the cliques that a feature has made as parents of those that are left."""
        cliques = [*self._cliques(feature)]
        for child in self._left:
            self._remember(child, self._try(child, (feature,)))
            partners = {self._order[place] for _, place in self._partners[child]}
            for others in cliques:
                if partners.issuperset((*others, feature)):
                    self._try(child, tuple(sorted((*others, feature))))

    def _cliques(self, feature: int) -> Iterator[tuple[int, ...]]:
        own = self._parents[feature]
        for size in range(1, min(len(own), self._max_parents - 1) + 1):
            yield from combinations(own, size)

    def _try(self, child: int, parents: tuple[int, ...]) -> float:
        gain = self._gains.gain(child, parents)
        if gain > self._best[child]:
            self._best[child], self._parents[child] = gain, parents
        return gain

    def _remember(self, child: int, gain: float) -> None:
        """Keep the feature that came last among the best single parents of a child."""
        partners, last = self._partners[child], (gain, len(self._order) - 1)
        if len(partners) < MAX_PARTNERS:
            heapq.heappush(partners, last)
        else:
            heapq.heappushpop(partners, last)


def candidates(
    rows: ClassRows,
    criteria: Sequence[str],
    max_parents: int,
    max_states: float,
    deadline: float = math.inf,
) -> Iterable[Augmentation]:
    """Yield different augmentations, simple ones first: none, forests, then larger families.

    A deadline raises TimeoutError.
    """
    seen = {naive(rows.n_features).parents}
    yield naive(rows.n_features)
    all_gains = [FamilyGains(rows, criterion, max_states) for criterion in criteria]
    for n_parents in range(1, max_parents + 1):
        for gains in all_gains:
            found = grown(gains, n_parents, deadline)
            if found.parents not in seen:
                seen.add(found.parents)
                yield found
