"""Answers of small mixtures by brute force: weighted sums of the joint tables of components."""

import numpy as np
from hypothesis import strategies as st

import baytree as bt
from inference_oracle import joint_table, random_cpt
from random_networks import random_parents


def mixture_table(components, weights, evidence=None):
    """P(joint state, evidence), with an axis for every variable."""
    tables = [joint_table(network, evidence) for network in components]
    return np.tensordot(np.asarray(weights, dtype=float), tables, axes=1)


def random_components(random, rng, n_components, n_structures, share_of_zeros=0.0):
    """Networks of the same variables, of which some have the same arcs."""
    n_variables = random.randint(1, 5)
    arities = [random.randint(1, 3) for _ in range(n_variables)]
    structures = [random_parents(random, n_variables, 2) for _ in range(n_structures)]
    states = {f"v{i}": [f"s{code}" for code in range(arity)] for i, arity in enumerate(arities)}
    components = []
    for _ in range(n_components):
        parents = random.choice(structures)
        arcs = [
            (f"v{parent}", f"v{child}") for child in range(n_variables) for parent in parents[child]
        ]
        cpts = {
            f"v{child}": random_cpt(
                rng, [*(arities[p] for p in parents[child]), arities[child]], share_of_zeros
            )
            for child in range(n_variables)
        }
        components.append(bt.BayesianNetwork(states, arcs, cpts=cpts))
    return components


@st.composite
def small_mixtures(draw):
    """Mixtures of 1 to 4 components with zeros in their tables: `(mixture, joint table)`."""
    random = draw(st.randoms(use_true_random=False))
    rng = np.random.default_rng(random.getrandbits(32))
    n_components = random.randint(1, 4)
    components = random_components(random, rng, n_components, random.randint(1, 3), 0.25)
    weights = rng.random(n_components) + 0.05
    return bt.NetworkMixture(components, weights), mixture_table(
        components, weights / weights.sum()
    )
