"""The inner loops of learning mixtures: NumPy's numbers, and the same bits on every processor."""

import numpy as np
import pytest
from baytree._core_testing import LaneKernels, n_lanes

from baytree import _core_testing

SETS = _core_testing.instruction_sets()
SHAPES = [(1, 1), (3, 5), (8, 4), (33, 7), (64, 66)]


def numbers(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def parts(answer):
    return answer if isinstance(answer, tuple) else (answer,)


def on_every_set(name, *arguments):
    """The answer of a kernel, which is the same on all instruction sets."""
    arrays = [own.ravel() if isinstance(own, np.ndarray) else own for own in arguments]
    first, *others = (getattr(LaneKernels(own), name)(*arrays) for own in SETS)
    for other in others:
        for one, two in zip(parts(first), parts(other), strict=True):
            assert np.array_equal(one, two)
    return first


@pytest.mark.parametrize(("n_in", "n_out"), SHAPES)
def test_layers_are_products_of_matrices(n_in, n_out):
    rng = np.random.default_rng(n_in)
    weights, bias = numbers(rng, n_out, n_in), numbers(rng, n_out)
    values, gradients = numbers(rng, n_in, n_lanes), numbers(rng, n_out, n_lanes)
    found = on_every_set("apply", weights, bias, values).reshape(n_out, n_lanes)
    assert found == pytest.approx(weights @ values + bias[:, None], abs=1e-4)
    back = on_every_set("apply_transposed", weights, gradients).reshape(n_in, n_lanes)
    assert back == pytest.approx(weights.T @ gradients, abs=1e-4)
    by_lane = np.ascontiguousarray(values.T)
    of_weights, of_bias = on_every_set("add_products", gradients, by_lane, weights, bias)
    assert of_weights.reshape(n_out, n_in) == pytest.approx(
        weights + gradients @ values.T, abs=1e-4
    )
    assert of_bias == pytest.approx(bias + gradients.sum(axis=1), abs=1e-4)


def test_rectifiers_leak():
    values = numbers(np.random.default_rng(0), 5, n_lanes).ravel()
    gradients = numbers(np.random.default_rng(1), 5, n_lanes).ravel()
    assert np.array_equal(
        on_every_set("rectify", values), np.where(values > 0, values, np.float32(0.1) * values)
    )
    found = on_every_set("rectify_gradients", values, gradients)
    assert np.array_equal(found, np.where(values > 0, gradients, np.float32(0.1) * gradients))


@pytest.mark.parametrize("arity", [1, 2, 3, 17])
@pytest.mark.parametrize("scale", [0.01, 1, 30, 200])
def test_logarithms_of_distributions_are_those_of_the_softmax(arity, scale):
    logits = scale * numbers(np.random.default_rng(arity), arity - 1, n_lanes)
    found = on_every_set("log_distribution", logits).reshape(arity, n_lanes)
    whole = np.vstack([np.zeros(n_lanes), logits]).astype(np.float64)
    tops = whole.max(axis=0)
    expected = whole - tops - np.log(np.exp(whole - tops).sum(axis=0))
    assert found == pytest.approx(expected, rel=1e-5, abs=2e-6 * max(scale, 1))


@pytest.mark.parametrize("arity", [2, 3, 17])
def test_gradients_of_logits_are_counts_less_what_is_expected(arity):
    rng = np.random.default_rng(arity)
    p = rng.dirichlet(np.ones(arity), n_lanes).T
    counts = rng.random((arity, n_lanes)).astype(np.float32)
    found = on_every_set("logit_gradients", counts, np.log(p).astype(np.float32), 0.25)
    expected = 0.25 * (counts - counts.sum(axis=0) * p)[1:]
    assert found.reshape(-1, n_lanes) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("n_rows", "n_families"), [(0, 2), (1, 1), (7, 3), (100, 20)])
def test_entries_of_rows_are_summed_and_counted(n_rows, n_families):
    rng = np.random.default_rng(n_rows)
    table = numbers(rng, 40, n_lanes)
    entries = rng.integers(0, 40, (n_rows, n_families)).astype(np.uint32)
    found = on_every_set("sum_entries", entries, n_families, table)
    expected = table.astype(np.float64)[entries].sum(axis=1)
    assert found.reshape(-1, n_lanes) == pytest.approx(expected.reshape(-1, n_lanes), abs=1e-4)
    shares = rng.random((n_rows, n_lanes)).astype(np.float32)
    added = on_every_set("add_shares", entries, n_families, shares, table)
    expected = table.astype(np.float64)
    for row, share in zip(entries, shares, strict=True):
        np.add.at(expected, row, share)
    assert added.reshape(-1, n_lanes) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("top", [-100.0, 0.0, 3.0])
def test_exponentials_are_those_of_numpy(top):
    values = top - 20 * np.random.default_rng(0).random(n_lanes).astype(np.float32)
    values[3] = top
    found, total = on_every_set("exponentials", values, top)
    assert found == pytest.approx(np.exp(values.astype(np.float64) - top), rel=1e-6, abs=1e-12)
    assert total == pytest.approx(found.sum(), rel=1e-6)
    assert on_every_set("largest", values) == top


def test_exponentials_of_the_impossible_are_as_good_as_zero():
    values = np.full(n_lanes, -1e30, dtype=np.float32)
    values[0] = -50.0
    found, total = on_every_set("exponentials", values, -50.0)
    assert found[0] == total == 1
    assert (found[1:] < 1e-37).all()
