"""Distinct rows of features and class, with weights, and their folds for cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.tables.columns import StateCodes

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Distinct rows in a fixed order, so that a row of weight 2 is the same as two rows.

    `codes` are those of the features, -1 where missing; `classes` has no missing cells.
    """

    codes: StateCodes
    classes: StateCodes
    weights: Floats
    arities: tuple[int, ...]
    n_classes: int

    @classmethod
    def of(
        cls,
        codes: StateCodes,
        classes: StateCodes,
        weights: Floats | None,
        arities: tuple[int, ...],
        n_classes: int,
    ) -> ClassRows:
        """Return the distinct rows of a table."""
        joint = np.column_stack([codes, classes])
        distinct, numbers = _distinct_rows(joint)
        totals = np.bincount(numbers, weights=weights, minlength=len(distinct)).astype(np.float64)
        return cls(np.asfortranarray(distinct[:, :-1]), distinct[:, -1], totals, arities, n_classes)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.arities)

    @cached_property
    def class_counts(self) -> Floats:
        """Weight of each class."""
        counts = np.bincount(self.classes, self.weights, self.n_classes)
        return counts.astype(np.float64, copy=False)

    def reweighted(self, weights: Floats) -> ClassRows:
        """Return the same rows with other weights, which may be 0."""
        return replace(self, weights=weights)

    def dataset(self) -> _core.Dataset:
        """Return the features and, as the last variable, the class, as a dataset of the core."""
        joint = np.asfortranarray(np.column_stack([self.codes, self.classes]), dtype=np.int32)
        arities = np.array([*self.arities, self.n_classes], dtype=np.int32)
        return _core.Dataset(joint, arities, weights=self.weights)

    def fold_weights(self, n_folds: int, seed: int) -> list[Floats]:
        """Return the weight of each row in each of `n_folds` parts, stratified by class.

        The unit weights of the rows of a class are dealt to the parts in turn, in a random order
        of the rows.
        """
        shuffled = np.random.RandomState(seed).permutation(len(self.weights))
        order = shuffled[np.argsort(self.classes[shuffled], kind="stable")]
        ends = np.cumsum(self.weights[order])
        starts = ends - self.weights[order]
        parts = []
        for fold in range(n_folds):
            part = np.empty(len(order))
            part[order] = _dealt(ends, fold, n_folds) - _dealt(starts, fold, n_folds)
            parts.append(np.maximum(part, 0.0))
        return parts


def _dealt(position: Floats, fold: int, n_folds: int) -> Floats:
    """Return how much of the weights up to a position goes to one of the folds."""
    rounds, rest = np.divmod(position, n_folds)
    dealt: Floats = rounds + np.clip(rest - fold, 0.0, 1.0)
    return dealt


def _distinct_rows(joint: StateCodes) -> tuple[StateCodes, npt.NDArray[np.intp]]:
    """Return the distinct rows in lexicographic order, and the number of each row's own."""
    order = np.lexsort(joint.T[::-1])
    ordered = joint[order]
    is_first = np.ones(len(joint), dtype=bool)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    numbers = np.empty(len(joint), dtype=np.intp)
    numbers[order] = np.cumsum(is_first) - 1
    return ordered[is_first], numbers
