"""The most probable states of networks too large for brute force, beside other programs."""

import importlib
import math
from functools import reduce
from operator import mul

import numpy as np
import pandas as pd
import pyagrum as gum
import pytest

import baytree as bt

SEEDS = range(4)


def likely_evidence(network, n_observed, seed):
    """Return states of some variables of a row that was drawn."""
    row = network.sample(1, random_state=seed).iloc[0]
    chosen = np.random.default_rng(seed).choice(len(row), n_observed, replace=False)
    return {network.variables[place]: row.iloc[place] for place in chosen}


def log_of_best(network, evidence):
    """Return the largest log joint probability, by max-product elimination with pgmpy's factors."""
    log_best, factors = 0.0, []
    for table in network.to_pgmpy().get_cpds():
        factor = table.to_factor()
        observed = [(name, evidence[name]) for name in factor.variables if name in evidence]
        if len(observed) == len(factor.variables):
            log_best += math.log(factor.get_value(**dict(observed)))
        else:
            factors.append(factor.reduce(observed, inplace=False) if observed else factor)
    while factors:
        name = min((n for f in factors for n in f.variables), key=lambda n: n_joined(factors, n))
        joined = reduce(mul, [factor for factor in factors if name in factor.variables])
        factors = [factor for factor in factors if name not in factor.variables]
        if len(joined.variables) == 1:
            log_best += math.log(joined.values.max())
        else:
            factors.append(joined.maximize([name], inplace=False))
    return log_best


def n_joined(factors, name):
    return len({n for factor in factors if name in factor.variables for n in factor.variables})


@pytest.mark.parametrize("n_observed", [0, 5])
@pytest.mark.parametrize(("n_variables", "seed"), [(20, 0), (27, 1), (37, 2)])
def test_no_states_are_more_probable_by_maxima_of_products(n_variables, seed, n_observed):
    network = bt.random_network(n_variables, max_degree=4, random_state=seed)
    evidence = likely_evidence(network, n_observed, seed)
    best = network.most_probable(evidence)
    assert best.log_probability == pytest.approx(log_of_best(network, evidence), abs=1e-9)
    assert network.log_probability(best.assignment) == pytest.approx(best.log_probability)
    assert best.assignment.items() >= evidence.items()


@pytest.mark.filterwarnings("ignore::FutureWarning")  # pgmpy warns of itself when it is imported
@pytest.mark.parametrize("seed", SEEDS)
def test_pgmpy_finds_states_that_are_as_probable(seed):
    network = bt.random_network(13, max_degree=4, random_state=seed)
    evidence = likely_evidence(network, 3, seed)
    hidden = [name for name in network.variables if name not in evidence]
    engine = importlib.import_module("pgmpy.inference").VariableElimination(network.to_pgmpy())
    theirs = engine.map_query(hidden, evidence=evidence, show_progress=False)
    expected = network.log_probability(theirs | evidence)
    assert network.most_probable(evidence).log_probability == pytest.approx(expected, abs=1e-9)


# Of more variables than this, or of some evidence, pyAgrum 3.3.1 says "Empty tensor".
@pytest.mark.parametrize("seed", SEEDS)
def test_pyagrum_finds_states_that_are_as_probable(seed):
    network = bt.random_network(10, max_degree=4, random_state=seed)
    _, log2_probability = gum.LazyPropagation(network.to_pyagrum()).mpeLog2Posterior()
    expected = log2_probability * math.log(2)
    assert network.most_probable().log_probability == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_neither_drawn_rows_nor_changes_of_one_state_are_more_probable(seed):
    network = bt.random_network(60, max_degree=3, random_state=seed)
    evidence = likely_evidence(network, 6, seed)
    best = network.most_probable(evidence)
    changed = [
        best.assignment | {name: state}
        for name in network.variables
        if name not in evidence
        for state in network.states(name)
    ]
    for rows in (network.sample(500, evidence, random_state=seed), pd.DataFrame(changed)):
        assert network.log_likelihood(rows).max() <= best.log_probability + 1e-9
