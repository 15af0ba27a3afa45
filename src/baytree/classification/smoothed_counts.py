"""Smoothed probabilities of features given their parents and the class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from baytree.classification.augmentations import Augmentation
from baytree.classification.class_rows import ClassRows, Codes, Floats

MARGINAL_WEIGHT = 1.0  # in rows, of the distribution without class in the one given the class

JointStates = npt.NDArray[np.int64]


def joint_codes(codes: Codes, arities: Sequence[int], members: Sequence[int]) -> JointStates:
    """Return numbers of the joint states of some features, -1 where one is missing."""
    numbers = np.zeros(len(codes), dtype=np.int64)
    is_missing = np.zeros(len(codes), dtype=bool)
    for member in members:
        numbers = numbers * arities[member] + codes[:, member]
        is_missing |= codes[:, member] < 0
    numbers[is_missing] = -1
    return numbers


@dataclass(frozen=True, eq=False)
class Family:
    """Joint states of one feature and its parents in every row.

    Counts and probabilities have three axes: joint states of the parents, classes, states.
    """

    shape: tuple[int, int, int]
    cells: JointStates  # number of parents' and own states together; -1 if any is missing
    counts: Floats
    class_counts: Floats | None  # of the feature and the class alone, if there are parents

    @classmethod
    def of(cls, rows: ClassRows, feature: int, parents: tuple[int, ...]) -> Family:
        """Count one family."""
        n_states = rows.arities[feature]
        n_parent_states = math.prod(rows.arities[parent] for parent in parents)
        shape = (n_parent_states, rows.n_classes, n_states)
        cells = joint_codes(rows.codes, rows.arities, (*parents, feature))
        own = rows.codes[:, feature]
        alone = _counted(rows, own, (1, *shape[1:]))[0] if parents else None
        return cls(shape, cells, _counted(rows, cells, shape), alone)

    @cached_property
    def observed(self) -> npt.NDArray[np.intp]:
        """Numbers of the rows in which no member is missing."""
        return np.flatnonzero(self.cells >= 0)

    @cached_property
    def _alone(self) -> Floats:
        """Counts of the feature by class."""
        return self.counts[0] if self.class_counts is None else self.class_counts

    @cached_property
    def _marginal(self) -> Floats:
        """Distribution of the feature without the class, in which no state has probability 0."""
        counts = self._alone.sum(axis=0) + MARGINAL_WEIGHT / self.shape[2]
        distribution: Floats = counts / counts.sum()
        return distribution

    def probabilities(self, smoothing: float) -> Floats:
        """Return the probabilities of the states given parents and class.

        They are smoothed towards those given the class alone, with the weight of `smoothing` rows,
        and these towards the marginal distribution.
        """
        given_class = _smoothed(self._alone, self._alone.sum(axis=1), self._marginal)
        if self.class_counts is None:
            return given_class[np.newaxis]
        sums = self.counts.sum(axis=2)
        return _smoothed(self.counts, sums, given_class, smoothing)

    def add_log_probabilities(self, totals: Floats, smoothing: float, rows: ClassRows) -> None:
        """Add log probabilities by row and class; a row does not count for its own class.

        Leaving the row out makes the probabilities those of a new row.
        """
        observed = self.observed
        parents, states = np.divmod(self.cells[observed], self.shape[2])
        logs = np.log(self.probabilities(smoothing))[parents, :, states]
        own = rows.classes[observed]
        logs[np.arange(len(observed)), own] = np.log(
            self._without_row(
                parents, own, states, np.minimum(rows.weights[observed], 1.0), smoothing
            )
        )
        totals[observed] += logs

    def _without_row(
        self,
        parents: JointStates,
        own: Codes,
        states: JointStates,
        left_out: Floats,
        smoothing: float,
    ) -> Floats:
        """Return the probability of each row's state in its own class, without that row."""
        given_class = _left_out(
            self._alone[own, states],
            self._alone.sum(axis=1)[own],
            left_out,
            (self._marginal[states], MARGINAL_WEIGHT),
        )
        if self.class_counts is None:
            return given_class
        counts, sums = self.counts[parents, own, states], self.counts.sum(axis=2)[parents, own]
        return _left_out(counts, sums, left_out, (given_class, smoothing))


def _left_out(
    counts: Floats, sums: Floats, left_out: Floats, prior: tuple[Floats, float]
) -> Floats:
    """Return smoothed probabilities after some weight has left both counts and sums."""
    towards, weight = prior
    left_counts, left_sums = np.maximum(counts - left_out, 0.0), np.maximum(sums - left_out, 0.0)
    probabilities: Floats = (left_counts + weight * towards) / (left_sums + weight)
    return probabilities


def _smoothed(
    counts: Floats, sums: Floats, prior: Floats, weight: float = MARGINAL_WEIGHT
) -> Floats:
    smoothed: Floats = (counts + weight * prior) / (sums[..., np.newaxis] + weight)
    return smoothed


def _counted(rows: ClassRows, cells: Codes, shape: tuple[int, int, int]) -> Floats:
    """Return the weights of the joint states of parents, class and feature."""
    observed = cells >= 0
    parents, states = np.divmod(cells[observed], shape[2])
    places = (parents * shape[1] + rows.classes[observed]) * shape[2] + states
    counts = np.bincount(places, rows.weights[observed], math.prod(shape))
    return counts.astype(np.float64, copy=False).reshape(shape)


@dataclass(frozen=True, eq=False)
class SmoothedCounts:
    """Counts of the class and of the family of every feature, and their smoothing in rows."""

    augmentation: Augmentation
    class_counts: Floats
    families: tuple[Family, ...]
    smoothing: float = 1.0

    @classmethod
    def count(cls, rows: ClassRows, augmentation: Augmentation) -> SmoothedCounts:
        """Count the rows."""
        families = [Family.of(rows, *family) for family in enumerate(augmentation.parents)]
        return cls(augmentation, rows.class_counts, tuple(families))

    def class_distribution(self) -> Floats:
        """Return the smoothed distribution of the class."""
        counts = self._smoothed_class_counts
        distribution: Floats = counts / counts.sum()
        return distribution

    @property
    def _smoothed_class_counts(self) -> Floats:
        counts: Floats = self.class_counts + 1.0 / len(self.class_counts)
        return counts

    def log_joint(self, rows: ClassRows) -> Floats:
        """Return log probabilities of each row with each class, up to a constant.

        Rows that were counted, which are those of positive weight, are left out for themselves.
        Families with a missing cell are left out too.
        """
        counts = self._smoothed_class_counts
        totals = np.tile(np.log(counts), (len(rows.classes), 1))
        own = counts[rows.classes] - np.minimum(rows.weights, 1.0)
        totals[np.arange(len(totals)), rows.classes] = np.log(np.maximum(own, counts.min() / 2))
        for family in self.families:
            family.add_log_probabilities(totals, self.smoothing, rows)
        return totals
