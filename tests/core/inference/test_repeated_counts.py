import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baytree as bt
from baytree import _core, _core_testing
from inference_oracle import random_cpt, random_network, small_networks

seeds = st.integers(0, 2**32 - 1)
MAX_KEPT = [0, 3_000, 10**9]  # bytes: nothing, some rows, all


def random_codes(network, rng, n_rows):
    """Rows with few missing cells and with many; many are the same."""
    arities = network._encoding.arities
    distinct = rng.integers(0, arities, (n_rows // 3, len(arities)), dtype=np.int32)
    distinct[rng.random(distinct.shape) < rng.random((len(distinct), 1))] = -1
    return np.asfortranarray(distinct[rng.integers(len(distinct), size=n_rows)])


def with_other_cpts(network, rng):
    """The same structure with other probabilities, none of them zero."""
    shapes = {name: network.cpt(name).shape for name in network.variables}
    cpts = {name: random_cpt(rng, shape) for name, shape in shapes.items()}
    states = {name: network.states(name) for name in network.variables}
    return bt.BayesianNetwork(states, network.arcs, cpts=cpts)


def settings(n_threads=1, max_bytes=1e9, control=None):
    return {
        "limits": _core.RowLimits(n_threads=n_threads, max_bytes=max_bytes),
        "control": control or _core.RunControl(),
    }


def repeated(networks, codes, max_kept, weights=None, **options):
    """The counts with the log-likelihood under each network, and how many components are kept."""
    rows = [network._row_network for network in networks]
    return _core_testing.repeated_counts(
        rows, codes, weights=weights, max_kept=max_kept, **settings(**options)
    )


def assert_those_counted_afresh(networks, codes, max_kept, weights=None):
    found, _ = repeated(networks, codes, max_kept, weights)
    for network, (counts, log_likelihood) in zip(networks, found, strict=True):
        row_network = network._row_network
        expected = _core_testing.expected_counts(row_network, codes, weights=weights, **settings())
        assert counts == pytest.approx(expected[0], rel=1e-12, abs=1e-12)
        assert log_likelihood == pytest.approx(expected[1], rel=1e-12)


@pytest.mark.parametrize("max_kept", MAX_KEPT)
@given(network=small_networks(), seed=seeds)
def test_counts_are_those_counted_afresh(max_kept, network, seed):
    rng = np.random.default_rng(seed)
    networks = [with_other_cpts(network, rng), network, with_other_cpts(network, rng)]
    codes = random_codes(network, rng, 60)
    weights = rng.choice([0.0, 1.0, 2.5], len(codes))
    assert_those_counted_afresh(networks, codes, max_kept, weights)


@pytest.mark.parametrize("max_kept", [0, 10_000, 100_000, 1_000_000, 10**9])
def test_the_rows_that_are_kept_may_end_anywhere(max_kept):
    rng = np.random.default_rng(0)
    network = random_network(rng, 30)
    networks = [with_other_cpts(network, rng) for _ in range(2)]
    assert_those_counted_afresh(networks, random_codes(network, rng, 5000), max_kept)


def test_what_is_kept_grows_with_the_memory_for_it():
    rng = np.random.default_rng(0)
    network = with_other_cpts(random_network(rng, 30), rng)
    codes = random_codes(network, rng, 5000)
    n_kept = [repeated([network], codes, size)[1] for size in (0, 1_000_000, 10**9)]
    assert n_kept[0] == 0 < n_kept[1] < n_kept[2]


def test_rows_that_are_alike_are_kept_once():
    rng = np.random.default_rng(0)
    network = with_other_cpts(random_network(rng, 10), rng)
    codes = random_codes(network, rng, 100)
    thrice = np.asfortranarray(np.tile(codes, (3, 1)))
    assert repeated([network], thrice, 10**9)[1] == repeated([network], codes, 10**9)[1] > 0


@pytest.mark.parametrize(
    ("n_rows", "max_kept"), [(5000, 0), (5000, 10**6), (5000, 10**9), (40_000, 10**9)]
)
def test_threads_change_no_bit(n_rows, max_kept):
    """The most rows have more plans than a worker keeps for others to come."""
    rng = np.random.default_rng(1)
    network = bt.BayesianNetwork(
        {i: [0, 1] for i in range(20)},
        [(i - j, i) for i in range(20) for j in range(1, 6) if j <= i],
        cpts={i: random_cpt(rng, [*[2] * min(i, 5), 2]) for i in range(20)},
    )
    codes = rng.integers(0, 2, (n_rows, 20), dtype=np.int32)
    codes[rng.random(codes.shape) < 0.35] = -1
    codes = np.asfortranarray(codes)
    found = [repeated([network] * 2, codes, max_kept, n_threads=n) for n in (1, 3)]
    assert found[0][1] == found[1][1]
    for one, three in zip(found[0][0], found[1][0], strict=True):
        assert (one[0] == three[0]).all()
        assert one[1] == three[1]


def test_components_beyond_the_memory_are_refused():
    rng = np.random.default_rng(0)
    network = with_other_cpts(random_network(rng, 30), rng)
    with pytest.raises(_core.RowsTooLarge):
        repeated([network], random_codes(network, rng, 50), 10**9, max_bytes=100)


def test_a_deadline_ends_it():
    rng = np.random.default_rng(0)
    network = with_other_cpts(random_network(rng, 30), rng)
    control = _core.RunControl(time_limit=0.0)
    found, _ = repeated([network] * 2, random_codes(network, rng, 5000), 10**9, control=control)
    assert [counts.sum() for counts, _ in found] == [0, 0]
