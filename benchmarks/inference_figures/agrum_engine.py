"""pyAgrum's LazyPropagation on a network of baytree, with the same probabilities."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
import pyagrum as gum

import baytree as bt

from .agrum_maxima import log_of_largest
from .known_queries import Observed


class AgrumEngine:
    """One engine for all queries, so that it can reuse its own results."""

    def __init__(self, network: bt.BayesianNetwork) -> None:
        self._network = network
        self._name = {variable: f"v{i}" for i, variable in enumerate(network.variables)}
        self._net = self._copy()
        self._engine = gum.LazyPropagation(self._net)

    def posterior(self, target: Hashable, evidence: Observed) -> np.ndarray:
        self._engine.setEvidence(self._codes(evidence))
        self._engine.setTargets({self._name[target]})
        self._engine.makeInference()
        return self._engine.posterior(self._name[target]).toarray()

    def marginals(self, evidence: Observed) -> list[np.ndarray]:
        self._engine.setEvidence(self._codes(evidence))
        self._engine.addAllTargets()
        self._engine.makeInference()
        return [self._engine.posterior(name).toarray() for name in self._name.values()]

    def log_probability(self, evidence: Observed) -> float:
        self._engine.setEvidence(self._codes(evidence))
        return math.log(self._engine.evidenceProbability())

    def log_joint(self, states: Observed) -> float:
        """Return the logarithm of the probability of states of all variables."""
        row = gum.Instantiation()
        for name in self._name.values():
            row.add(self._net.variable(name))
        row.fromdict({name: str(code) for name, code in self._codes(states).items()})
        return self._net.log2JointProbability(row) * math.log(2)

    def log_of_most_probable(self, evidence: Observed) -> float:
        """Return the logarithm of the largest probability of states of all variables."""
        return log_of_largest(self._net, self._codes(evidence))

    def _codes(self, evidence: Observed) -> dict[str, int]:
        return {
            self._name[variable]: self._network.states(variable).index(state)
            for variable, state in evidence.items()
        }

    def _copy(self) -> gum.BayesNet:
        network, net = self._network, gum.BayesNet()
        for variable, name in self._name.items():
            net.add(gum.LabelizedVariable(name, name, len(network.states(variable))))
        for parent, child in network.arcs:
            net.addArc(self._name[parent], self._name[child])
        for variable, name in self._name.items():
            axes = [*network.parents(variable), variable]
            cpt = network.cpt(variable).to_numpy()
            cpt = cpt.reshape([len(network.states(axis)) for axis in axes])
            own = [self._name[axis] for axis in axes]
            order = [own.index(axis) for axis in reversed(net.cpt(name).names)]
            net.cpt(name)[:] = np.ascontiguousarray(cpt.transpose(order))
        return net
