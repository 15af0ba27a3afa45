"""Learning of mixtures by gradients, against an implementation in NumPy with doubles."""

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp

from baytree import _core, _core_testing

ARITIES = [2, 3, 2]
PARENTS = [[], [0], [0, 1]]
N_LATENT, N_HIDDEN = 2, 5
LIMITS = _core.RowLimits(n_threads=1, max_bytes=1e9)


def task(points, n_rows, **options):
    settings = {
        "arities": ARITIES,
        "parents": PARENTS,
        "elimination_order": [2, 1, 0],
        "points": np.ravel(points),
        "n_latent": N_LATENT,
        "weights": np.ones(n_rows),
        "held_out_weights": np.ones(n_rows),
        "n_hidden": N_HIDDEN,
        "n_steps": 20,
        "batch_size": 8,
        "learning_rate": 3e-3,
        "weight_decay": 1e-3,
        "n_moving": 64,
        "still_fraction": 0.3,
        "learns_weights": False,
        "n_evaluations": 5,
        "patience": 5,
        "seed": 0,
    }
    return _core.LatentMixtureTask(**settings | options)


def table(rng, n_rows, missing=0.0):
    codes = np.column_stack([rng.integers(0, arity, n_rows) for arity in ARITIES])
    codes[rng.random(codes.shape) < missing] = -1
    return np.asfortranarray(codes, dtype=np.int32)


def learn(codes, tasks, n_threads=1):
    limits = _core.RowLimits(n_threads=n_threads, max_bytes=1e9)
    return _core.learn_latent_mixtures(tasks, codes, limits=limits, control=_core.RunControl())


def logits_at(parameters, point):
    """Two layers with leaky rectifiers, then a linear one; weights come before biases."""
    n_logits = sum(
        (a - 1) * np.prod([ARITIES[p] for p in own], dtype=int)
        for a, own in zip(ARITIES, PARENTS, strict=True)
    )
    values, start = (2 * np.asarray(point) - 1) * np.sqrt(3), 0
    shapes = [(N_LATENT, N_HIDDEN), (N_HIDDEN, N_HIDDEN), (N_HIDDEN, n_logits)]
    for number, (n_in, n_out) in enumerate(shapes):
        weights = parameters[start : start + n_in * n_out].reshape(n_out, n_in)
        bias = parameters[start + n_in * n_out :][:n_out]
        start += (n_in + 1) * n_out
        values = weights @ values + bias
        if number < 2:
            values = np.where(values > 0, values, 0.1 * values)
    assert start == len(parameters)
    return values


def joint_at(parameters, point):
    """P(joint state) of a component, with an axis for each variable."""
    logits, start, joint = logits_at(parameters, point), 0, np.ones(ARITIES)
    for child, (arity, own) in enumerate(zip(ARITIES, PARENTS, strict=True)):
        shape = [ARITIES[parent] for parent in own]
        size = int(np.prod(shape)) * (arity - 1)
        cells = logits[start : start + size].reshape(*shape, arity - 1)
        start += size
        whole = np.concatenate([np.zeros((*shape, 1)), cells], axis=-1)
        cpt = np.exp(whole - logsumexp(whole, axis=-1, keepdims=True))
        axes = [ARITIES[i] if i in (*own, child) else 1 for i in range(len(ARITIES))]
        joint = joint * cpt.reshape(axes)
    return joint


def mean_log_likelihood(parameters, points, codes, weights):
    joint = np.mean([joint_at(parameters, point) for point in points], axis=0)
    rows = [joint[tuple(slice(None) if c < 0 else c for c in row)].sum() for row in codes]
    return np.average(np.log(rows), weights=weights)


@pytest.mark.parametrize("missing", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("n_components", [1, 3, 40])
def test_gradients_are_those_of_the_exact_log_likelihood(n_components, missing):
    rng = np.random.default_rng(n_components)
    codes, points = table(rng, 30, missing), rng.random((n_components, N_LATENT))
    weights = rng.integers(1, 4, 30).astype(float)
    found = _core_testing.latent_gradients(task(points, 30, weights=weights), codes, limits=LIMITS)
    parameters = found.parameters.astype(np.float64)
    assert found.mean == pytest.approx(
        mean_log_likelihood(parameters, points, codes, weights), abs=1e-5
    )
    for at in range(0, len(parameters), 3):
        step = np.zeros_like(parameters)
        step[at] = 1e-5
        ends = [mean_log_likelihood(parameters + s, points, codes, weights) for s in (step, -step)]
        assert found.gradients[at] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=2e-5)


