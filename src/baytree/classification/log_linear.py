"""Products of functions of families as probabilities of a network.

A function of a family may be multiplied by any function of the feature and its parents without the
class: the class given complete rows stays the same. `with_marginals` chooses these so that the
network's joint distribution of every family is that of the data, which is what missing cells are
summed out by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.optimize

from baytree.classification.augmentations import Augmentation
from baytree.classification.class_rows import Floats
from baytree.runtime.blas_threads import one_blas_thread

MAX_ITERATIONS = 50
TOLERANCE = 1e-9
RIDGE = 1e-6
RARE = 1e-4  # probability below which the steps of the search grow no further
MIN_LOG = -700.0  # the exponential of less is 0


@dataclass(frozen=True, eq=False)
class LogLinearModel:
    """Logarithms of a function of the class, and of one of each family.

    The functions have the axes of `smoothed_counts.Family`. They are probabilities of a network if
    they sum to 1 over the states of the class and of every feature.
    """

    augmentation: Augmentation
    arities: tuple[int, ...]
    of_class: Floats
    of_families: tuple[Floats, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.of_class)

    def normalized(self) -> tuple[LogLinearModel, float]:
        """Return the probabilities of the same distribution, and the log of its former sum.

        Each feature's sum over its states becomes a factor of its host's family, the features
        being summed out from the last to the first [roos].
        """
        tables = list(self.of_families)
        of_class = self.of_class
        for feature in reversed(self.augmentation.order):
            sums = _log_sum(tables[feature], axis=2)
            tables[feature] = tables[feature] - sums[:, :, np.newaxis]
            host = self.augmentation.hosts[feature]
            if host < 0:
                of_class = of_class + sums[0]
            else:
                tables[host] = tables[host] + self._in_host(sums, feature, host)
        total = float(_log_sum(of_class, axis=0))
        normal = LogLinearModel(self.augmentation, self.arities, of_class - total, tuple(tables))
        return normal, total

    def family_distributions(self) -> list[Floats]:
        """Return the joint distribution of every family and the class, given probabilities."""
        found: list[Floats] = [np.empty(0)] * len(self.arities)
        for feature in self.augmentation.order:
            host = self.augmentation.hosts[feature]
            if host < 0:
                parents = np.exp(self.of_class)[np.newaxis, :]
            else:
                parents = self._from_host(found[host], feature, host)
            found[feature] = parents[:, :, np.newaxis] * np.exp(self.of_families[feature])
        return found

    def _in_host(self, sums: Floats, feature: int, host: int) -> Floats:
        """Spread a function of the parents and the class over the family of the host."""
        own, of_host = self.augmentation.parents[feature], self.augmentation.parents[host]
        shape = [self.arities[one] if one in own else 1 for one in of_host]
        in_own = sums.reshape([*(self.arities[one] for one in own), self.n_classes])
        moved = np.moveaxis(in_own, own.index(host), -1)
        spread = moved.reshape([*shape, self.n_classes, self.arities[host]])
        full = [*(self.arities[one] for one in of_host), self.n_classes, self.arities[host]]
        return np.broadcast_to(spread, full).reshape(-1, self.n_classes, self.arities[host])

    def _from_host(self, joint: Floats, feature: int, host: int) -> Floats:
        """Sum the joint distribution of the host's family to that of the parents and the class."""
        own, of_host = self.augmentation.parents[feature], self.augmentation.parents[host]
        sizes = [*(self.arities[one] for one in of_host), self.n_classes, self.arities[host]]
        dropped = tuple(axis for axis, one in enumerate(of_host) if one not in own)
        summed = joint.reshape(sizes).sum(axis=dropped)
        moved: Floats = np.moveaxis(summed, -1, own.index(host)).reshape(-1, self.n_classes)
        return moved


@one_blas_thread()
def with_marginals(model: LogLinearModel, targets: Sequence[Floats]) -> LogLinearModel:
    """Return probabilities with the same classes of rows and the given marginals of the families.

    `targets` are distributions of parents and states of each feature, without the class. The
    search for the factors is convex.
    """
    factors = _Factors(model, targets)
    found = scipy.optimize.minimize(
        factors.loss,
        np.zeros(len(factors.wanted)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MAX_ITERATIONS, "ftol": TOLERANCE},
    )
    return factors.times(found.x).normalized()[0]


class _Factors:
    """Factors of joint states of parents and feature, by their scaled logarithms."""

    def __init__(self, model: LogLinearModel, targets: Sequence[Floats]) -> None:
        self.wanted = np.concatenate([target.ravel() for target in targets])
        self._model = model
        self._shapes = [target.shape for target in targets]
        self._ends = np.cumsum([target.size for target in targets])[:-1]
        self._steps = 1 / np.sqrt(self.wanted + RARE)  # the curvature is about 1 everywhere then

    def times(self, numbers: Floats) -> LogLinearModel:
        """Return the model times factors."""
        pieces = np.split(self._steps * numbers, self._ends)
        families = [
            table + piece.reshape(shape)[:, np.newaxis, :]
            for table, piece, shape in zip(
                self._model.of_families, pieces, self._shapes, strict=True
            )
        ]
        return replace(self._model, of_families=tuple(families))

    def loss(self, numbers: Floats) -> tuple[float, Floats]:
        """Return the cross-entropy of the marginals with a small penalty, and its gradient."""
        normal, total = self.times(numbers).normalized()
        joints = normal.family_distributions()
        excess = np.concatenate([joint.sum(axis=1).ravel() for joint in joints]) - self.wanted
        value = total - self.wanted @ (self._steps * numbers) + RIDGE / 2 * (numbers @ numbers)
        return float(value), self._steps * excess + RIDGE * numbers


def _log_sum(logs: Floats, axis: int) -> Floats:
    highest = np.maximum(logs.max(axis=axis, keepdims=True), MIN_LOG)
    sums: Floats = np.log(np.exp(logs - highest).sum(axis=axis)) + highest.squeeze(axis)
    return sums
