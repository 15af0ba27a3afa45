import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baytree as bt
from baytree import _core
from inference_oracle import random_cpt, random_network, small_networks

seeds = st.integers(0, 2**32 - 1)
KEPT = [0, 3_000, 1e9]  # bytes: nothing, some rows, all


def random_codes(network, rng, n_rows):
    """Rows with few gaps and with many; many are the same."""
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


def settings(n_threads=1):
    return {
        "limits": _core.RowLimits(n_threads=n_threads, max_bytes=1e9),
        "control": _core.RunControl(),
    }


def assert_those_counted_afresh(networks, codes, weights, kept):
    rows = [network._row_network for network in networks]
    found = _core.repeated_counts(rows, codes, weights=weights, most_bytes_kept=kept, **settings())
    for network, (counts, log_likelihood) in zip(rows, found, strict=True):
        expected = _core.expected_counts(network, codes, weights=weights, **settings())
        assert counts == pytest.approx(expected[0], rel=1e-12, abs=1e-12)
        assert log_likelihood == pytest.approx(expected[1], rel=1e-12)


@pytest.mark.parametrize("kept", KEPT)
@given(network=small_networks(), seed=seeds)
def test_counts_are_those_counted_afresh(kept, network, seed):
    rng = np.random.default_rng(seed)
    networks = [with_other_cpts(network, rng), network, with_other_cpts(network, rng)]
    codes = random_codes(network, rng, 60)
    weights = rng.choice([0.0, 1.0, 2.5], len(codes))
    assert_those_counted_afresh(networks, codes, weights, kept)


@pytest.mark.parametrize("kept", [0, 10_000, 100_000, 1_000_000, 1e9])
def test_the_rows_that_are_kept_may_end_anywhere(kept):
    rng = np.random.default_rng(0)
    network = random_network(rng, 30)
    networks = [with_other_cpts(network, rng) for _ in range(2)]
    assert_those_counted_afresh(networks, random_codes(network, rng, 5000), None, kept)


@pytest.mark.parametrize("kept", KEPT)
def test_threads_change_no_bit(kept):
    rng = np.random.default_rng(1)
    network = with_other_cpts(random_network(rng, 30), rng)
    codes = random_codes(network, rng, 5000)
    found = [
        _core.repeated_counts(
            [network._row_network] * 2, codes, weights=None, most_bytes_kept=kept, **settings(n)
        )
        for n in (1, 3)
    ]
    for one, three in zip(*found, strict=True):
        assert (one[0] == three[0]).all()
        assert one[1] == three[1]
