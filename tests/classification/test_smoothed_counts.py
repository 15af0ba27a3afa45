import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB

from baytree.classification.augmentations import Augmentation, naive
from baytree.classification.class_rows import ClassRows
from baytree.classification.smoothed_counts import MARGINAL_WEIGHT, SmoothedCounts

PAIR = Augmentation(((), (0,), (0, 1)), (0, 1, 2))


def random_rows(n_rows=80, missing=0.0, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, (n_rows, 3)).astype(np.int32)
    codes[random.random(codes.shape) < missing] = -1
    classes = random.integers(0, 2, n_rows).astype(np.int32)
    return codes, classes


def as_rows(codes, classes):
    return ClassRows.of(codes, classes, None, (3, 3, 3), 2)


def test_naive_tables_are_those_of_scikit_learn_with_the_same_prior():
    one_state_each = np.repeat(np.arange(3, dtype=np.int32), 12)
    codes = np.column_stack(
        [np.random.default_rng(i).permutation(one_state_each) for i in range(3)]
    )
    classes = np.repeat([0, 1], 18).astype(np.int32)  # states are equally frequent, so is the prior
    tables = SmoothedCounts.count(as_rows(codes, classes), naive(3))
    theirs = CategoricalNB(alpha=MARGINAL_WEIGHT / 3).fit(codes, classes)
    for family, logs in zip(tables.families, theirs.feature_log_prob_, strict=True):
        assert np.allclose(np.log(family.probabilities(1.0))[0], logs)
    assert np.allclose(np.log(tables.class_distribution()), theirs.class_log_prior_)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_row_left_out_is_as_if_the_others_alone_were_counted(missing):
    codes, classes = random_rows(missing=missing)
    rows = as_rows(codes, classes)
    logs = SmoothedCounts.count(rows, naive(3)).log_joint(rows)
    row = int(np.flatnonzero(rows.weights == 1)[0])
    own = rows.classes[row]
    others = rows.reweighted(np.where(np.arange(len(rows.weights)) == row, 0.0, rows.weights))
    without = SmoothedCounts.count(others, naive(3))
    expected = np.log(without.class_counts[own] + 0.5)
    for feature, family in enumerate(without.families):
        state = rows.codes[row, feature]
        if state >= 0:
            counts = family.counts[0, own]
            marginal = SmoothedCounts.count(rows, naive(3)).families[feature]._marginal
            expected += np.log((counts[state] + marginal[state]) / (counts.sum() + 1))
    assert logs[row, own] == pytest.approx(expected)


def test_probabilities_with_parents_are_smoothed_towards_those_of_the_class_alone():
    rows = as_rows(*random_rows())
    tables = SmoothedCounts.count(rows, PAIR)
    alone = SmoothedCounts.count(rows, naive(3))
    family, prior = tables.families[2], alone.families[2].probabilities(1.0)
    assert np.allclose(family.probabilities(1e9), prior, atol=1e-6)
    counts = family.counts
    expected = (counts + 4 * prior) / (counts.sum(axis=2, keepdims=True) + 4)
    assert np.allclose(family.probabilities(4.0), expected)
    assert np.allclose(family.probabilities(4.0).sum(axis=2), 1)


def test_a_row_without_cells_has_the_distribution_of_the_class_in_the_others():
    codes, classes = random_rows()
    codes[5] = -1
    rows = as_rows(codes, classes)
    logs = SmoothedCounts.count(rows, PAIR).log_joint(rows)
    (row,) = np.flatnonzero((rows.codes < 0).all(axis=1))
    expected = np.bincount(classes, minlength=2) + 0.5
    expected[rows.classes[row]] -= 1
    assert logs[row] == pytest.approx(np.log(expected))
