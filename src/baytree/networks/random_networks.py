"""Random networks for benchmarks and tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.messages.arguments import integer_at_least
from baytree.messages.quoting import shortened
from baytree.networks.network import BayesianNetwork
from baytree.runtime.seeds import Seed, drawn_seed

# Steps of the chain per pair of variables, as in the authors' program, and their minimum in all.
_STEPS_PER_PAIR = 6
_MIN_STEPS = 10_000
_STEPS_AT_ONCE = 10_000_000  # Ctrl-C is checked between these


def random_network(
    n_variables: int,
    *,
    max_degree: int = 6,
    max_states: int = 3,
    random_state: Seed = None,
) -> BayesianNetwork:
    """Draw a connected network with random arcs, states and probabilities.

    Parameters
    ----------
    n_variables : int
        Number of variables, which are called ``"X0"``, ``"X1"`` and so on.
    max_degree : int, default=6
        Maximum number of parents and children of a variable together.
    max_states : int, default=3
        Maximum number of states of a variable; all numbers from 2 to it are equally likely.
    random_state : int, RandomState instance or None, default=None
        Seed; the same one gives the same network.

    Returns
    -------
    BayesianNetwork
        States are the integers from 0. The treewidth is about half the number of variables if
        these are many, so that exact inference is infeasible.

    Raises
    ------
    ValueError
        If a limit is too small: three or more variables need a degree of 2 to be connected.

    See Also
    --------
    BayesianNetwork.sample : Draws rows.

    Notes
    -----
    The arcs come from a Markov chain whose stationary distribution is uniform over the connected
    DAGs of bounded degree [ide-cozman]. It takes 6 n² steps from a path in random order. Rows of
    probability tables are uniform among all distributions. With the defaults, nearly all variables
    reach the maximum degree.

    Examples
    --------
    >>> import baytree as bt
    >>> network = bt.random_network(50, random_state=0)
    >>> len(network.variables), len(network.arcs) <= 150
    (50, True)
    >>> network.equals(bt.random_network(50, random_state=0), tolerance=0)
    True
    """
    n_variables = integer_at_least("n_variables", n_variables, 1)
    max_degree = integer_at_least("max_degree", max_degree, 0)
    if max_degree < min(2, n_variables - 1):
        raise ValueError(
            f"max_degree must be at least {min(2, n_variables - 1)}, so that {n_variables:,} "
            f"variables can be connected; got {max_degree}."
        )
    max_states = integer_at_least("max_states", max_states, 2)
    if max_states > np.iinfo(np.int32).max:
        raise ValueError(f"max_states is too large; got {shortened(max_states)}.")
    seed = drawn_seed(random_state)
    parents = _random_parents(n_variables, min(max_degree, n_variables - 1), seed)
    random = np.random.default_rng(seed)
    arities = random.integers(2, max_states, n_variables, endpoint=True).tolist()
    names = [f"X{number}" for number in range(n_variables)]
    return BayesianNetwork(
        {name: range(arity) for name, arity in zip(names, arities, strict=True)},
        [(names[parent], names[child]) for child, p in enumerate(parents) for parent in p],
        cpts=dict(zip(names, _random_cpts(arities, parents, random), strict=True)),
    )


def _random_parents(n_variables: int, max_degree: int, seed: int) -> list[list[int]]:
    chain = _core.RandomDag(n_variables, max_degree=max_degree, seed=seed)
    n_steps = max(_STEPS_PER_PAIR * n_variables**2, _MIN_STEPS)
    for start in range(0, n_steps, _STEPS_AT_ONCE):
        chain.run(min(_STEPS_AT_ONCE, n_steps - start))
    return chain.parents


def _random_cpts(
    arities: Sequence[int], parents: Sequence[Sequence[int]], random: np.random.Generator
) -> list[npt.NDArray[np.float64]]:
    """Draw distributions: exponential variables divided by their sum are uniform."""
    cpts = []
    for arity, members in zip(arities, parents, strict=True):
        n_rows = int(np.prod([arities[parent] for parent in members], dtype=object))
        draws = random.standard_exponential((n_rows, arity))
        cpts.append(draws / draws.sum(axis=1, keepdims=True))
    return cpts
