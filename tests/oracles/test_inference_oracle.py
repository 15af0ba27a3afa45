import numpy as np
import pytest

import baytree as bt
from inference_oracle import (
    brute_force_marginals,
    brute_force_most_probable,
    brute_force_posterior,
    brute_force_probability,
    random_network,
)


@pytest.fixture
def network():
    return bt.BayesianNetwork(
        {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        [("rain", "wet")],
        cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    )


def test_brute_force_agrees_with_sums_by_hand(network):
    assert brute_force_probability(network, {"wet": "yes"}) == pytest.approx(0.08 + 0.16)
    assert brute_force_probability(network, {"wet": {"yes": 0.5}}) == pytest.approx(0.12)
    posterior = brute_force_posterior(network, ["rain"], {"wet": "yes"})
    assert posterior == pytest.approx([0.08 / 0.24, 0.16 / 0.24])
    joint = brute_force_posterior(network, ["wet", "rain"])
    assert joint == pytest.approx(np.array([[0.72, 0.04], [0.08, 0.16]]))
    assert brute_force_marginals(network)["wet"] == pytest.approx([0.76, 0.24])
    best, probability = brute_force_most_probable(network, {"wet": "yes"})
    assert (best, probability) == ([{"rain": "yes", "wet": "yes"}], pytest.approx(0.16))


def test_the_axes_of_a_joint_follow_the_targets():
    network = random_network(np.random.default_rng(1), 5, max_states=4)
    joint = brute_force_posterior(network, ["v3", "v0", "v4"])
    assert joint.sum(axis=(1, 2)) == pytest.approx(brute_force_posterior(network, ["v3"]))
    assert joint.sum(axis=(0, 2)) == pytest.approx(brute_force_posterior(network, ["v0"]))
    assert joint.sum() == pytest.approx(1)
