"""Answers of small networks by brute force over all joint states, from public tables alone.

Evidence maps variables to a label, or to a likelihood for each label.
"""

import math

import numpy as np
from hypothesis import strategies as st

import baytree as bt


def joint_table(network, evidence=None):
    """P(joint state, evidence), with an axis for every variable; unobserved states stay in."""
    variables = network.variables
    table = np.ones([len(network.states(variable)) for variable in variables])
    for child in variables:
        family = [*network.parents(child), child]
        cpt = network.cpt(child).to_numpy().reshape([len(network.states(v)) for v in family])
        table = table * _spread(cpt, family, variables)
    for variable, observed in (evidence or {}).items():
        states = network.states(variable)
        table = table * _spread(_likelihood(states, observed), [variable], variables)
    return table


def brute_force_probability(network, evidence):
    return float(joint_table(network, evidence).sum())


def brute_force_posterior(network, targets, evidence=None):
    """An array with an axis for each target, in their order."""
    return _marginal(network, targets, joint_table(network, evidence))


def brute_force_marginals(network, evidence=None):
    """One array for each variable, by name."""
    table = joint_table(network, evidence)
    return {variable: _marginal(network, [variable], table) for variable in network.variables}


def brute_force_most_probable(network, evidence=None):
    """All best joint states as dicts of labels, and the probability that each of them has."""
    table = joint_table(network, evidence)
    best = np.argwhere(np.isclose(table, table.max(), rtol=1e-12, atol=0))
    return [_labels(network, codes) for codes in best], float(table.max())


def log_or_minus_infinity(probability):
    return math.log(probability) if probability > 0 else -math.inf


@st.composite
def small_networks(draw, max_variables=6, max_states=3, max_parents=3):
    """Networks with zeros in their tables, variables of one state, and parts apart."""
    n_variables = draw(st.integers(1, max_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_network(rng, n_variables, max_states, max_parents, share_of_zeros=0.25)


def random_network(rng, n_variables, max_states=3, max_parents=3, share_of_zeros=0.0):
    """A network whose arcs run along a random order of the variables."""
    arities = rng.integers(1, max_states + 1, n_variables)
    order = rng.permutation(n_variables)
    parents = [[]] * n_variables
    for i, child in enumerate(order):
        n_parents = rng.integers(0, min(i, max_parents) + 1)
        parents[child] = sorted(rng.choice(order[:i], n_parents, replace=False).tolist())
    cpts = {
        f"v{child}": random_cpt(rng, [*arities[parents[child]], arities[child]], share_of_zeros)
        for child in range(n_variables)
    }
    states = {f"v{i}": [f"s{code}" for code in range(arity)] for i, arity in enumerate(arities)}
    arcs = [(f"v{parent}", f"v{child}") for child in order for parent in parents[child]]
    return bt.BayesianNetwork(states, arcs, cpts=cpts)


def random_cpt(rng, shape, share_of_zeros=0.0):
    cpt = rng.random(shape) + 0.01
    cpt[rng.random(shape) < share_of_zeros] = 0.0
    cpt[..., 0] += cpt.sum(axis=-1) == 0
    return cpt / cpt.sum(axis=-1, keepdims=True)


def random_evidence(rng, network, share=0.4):
    """Labels of some variables and likelihoods of others."""
    evidence = {}
    for variable in network.variables:
        states = network.states(variable)
        kind = rng.random()
        if kind < 0.7 * share:
            evidence[variable] = states[rng.integers(len(states))]
        elif kind < share:
            evidence[variable] = dict(zip(states, rng.random(len(states)).tolist(), strict=True))
    return evidence


def _spread(values, axes_of, variables):
    """Return an array of some variables with an axis for all of them."""
    order = np.argsort([variables.index(variable) for variable in axes_of])
    shape = [1] * len(variables)
    for axis in order:
        shape[variables.index(axes_of[axis])] = values.shape[axis]
    return values.transpose(order).reshape(shape)


def _likelihood(states, observed):
    if isinstance(observed, dict):
        return np.array([observed.get(state, 0.0) for state in states])
    return np.array([float(state == observed) for state in states])


def _marginal(network, targets, table):
    positions = [network.variables.index(target) for target in targets]
    others = tuple(i for i in range(table.ndim) if i not in positions)
    marginal = table.sum(axis=others).transpose(np.argsort(np.argsort(positions)))
    return marginal / marginal.sum()


def _labels(network, codes):
    return {v: network.states(v)[code] for v, code in zip(network.variables, codes, strict=True)}
