import numpy as np
import pytest

from baytree.classification.class_rows import ClassRows


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    return random.integers(-1, 2, (60, 3)).astype(np.int32), random.integers(0, 3, 60)


def rows_of(codes, classes, weights=None):
    return ClassRows.of(codes, classes.astype(np.int32), weights, (2, 2, 2), 3)


def test_distinct_rows_with_their_weights_are_those_that_pandas_counts(table):
    codes, classes = table
    rows = rows_of(codes, classes)
    joint = np.column_stack([codes, classes])
    distinct, counts = np.unique(joint, axis=0, return_counts=True)
    assert np.array_equal(np.column_stack([rows.codes, rows.classes]), distinct)
    assert np.array_equal(rows.weights, counts)


def test_a_row_of_weight_three_is_three_rows(table):
    codes, classes = table
    weights = np.random.default_rng(1).integers(1, 4, 60).astype(float)
    times = weights.astype(int)
    weighted, repeated = (
        rows_of(codes, classes, weights),
        rows_of(codes.repeat(times, axis=0), classes.repeat(times)),
    )
    assert np.array_equal(weighted.weights, repeated.weights)
    assert np.array_equal(weighted.fold_weights(5, 7), repeated.fold_weights(5, 7))


def test_folds_share_out_all_rows_and_every_class_evenly(table):
    rows = rows_of(*table)
    parts = rows.fold_weights(5, seed=3)
    assert np.allclose(sum(parts), rows.weights)
    assert all((part >= 0).all() for part in parts)
    by_class = np.array([np.bincount(rows.classes, part, 3) for part in parts])
    assert np.ptp(by_class, axis=0).max() <= 1 + 1e-9


def test_another_seed_makes_other_folds(table):
    rows = rows_of(*table)
    assert not np.array_equal(rows.fold_weights(5, 1), rows.fold_weights(5, 2))
