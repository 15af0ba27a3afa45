import numpy as np
import pytest

import row_oracle
from baytree import _core
from inference_oracle import joint_table, random_network


def limits(n_threads=1):
    return _core.RowLimits(n_threads=n_threads, max_bytes=1e9)


def sample(network, evidence, n_rows, seed=1, n_threads=1):
    return _core.sample_rows(
        network._row_network,
        np.array(evidence, dtype=np.int32),
        n_rows=n_rows,
        seed=seed,
        limits=limits(n_threads),
        control=_core.RunControl(),
    )


def check_shares(codes, expected):
    """Compare the shares of joint states with their probabilities, within four deviations."""
    n_rows = len(codes)
    found = np.zeros_like(expected)
    np.add.at(found, tuple(codes.T), 1 / n_rows)
    assert (found[expected == 0] == 0).all()
    deviation = np.sqrt(expected * (1 - expected) / n_rows)
    assert (np.abs(found - expected) <= 4.5 * deviation + 1e-12).all()


@pytest.mark.parametrize("seed", range(8))
def test_samples_have_the_joint_distribution_given_evidence(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 5, share_of_zeros=0.2 * (seed % 2))
    joint = joint_table(network)
    drawn = sample(network, [-1] * 5, 20_000)
    check_shares(drawn, joint)
    evidence = np.where(rng.random(5) < 0.5, drawn[0], -1)
    given = np.zeros_like(joint)
    where = tuple(slice(None) if code < 0 else code for code in evidence)
    given[where] = row_oracle.row_table(joint, evidence)
    check_shares(sample(network, evidence, 20_000), given / given.sum())


def draws(network, codes, seeds, n_threads=1):
    return _core.draw_completions(
        network._row_network,
        codes,
        seeds=seeds,
        limits=limits(n_threads),
        control=_core.RunControl(),
    )


@pytest.mark.parametrize("seed", range(4))
def test_completions_are_drawn_jointly(seed):
    network = random_network(np.random.default_rng(seed), 5)
    row = sample(network, [-1] * 5, 1)[0]
    row[[seed % 5, (seed + 2) % 5, 4]] = -1
    codes = np.asfortranarray(np.tile(row, (20_000, 1)))
    (drawn,) = draws(network, codes, [3], n_threads=2)
    given = row_oracle.row_table(joint_table(network), row)
    check_shares(drawn[:, row < 0], given / given.sum())
    assert (drawn[:, row >= 0] == row[row >= 0]).all()


@pytest.mark.parametrize("share_of_zeros", [0.0, 0.5])
def test_completions_at_once_are_those_of_their_seeds(share_of_zeros):
    rng = np.random.default_rng(0)
    network = random_network(rng, 8, share_of_zeros=share_of_zeros)
    arities = network._encoding.arities
    codes = rng.integers(-1, arities, size=(3000, 8))  # with zeros, some rows are impossible
    codes = np.asfortranarray(codes, dtype=np.int32)
    at_once = draws(network, codes, [3, 9, 3], n_threads=3)
    for seed, drawn in zip([3, 9, 3], at_once, strict=True):
        assert (drawn == draws(network, codes, [seed])[0]).all()
    assert (at_once[0] != at_once[1]).any()


def test_rows_depend_on_the_seed_and_their_number_alone():
    network = random_network(np.random.default_rng(0), 8)
    first = sample(network, [-1] * 8, 5000, seed=5)
    assert (sample(network, [-1] * 8, 5000, seed=5, n_threads=3) == first).all()
    assert (sample(network, [-1] * 8, 100, seed=5) == first[:100]).all()
    assert (sample(network, [-1] * 8, 5000, seed=6) != first).any()


def test_impossible_evidence_is_refused():
    rng = np.random.default_rng(0)
    network = random_network(rng, 6, share_of_zeros=0.5)
    joint = joint_table(network)
    impossible = np.argwhere(joint == 0)[0]
    with pytest.raises(ValueError, match="the evidence is impossible"):
        sample(network, impossible, 10)
