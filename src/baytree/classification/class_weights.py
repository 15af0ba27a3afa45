"""Discriminative training: weights of joint states of families, for the class given the features.

The log probability of a class is that of the network times an exponent, plus a weight for each
family's joint state. The penalised log-likelihood of the classes is concave. With no arcs between
features this is logistic regression, whose weights are drawn towards those of naive Bayes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.optimize
import scipy.sparse

from baytree.classification.class_rows import ClassRows, Codes, Floats
from baytree.classification.smoothed_counts import Family, JointStates
from baytree.runtime.blas_threads import one_blas_thread
from baytree.runtime.limits import check_deadline

MIN_WEIGHT = 2.0  # in rows: rarer joint states say nothing about new rows
MAX_ITERATIONS = 200
TOLERANCE = 1e-5  # relative, of the loss
GRADIENT_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class FamilyStates:
    """Joint states of families that have a weight, as columns of a sparse matrix of the rows."""

    states: tuple[JointStates, ...]  # by family, ascending
    indicators: scipy.sparse.csr_matrix
    transposed: scipy.sparse.csr_matrix

    @classmethod
    def of(cls, rows: ClassRows, families: Sequence[Family]) -> FamilyStates:
        """Return the joint states that are frequent enough."""
        found = [_frequent(family) for family in families]
        starts = np.cumsum([0, *map(len, found)])
        places = [_placed(one, own) for one, own in zip(families, found, strict=True)]
        row_numbers = np.concatenate([np.flatnonzero(own >= 0) for own in places])
        columns = np.concatenate(
            [own[own >= 0] + start for own, start in zip(places, starts[:-1], strict=True)]
        )
        shape = (len(rows.classes), int(starts[-1]))
        matrix = scipy.sparse.csr_matrix((np.ones(len(columns)), (row_numbers, columns)), shape)
        return cls(tuple(found), matrix, matrix.T.tocsr())


def _frequent(family: Family) -> JointStates:
    counts = family.counts.sum(axis=1).ravel()
    return np.flatnonzero(counts >= MIN_WEIGHT)


def _placed(family: Family, states: JointStates) -> JointStates:
    """Return the place of each row's joint state among those with a weight, or -1."""
    place_of = np.full(family.shape[0] * family.shape[2] + 1, -1, dtype=np.int64)
    place_of[states] = np.arange(len(states))
    return place_of[family.cells]  # cell -1 is the last


@dataclass(frozen=True, eq=False)
class ClassWeights:
    """Exponent of the network's probabilities, and weights by class of classes and joint states."""

    exponent: float
    biases: Floats
    weights: Floats  # one row for each column of the indicators

    @classmethod
    def neutral(cls, n_states: int, n_classes: int) -> ClassWeights:
        """Return the weights that leave the network's probabilities as they are."""
        return cls(1.0, np.zeros(n_classes), np.zeros((n_states, n_classes)))

    def logits(self, log_joint: Floats, states: FamilyStates) -> Floats:
        """Return log probabilities of the classes, up to a constant in each row."""
        logits: Floats = self.exponent * log_joint + self.biases + states.indicators @ self.weights
        return logits

    def flat(self) -> Floats:
        """Return all numbers in one vector."""
        return np.concatenate([[self.exponent], self.biases, self.weights.ravel()])

    @classmethod
    def from_flat(cls, numbers: Floats, n_classes: int) -> ClassWeights:
        """Return the weights of a vector."""
        weights = numbers[1 + n_classes :].reshape(-1, n_classes)
        return cls(float(numbers[0]), numbers[1 : 1 + n_classes], weights)


def log_loss(logits: Floats, classes: Codes, weights: Floats) -> float:
    """Return the mean negative log probability of the classes."""
    is_used = weights > 0
    logs = log_softmax(logits[is_used].T)
    losses = -logs[classes[is_used], np.arange(logs.shape[1])]
    return float(losses @ weights[is_used] / weights[is_used].sum())


def log_softmax(logits: Floats) -> Floats:
    """Return the logarithms of probabilities that sum to 1 along the first axis."""
    shifted = logits - logits.max(axis=0)
    logs: Floats = shifted - np.log(np.exp(shifted).sum(axis=0))
    return logs


@one_blas_thread()
def fit_weights(
    rows: ClassRows,
    log_joint: Floats,
    states: FamilyStates,
    penalty: float,
    start: ClassWeights,
    deadline: float = math.inf,
) -> ClassWeights:
    """Return the weights of the highest likelihood less half the penalty times their squares.

    A deadline raises TimeoutError.
    """
    loss = _PenalizedLoss(rows, log_joint, states, penalty)
    found = scipy.optimize.minimize(
        loss.of,
        start.flat() / loss.steps,
        jac=True,
        method="L-BFGS-B",
        callback=lambda _: check_deadline(deadline),
        bounds=[(0.0, None)] + [(None, None)] * (len(loss.steps) - 1),
        options={"maxiter": MAX_ITERATIONS, "ftol": TOLERANCE, "gtol": GRADIENT_TOLERANCE},
    )
    return ClassWeights.from_flat(found.x * loss.steps, rows.n_classes)


class _PenalizedLoss:
    """Negative log-likelihood of the classes of rows of positive weight, and penalties.

    Its arguments are numbers of `ClassWeights` divided by `steps`, so that the curvature is about
    the same in all directions.
    """

    def __init__(
        self, rows: ClassRows, log_joint: Floats, states: FamilyStates, penalty: float
    ) -> None:
        used = np.flatnonzero(rows.weights > 0)
        is_whole = len(used) == len(rows.weights)
        self._indicators = states.indicators if is_whole else states.indicators[used]
        self._transposed = states.transposed if is_whole else self._indicators.T.tocsr()
        self._offsets = np.ascontiguousarray(log_joint[used].T)
        self._counts = rows.weights[used]
        self._target = np.zeros_like(self._offsets)
        self._target[rows.classes[used], np.arange(len(used))] = 1.0
        self._penalty = penalty
        self.steps = self._curvature() ** -0.5

    def _curvature(self) -> Floats:
        """Return an estimate of the second derivatives, by the frequencies of the classes."""
        shares = self._target @ self._counts / self._counts.sum()
        spread = shares * (1 - shares)
        of_states = self._transposed @ self._counts
        of_exponent = (self._offsets - shares @ self._offsets) ** 2 * shares[:, np.newaxis]
        return ClassWeights(
            1.0 + float((of_exponent @ self._counts).sum()),
            self._penalty + self._counts.sum() * spread,
            self._penalty + of_states[:, np.newaxis] * spread,
        ).flat()

    def of(self, numbers: Floats) -> tuple[float, Floats]:
        """Return the loss and its gradient."""
        at = ClassWeights.from_flat(numbers * self.steps, len(self._offsets))
        logits = at.exponent * self._offsets + at.biases[:, np.newaxis]
        logs = log_softmax(logits + (self._indicators @ at.weights).T)
        residuals = (np.exp(logs) - self._target) * self._counts
        squares = float((at.weights**2).sum() + at.biases @ at.biases)
        loss = -float((logs * self._target).sum(axis=0) @ self._counts)
        gradient = ClassWeights(
            float((residuals * self._offsets).sum()) + at.exponent - 1.0,
            residuals.sum(axis=1) + self._penalty * at.biases,
            self._transposed @ np.ascontiguousarray(residuals.T) + self._penalty * at.weights,
        )
        total = loss + self._penalty / 2 * squares + (at.exponent - 1.0) ** 2 / 2
        return total, gradient.flat() * self.steps