def test_learning_starts_from_the_frequencies_of_the_rows():
    rng = np.random.default_rng(0)
    codes = table(rng, 4000)
    codes[:, 0] = rng.random(4000) < 0.9
    found = _core_testing.latent_gradients(task([[0.5, 0.5]], 4000), codes, limits=LIMITS)
    joint = joint_at(found.parameters.astype(np.float64), [0.5, 0.5])
    assert joint.sum(axis=(1, 2))[1] == pytest.approx(0.9, abs=0.05)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("learns_weights", [False, True])
def test_every_instruction_set_and_number_of_threads_gives_the_same_bits(missing, learns_weights):
    rng = np.random.default_rng(0)
    codes, points = table(rng, 100, missing), rng.random((40, N_LATENT))
    options = {"learns_weights": learns_weights}
    runs = [
        learn(codes, [task(points, 100, instruction_set=name, **options)] * 2, n_threads)
        for name in _core_testing.instruction_sets()
        for n_threads in (1, 2, 4)
    ]
    for run, (first, second) in product(runs, [runs[0]]):
        for found, expected in zip(run, (first, second), strict=True):
            assert found.held_out == expected.held_out
            assert np.array_equal(found.weights, expected.weights)
            for one, two in zip(found.tables, expected.tables, strict=True):
                assert np.array_equal(one, two)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_held_out_likelihood_is_that_of_the_tables(missing):
    rng = np.random.default_rng(3)
    codes, points = table(rng, 60, missing), rng.random((5, N_LATENT))
    (found,) = learn(codes, [task(points, 60, learns_weights=True, n_steps=200)])
    assert found.weights.sum() == pytest.approx(1)
    joint = np.zeros(ARITIES)
    for component, weight in enumerate(found.weights):
        whole = np.full(ARITIES, weight)
        for child, (arity, own) in enumerate(zip(ARITIES, PARENTS, strict=True)):
            cpt = found.tables[child].reshape(*(ARITIES[p] for p in own), 5, arity)
            assert cpt.sum(axis=-1) == pytest.approx(1)
            axes = [ARITIES[i] if i in (*own, child) else 1 for i in range(len(ARITIES))]
            whole = whole * cpt[..., component, :].reshape(axes)
        joint += whole
    rows = [joint[tuple(slice(None) if c < 0 else c for c in row)].sum() for row in codes]
    assert found.held_out == pytest.approx(np.log(rows).mean(), abs=1e-5)
    assert found.held_out == max(held_out for _, _, held_out in found.history)
    assert found.history[0][2] < found.held_out


def test_tasks_that_fit_no_table_are_refused():
    rng = np.random.default_rng(0)
    codes, points = table(rng, 10), rng.random((3, N_LATENT))
    for changes, problem in [
        ({"points": np.ones(5)}, "a point for each component"),
        ({"n_latent": 0}, "a point for each component"),
        ({"weights": np.ones(9)}, "weights must be as many as rows"),
        ({"arities": [2, 2, 2]}, "a code is no state"),
        ({"arities": [2, 3]}, "parent is no variable|column for every variable"),
        ({"learns_weights": True, "n_moving": 2}, "weights are learned of the points of a step"),
    ]:
        codes[0, 1] = 2
        with pytest.raises(ValueError, match=problem):
            learn(codes, [task(n_rows=10, **{"points": points} | changes)])


def test_a_stop_request_before_the_first_step_gives_the_start():
    codes = table(np.random.default_rng(0), 50)
    control = _core.RunControl()
    control.request_stop()
    (found,) = _core.learn_latent_mixtures(
        [task([[0.5, 0.5]], 50)], codes, limits=LIMITS, control=control
    )
    assert found.n_steps == 0
    assert np.isfinite(found.held_out)
