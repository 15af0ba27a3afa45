"""Most probable joint states from pyAgrum's tensors: products and maxima per variable.

`LazyPropagation.mpe` of pyAgrum 3.3.1 fails with "Empty tensor" on all but small networks.
"""

from __future__ import annotations

import math
from functools import reduce
from operator import mul

import pyagrum as gum


def log_of_largest(net: gum.BayesNet, codes: dict[str, int]) -> float:
    """Return the log of the largest joint probability of all variables, given evidence."""
    tensors, log_largest = _reduce_tensors(net, codes)
    while tensors:
        name = _cheapest(tensors)
        joined = reduce(mul, [tensor for tensor in tensors if name in tensor.names])
        largest = joined.max()
        log_largest += math.log(largest)
        tensors = [tensor for tensor in tensors if name not in tensor.names]
        if len(joined.names) > 1:
            tensors.append(joined.maxOut([name]).scale(1 / largest))
    return log_largest


def _reduce_tensors(net: gum.BayesNet, codes: dict[str, int]) -> tuple[list[gum.Tensor], float]:
    """Return the tensors with unobserved variables, and the log of the others."""
    tensors, log_known = [], 0.0
    for name in net.names():
        tensor = net.cpt(name)
        observed = {member: codes[member] for member in tensor.names if member in codes}
        if len(observed) == len(tensor.names):
            log_known += math.log(tensor[observed])
        else:
            tensors.append(tensor.extract(observed) if observed else tensor)
    return tensors, log_known


def _cheapest(tensors: list[gum.Tensor]) -> str:
    """Return the variable whose tensors have the smallest product."""
    joined: dict[str, dict[str, int]] = {}
    for tensor in tensors:
        sizes = {variable.name(): variable.domainSize() for variable in tensor.variablesSequence()}
        for name in sizes:
            joined.setdefault(name, {}).update(sizes)
    return min(joined, key=lambda name: math.prod(joined[name].values()))
