import numpy as np
import pytest

import baytree as bt
from digit_networks import EVIDENCE, TARGET, query
from hidden_digits import PIXELS, SHADES
from inference_oracle import brute_force_probability


def small_network():
    """Return a network in which only the target and the evidence depend on each other."""
    random = np.random.default_rng(0)
    arcs = [(pixel, TARGET) for pixel in list(EVIDENCE)[:2]]
    arcs += [(TARGET, pixel) for pixel in list(EVIDENCE)[2:]]
    states = {name: list(SHADES) if name in (TARGET, *EVIDENCE) else ["blank"] for name in PIXELS}
    cpts = {}
    for name in PIXELS:
        shape = [4] * sum(child == name for _, child in arcs)
        cpts[name] = random.dirichlet(np.ones(len(states[name])), size=shape)
    return bt.BayesianNetwork(states, arcs, cpts=cpts)


def test_the_answer_is_the_joint_probability_over_that_of_the_evidence():
    network = small_network()
    answer = query(network)
    evidence = brute_force_probability(network, EVIDENCE)
    assert answer.evidence_probability == pytest.approx(evidence)
    for shade in SHADES:
        joint = brute_force_probability(network, {**EVIDENCE, TARGET: shade})
        assert answer.after[shade] == pytest.approx(joint / evidence)
        assert answer.before[shade] == pytest.approx(
            brute_force_probability(network, {TARGET: shade})
        )


def test_images_are_mean_ink():
    answer = query(small_network())
    at = PIXELS.index(TARGET)
    assert answer.image_after[at] == pytest.approx(answer.after.to_numpy() @ [0, 1 / 3, 2 / 3, 1])
    assert all(answer.image_after[PIXELS.index(pixel)] == 0 for pixel in EVIDENCE)
