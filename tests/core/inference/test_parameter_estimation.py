import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baytree as bt
from baytree import _core
from encoded_tables import codes_of
from inference_oracle import small_networks


def estimate(network, codes, weights=None, *, prior=1.0, n_threads=1, **options):
    return _core.estimate_network(
        np.asfortranarray(codes, dtype=np.int32),
        arities=network._encoding.arities.tolist(),
        parents=network._parent_positions,
        elimination_order=network._elimination_order,
        weights=weights,
        equivalent_sample_size=prior,
        limits=_core.RowLimits(n_threads=n_threads, max_bytes=1e9),
        control=_core.RunControl(),
        **{"max_iterations": 30, "tolerance": 0.0, "initial": None} | options,
    )


def incomplete_rows(network, seed, n_rows=60, rate=0.3):
    rng = np.random.default_rng(seed)
    codes = codes_of(network._encoding, network.sample(n_rows, random_state=seed))
    codes[rng.random(codes.shape) < rate] = -1
    return codes


@given(small_networks(), st.integers(0, 10_000), st.sampled_from([0.0, 1.0, 7.5]))
def test_tables_of_complete_rows_are_smoothed_counts(network, seed, prior):
    codes = incomplete_rows(network, seed, rate=0)
    weights = np.random.default_rng(seed).choice([1.0, 2.0, 0.5], len(codes))
    tables = estimate(network, codes, weights, prior=prior).tables
    arities = network._encoding.arities
    for child, parents in enumerate(network._parent_positions):
        counts = np.zeros([*arities[list(parents)], arities[child]])
        np.add.at(counts, tuple(codes[:, v] for v in (*parents, child)), weights)
        smoothed = counts.reshape(-1, arities[child]) + prior / counts.size
        overall = counts.reshape(-1, arities[child]).sum(axis=0)
        smoothed[smoothed.sum(axis=1) == 0] = overall
        expected = smoothed / smoothed.sum(axis=1, keepdims=True)
        assert tables[child].reshape(expected.shape) == pytest.approx(expected)


@given(small_networks(), st.integers(0, 10_000), st.sampled_from([0.0, 1.0, 5.0]))
def test_em_never_lowers_its_objective(network, seed, prior):
    codes = incomplete_rows(network, seed, rate=0.5)
    objectives = estimate(network, codes, prior=prior).objectives
    for before, after in itertools.pairwise(objectives):
        assert after >= before - 1e-9 * abs(before)


@given(small_networks(), st.integers(0, 10_000), st.sampled_from([0, 1, 3, 100]))
def test_the_likelihood_of_the_last_tables_is_that_of_their_network(network, seed, n_iterations):
    codes = incomplete_rows(network, seed, rate=0.5)
    weights = np.random.default_rng(seed).choice([1.0, 2.0, 0.5], len(codes))
    options = {"max_iterations": n_iterations, "tolerance": 1e-3}
    found = estimate(network, codes, weights, evaluates_last=True, **options)
    rows = _core.RowNetwork(found.network, elimination_order=network._elimination_order)
    likelihoods = _core.log_likelihoods(
        rows,
        np.asfortranarray(codes, dtype=np.int32),
        limits=_core.RowLimits(n_threads=1, max_bytes=1e9),
        control=_core.RunControl(),
    )
    if (codes < 0).any():
        assert found.log_likelihood == pytest.approx(weights @ likelihoods)
    else:
        assert found.log_likelihood is None
    unasked = estimate(network, codes, weights, **options)
    assert (unasked.log_likelihood is None) == (not unasked.objectives or not found.has_converged)
    for one, other in zip(unasked.tables, found.tables, strict=True):
        assert (one == other).all()


