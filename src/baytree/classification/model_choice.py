"""Choice of arcs, smoothing and penalty by the log loss of held-out rows."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from baytree.classification.augmentations import Augmentation
from baytree.classification.class_rows import ClassRows, Floats
from baytree.classification.class_weights import (
    ClassWeights,
    FamilyStates,
    fit_weights,
    log_loss,
)
from baytree.classification.log_linear import LogLinearModel, with_marginals
from baytree.classification.smoothed_counts import SmoothedCounts

SMOOTHINGS = (1.0, 4.0, 16.0, 64.0)  # in rows
PENALTIES = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
COMPARING_PENALTY = 3.0  # of weights, where structures are compared
N_FOLDS = 5
MAX_FOLD_ROWS = 25_000  # of all folds together: larger tables hold out fewer of the folds
MAX_RISES = 2  # of the loss, by lower penalties, before the lowest loss is taken as found


class Candidate:
    """One structure, with the smoothing that predicts the class of left-out rows best."""

    def __init__(self, rows: ClassRows, augmentation: Augmentation) -> None:
        self.rows = rows
        self.counts, self.log_joint, self.left_out_loss = self._smoothed(augmentation)

    def _smoothed(self, augmentation: Augmentation) -> tuple[SmoothedCounts, Floats, float]:
        rows, tried = self.rows, []
        counted = SmoothedCounts.count(rows, augmentation)
        for smoothing in SMOOTHINGS if any(augmentation.parents) else SMOOTHINGS[:1]:
            counts = replace(counted, smoothing=smoothing)
            logs = counts.log_joint(rows)
            tried.append((counts, logs, log_loss(logs, rows.classes, rows.weights)))
        return min(tried, key=lambda one: one[2])

    @cached_property
    def states(self) -> FamilyStates:
        """Joint states that have weights."""
        return FamilyStates.of(self.rows, self.counts.families)

    def neutral(self) -> ClassWeights:
        """Return weights that leave the probabilities as they are."""
        return ClassWeights.neutral(self.states.indicators.shape[1], self.rows.n_classes)


class CrossValidation:
    """Log loss of weighted structures on rows that are held out in turn.

    A deadline raises TimeoutError.
    """

    def __init__(self, rows: ClassRows, seed: int, deadline: float = math.inf) -> None:
        self._rows = rows
        self._deadline = deadline
        self._held_out = rows.fold_weights(N_FOLDS, seed)

    def loss(self, candidate: Candidate) -> float:
        """Return the log loss with the penalty by which structures are compared."""
        folds = self._folds(candidate)
        return float(np.mean([fold.loss(COMPARING_PENALTY, self._deadline) for fold in folds]))

    def best_penalty(self, candidate: Candidate) -> tuple[float, float]:
        """Return the penalty of the lowest log loss, and that loss; high penalties come first."""
        folds = self._folds(candidate)
        losses: list[float] = []
        for penalty in PENALTIES:
            losses.append(float(np.mean([fold.loss(penalty, self._deadline) for fold in folds])))
            if len(losses) - 1 - int(np.argmin(losses)) >= MAX_RISES:
                break
        lowest = int(np.argmin(losses))
        return PENALTIES[lowest], losses[lowest]

    def _folds(self, candidate: Candidate) -> list[_Fold]:
        n_folds = int(np.clip(MAX_FOLD_ROWS // len(self._rows.weights), 1, N_FOLDS))
        return [_Fold(self._rows, candidate, held) for held in self._held_out[:n_folds]]


class _Fold:
    """A structure on the rows outside of one fold; the next penalty starts from the last."""

    def __init__(self, rows: ClassRows, candidate: Candidate, held_out: Floats) -> None:
        self._rows = rows.reweighted(np.maximum(rows.weights - held_out, 0.0))
        self._held_out = held_out
        self._states = candidate.states
        counted = SmoothedCounts.count(self._rows, candidate.counts.augmentation)
        smoothed = replace(counted, smoothing=candidate.counts.smoothing)
        self._log_joint = smoothed.log_joint(self._rows)
        self._weights = candidate.neutral()

    def loss(self, penalty: float, deadline: float) -> float:
        """Return the log loss of the held-out rows."""
        self._weights = fit_weights(
            self._rows, self._log_joint, self._states, penalty, self._weights, deadline
        )
        logits = self._weights.logits(self._log_joint, self._states)
        return log_loss(logits, self._rows.classes, self._held_out)


@dataclass(frozen=True, eq=False)
class Choice:
    """A structure with its settings, and the log loss of rows that were left out."""

    candidate: Candidate
    penalty: float  # infinite without weights
    log_loss: float
    is_complete: bool = True  # and not ended by a time limit


def choose_by_left_out_rows(rows: ClassRows, augmentations: Iterable[Augmentation]) -> Choice:
    """Return the structure whose smoothed probabilities predict left-out rows best.

    A TimeoutError of the augmentations ends the choice.
    """
    left = iter(augmentations)
    best, is_complete = Candidate(rows, next(left)), False
    with contextlib.suppress(TimeoutError):
        for augmentation in left:
            best = min(best, Candidate(rows, augmentation), key=lambda one: one.left_out_loss)
        is_complete = True
    return Choice(best, math.inf, best.left_out_loss, is_complete)


def choose_by_folds(
    rows: ClassRows, augmentations: Iterable[Augmentation], seed: int, deadline: float
) -> Choice:
    """Return the structure, and the penalty of its weights, that predict held-out rows best.

    A deadline ends the choice, as does a TimeoutError of the augmentations.
    """
    validation = CrossValidation(rows, seed, deadline)
    left = iter(augmentations)
    first = Candidate(rows, next(left))
    best = Choice(first, COMPARING_PENALTY, first.left_out_loss, is_complete=False)
    with contextlib.suppress(TimeoutError):
        best = replace(best, log_loss=validation.loss(first))
        for augmentation in left:
            candidate = Candidate(rows, augmentation)
            loss = validation.loss(candidate)
            if loss < best.log_loss:
                best = Choice(candidate, COMPARING_PENALTY, loss, is_complete=False)
        return Choice(best.candidate, *validation.best_penalty(best.candidate))
    return best


def probabilities(choice: Choice) -> LogLinearModel:
    """Return the probabilities of the chosen structure, fitted to all rows."""
    smoothed = _smoothed_probabilities(choice.candidate)
    if math.isinf(choice.penalty):
        return smoothed
    marginals = [joint.sum(axis=1) for joint in smoothed.family_distributions()]
    return with_marginals(_weighted(smoothed, choice), marginals)


def _smoothed_probabilities(candidate: Candidate) -> LogLinearModel:
    counts = candidate.counts
    return LogLinearModel(
        counts.augmentation,
        candidate.rows.arities,
        np.log(counts.class_distribution()),
        tuple(np.log(own.probabilities(counts.smoothing)) for own in counts.families),
    )


def _weighted(smoothed: LogLinearModel, choice: Choice) -> LogLinearModel:
    """Return the product of the probabilities' powers and the weights of joint states."""
    candidate = choice.candidate
    fitted = candidate.neutral()
    for penalty in (*(each for each in PENALTIES if each > choice.penalty), choice.penalty):
        fitted = fit_weights(candidate.rows, candidate.log_joint, candidate.states, penalty, fitted)
    tables = []
    pieces = np.split(fitted.weights, np.cumsum([*map(len, candidate.states.states)])[:-1])
    for table, states, piece in zip(
        smoothed.of_families, candidate.states.states, pieces, strict=True
    ):
        weighted = fitted.exponent * table
        parents, own = np.divmod(states, table.shape[2])
        weighted[parents, :, own] += piece
        tables.append(weighted)
    of_class = fitted.exponent * smoothed.of_class + fitted.biases
    return replace(smoothed, of_class=of_class, of_families=tuple(tables))
