import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss as sklearn_log_loss

from baytree.classification import class_weights
from baytree.classification.augmentations import naive
from baytree.classification.class_rows import ClassRows
from baytree.classification.class_weights import (
    ClassWeights,
    FamilyStates,
    fit_weights,
    log_loss,
    log_softmax,
)
from baytree.classification.smoothed_counts import SmoothedCounts


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, (300, 4)).astype(np.int32)
    classes = (codes[:, 0] + (random.random(300) < 0.3) * random.integers(0, 3, 300)) % 3
    return ClassRows.of(codes, classes.astype(np.int32), None, (3,) * 4, 3)


def neutral(rows, states):
    return ClassWeights.neutral(states.indicators.shape[1], rows.n_classes)


def test_weights_without_a_network_are_those_of_logistic_regression(rows, monkeypatch):
    monkeypatch.setattr(class_weights, "TOLERANCE", 1e-12)
    monkeypatch.setattr(class_weights, "GRADIENT_TOLERANCE", 1e-9)
    states = FamilyStates.of(rows, SmoothedCounts.count(rows, naive(4)).families)
    nothing = np.zeros((len(rows.classes), 3))
    ours = fit_weights(rows, nothing, states, 2.0, neutral(rows, states))
    columns = np.column_stack([np.ones(len(rows.classes)), states.indicators.toarray()])
    theirs = LogisticRegression(C=1 / 2, fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(columns, rows.classes, rows.weights)
    found = np.exp(log_softmax(ours.logits(nothing, states).T)).T
    assert found == pytest.approx(theirs.predict_proba(columns), abs=1e-5)


def test_gradient_is_that_of_finite_differences(rows):
    tables = SmoothedCounts.count(rows, naive(4))
    states = FamilyStates.of(rows, tables.families)
    loss = class_weights._PenalizedLoss(rows, tables.log_joint(rows), states, 0.7)
    point = np.random.default_rng(1).normal(0, 1, len(loss.steps))
    assert check_grad(lambda x: loss.of(x)[0], lambda x: loss.of(x)[1], point) < 1e-3


def test_a_huge_penalty_keeps_the_weights_at_zero(rows):
    tables = SmoothedCounts.count(rows, naive(4))
    states = FamilyStates.of(rows, tables.families)
    found = fit_weights(rows, tables.log_joint(rows), states, 1e9, neutral(rows, states))
    assert np.abs(found.weights).max() < 1e-6


def test_log_loss_is_that_of_scikit_learn(rows):
    logits = np.random.default_rng(0).normal(size=(len(rows.classes), 3))
    proba = np.exp(log_softmax(logits.T)).T
    expected = sklearn_log_loss(rows.classes, proba, sample_weight=rows.weights)
    assert log_loss(logits, rows.classes, rows.weights) == pytest.approx(expected)


def test_rare_joint_states_have_no_weight():
    codes = np.array([[0], [0], [1]], dtype=np.int32)
    rows = ClassRows.of(codes, np.array([0, 1, 1], dtype=np.int32), None, (2,), 2)
    states = FamilyStates.of(rows, SmoothedCounts.count(rows, naive(1)).families)
    assert [*states.states[0]] == [0]