def test_em_finds_the_maximum_of_a_mixture():
    """Two hidden causes of two observed effects: compare with plain EM in NumPy."""
    import baytree as bt

    network = bt.BayesianNetwork(
        {"cause": [0, 1], "left": [0, 1], "right": [0, 1, 2]},
        [("cause", "left"), ("cause", "right")],
        cpts={
            "cause": [0.4, 0.6],
            "left": [[0.9, 0.1], [0.2, 0.8]],
            "right": [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]],
        },
    )
    codes = codes_of(network._encoding, network.sample(400, random_state=0))
    codes[50:, 0] = -1  # the first rows tell the causes apart
    found = estimate(network, codes, prior=0.0, max_iterations=500, tolerance=1e-12)
    cause, left, right = start_of_mixture(codes)
    for _ in range(500):
        share = cause * left[:, codes[:, 1]].T * right[:, codes[:, 2]].T
        share /= share.sum(axis=1, keepdims=True)
        share[:50] = np.eye(2)[codes[:50, 0]]
        cause = share.mean(axis=0)
        left = (share.T @ np.eye(2)[codes[:, 1]]) / share.sum(axis=0)[:, None]
        right = (share.T @ np.eye(3)[codes[:, 2]]) / share.sum(axis=0)[:, None]
    assert found.has_converged
    for table, expected in zip(found.tables, (cause, left, right), strict=True):
        assert table == pytest.approx(expected.ravel(), abs=1e-4)


def start_of_mixture(codes):
    known = codes[:50]
    tables = [np.bincount(known[:, 0], minlength=2) / 50]
    for child, arity in ((1, 2), (2, 3)):
        counts = np.ones((2, arity)) / (2 * arity)
        np.add.at(counts, (known[:, 0], known[:, child]), 1)
        tables.append(counts / counts.sum(axis=1, keepdims=True))
    return tables


def test_threads_and_doubled_rows_change_nothing():
    import baytree as bt

    rng = np.random.default_rng(0)
    network = bt.BayesianNetwork(
        {i: [0, 1] for i in range(12)},
        [(i, i + 1) for i in range(11)],
        cpts={0: [0.5, 0.5]} | {i: rng.dirichlet([1, 1], 2) for i in range(1, 12)},
    )
    codes = incomplete_rows(network, 3, n_rows=5000)
    first = estimate(network, codes, max_iterations=5)
    second = estimate(network, codes, max_iterations=5, n_threads=4)
    assert all((a == b).all() for a, b in zip(first.tables, second.tables, strict=True))
    assert first.objectives == second.objectives
    doubled = estimate(network, np.vstack([codes, codes]), max_iterations=5, prior=2.0)
    weighted = estimate(network, codes, np.full(len(codes), 2.0), max_iterations=5, prior=2.0)
    for a, b in zip(doubled.tables, weighted.tables, strict=True):
        assert a == pytest.approx(b)


@given(small_networks(), st.integers(0, 10_000))
def test_em_goes_on_from_where_it_stopped(network, seed):
    codes = incomplete_rows(network, seed)
    if (codes >= 0).all():
        return
    whole = estimate(network, codes, max_iterations=7, tolerance=0.0)
    half = estimate(network, codes, max_iterations=3, tolerance=0.0)
    if len(half.objectives) < 3 or len(whole.objectives) < 7:
        return  # nothing left to gain
    rest = estimate(network, codes, max_iterations=4, tolerance=0.0, initial=half.network)
    assert half.objectives + rest.objectives == pytest.approx(whole.objectives)
    for table, other in zip(rest.tables, whole.tables, strict=True):
        np.testing.assert_allclose(table, other)


@pytest.fixture
def sprinkler_network():
    names = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    cpts = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}
    return bt.BayesianNetwork(names, [("rain", "wet")], cpts=cpts)


def test_no_steps_give_the_initial_tables(sprinkler_network):
    codes = incomplete_rows(sprinkler_network, 0)
    first = estimate(sprinkler_network, codes, max_iterations=2)
    again = estimate(sprinkler_network, codes, max_iterations=0, initial=first.network)
    assert again.objectives == []
    for table, other in zip(again.tables, first.tables, strict=True):
        np.testing.assert_array_equal(table, other)


def test_an_initial_network_of_another_structure_is_refused(sprinkler_network):
    codes = incomplete_rows(sprinkler_network, 0)
    arities = sprinkler_network._encoding.arities.tolist()
    tables = [np.full(arity, 1 / arity) for arity in arities]
    other = _core.TabularNetwork(arities, parents=[[] for _ in arities], tables=tables)
    with pytest.raises(ValueError, match="the initial network has another structure"):
        estimate(sprinkler_network, codes, initial=other)
