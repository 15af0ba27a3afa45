"""Known networks and queries on them."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from bench_data import bench_dir

import baytree as bt

Observed = dict[Hashable, Hashable]


def known_network(name: str) -> bt.BayesianNetwork:
    """Return a network of data/networks, with rows that sum to 1."""
    return bt.BayesianNetwork.read(bench_dir() / "data" / "networks" / f"{name}.bif.gz")


def likely_evidence(
    network: bt.BayesianNetwork, n_queries: int, n_observed: int, seed: int
) -> list[Observed]:
    """Return states of random variables, each query from another sampled row."""
    rng = np.random.default_rng(seed)
    rows = network.sample(n_queries, random_state=seed)
    return [
        {variable: row[variable] for variable in _sample_variables(network, n_observed, rng)}
        for row in rows.to_dict("records")
    ]


def random_evidence(
    network: bt.BayesianNetwork, n_queries: int, n_observed: int, seed: int
) -> list[Observed]:
    """Return random states of random variables, however improbable."""
    rng = np.random.default_rng(seed)
    queries = []
    for _ in range(n_queries):
        observed = {}
        for variable in _sample_variables(network, n_observed, rng):
            states = network.states(variable)
            observed[variable] = states[rng.integers(len(states))]
        queries.append(observed)
    return queries


def unobserved(network: bt.BayesianNetwork, observed: Observed, seed: int) -> Hashable:
    """Return a random unobserved variable."""
    free = [variable for variable in network.variables if variable not in observed]
    return free[np.random.default_rng(seed).integers(len(free))]


def _sample_variables(
    network: bt.BayesianNetwork, n_variables: int, rng: np.random.Generator
) -> list[Hashable]:
    positions = rng.choice(len(network.variables), n_variables, replace=False)
    return [network.variables[position] for position in positions]
