"""Small networks with random probabilities, and their joint distribution by multiplication."""

import numpy as np

from baytree import _core
from random_networks import random_parents


class SmallNetwork:
    """A network of a few variables; `joint` has one axis a variable."""

    def __init__(self, arities, parents, cpts):
        self.arities, self.parents, self.cpts = arities, parents, cpts
        self.core = _core.TabularNetwork(arities, parents=parents, tables=[c.ravel() for c in cpts])
        self.joint = np.ones(arities)
        for child, members in enumerate(parents):
            axes = [*members, child]
            shape = [arities[v] if v in axes else 1 for v in range(len(arities))]
            cpt = cpts[child].reshape([arities[v] for v in axes])
            self.joint *= cpt.transpose(np.argsort(axes)).reshape(shape)

    def weighted(self, codes, likelihoods=()):
        """Return the joint with zeros where it does not agree with the observations."""
        weighted = self.joint.copy()
        for variable, code in enumerate(codes):
            if code >= 0:
                one_hot = np.eye(self.arities[variable])[code]
                weighted *= self._along(variable, one_hot)
        for variable, likelihood in likelihoods:
            weighted *= self._along(variable, np.asarray(likelihood))
        return weighted

    def _along(self, variable, values):
        shape = [1] * len(self.arities)
        shape[variable] = -1
        return values.reshape(shape)


def marginal_of(weighted, variable):
    """Return the normalised distribution of one variable."""
    others = tuple(axis for axis in range(weighted.ndim) if axis != variable)
    return weighted.sum(axis=others) / weighted.sum()


def small_network(random, n_variables, *, max_parents=3, max_arity=3, share_of_zeros=0.0):
    """Draw a network; zeros stand for rules without exceptions, as they are in real networks."""
    rng = np.random.default_rng(random.getrandbits(32))
    arities = [random.randint(2, max_arity) for _ in range(n_variables)]
    parents = random_parents(random, n_variables, max_parents)
    cpts = []
    for child, members in enumerate(parents):
        shape = (int(np.prod([arities[p] for p in members])), arities[child])
        cpt = rng.random(shape) * (rng.random(shape) >= share_of_zeros)
        cpt[:, 0] += cpt.sum(axis=1) == 0
        cpts.append(cpt / cpt.sum(axis=1, keepdims=True))
    return SmallNetwork(arities, parents, cpts)
