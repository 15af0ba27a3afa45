"""Graph algorithms on networks: reachability, independence and comparison.

Variables are positions, and `parents` and `children` list those of every variable.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree.messages.arguments import one_of
from baytree.messages.quoting import quoted
from baytree.networks.cpdag import Cpdag
from baytree.tables.columns import label_key

if TYPE_CHECKING:
    from baytree.networks.network import BayesianNetwork

Neighbours: TypeAlias = Sequence[Sequence[int]]


def children_of(parents: Neighbours) -> list[list[int]]:
    """Return the children of every variable."""
    children: list[list[int]] = [[] for _ in parents]
    for child, members in enumerate(parents):
        for parent in members:
            children[parent].append(child)
    return children


def markov_blanket(parents: Neighbours, children: Neighbours, variable: int) -> set[int]:
    """Return the parents, the children, and the other parents of the children."""
    blanket = {*parents[variable], *children[variable]}
    blanket.update(*(parents[child] for child in children[variable]))
    return blanket - {variable}


def reachable(start: Iterable[int], neighbours: Neighbours) -> set[int]:
    """Return all variables that can be reached, the start included."""
    reached = set(start)
    waiting = list(reached)
    while waiting:
        new = set(neighbours[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return reached


def connected(
    parents: Neighbours, children: Neighbours, start: Iterable[int], given: set[int]
) -> set[int]:
    """Return the variables that are d-connected with a start, by the rules of [bayes-ball]."""
    leads_to_given = reachable(given, parents)
    # The ball comes to a variable from a child (True) or from a parent (False).
    waiting = [(variable, True) for variable in start]
    seen = set(waiting)
    while waiting:
        variable, is_from_child = waiting.pop()
        goes_up = variable not in given if is_from_child else variable in leads_to_given
        nexts = [(parent, True) for parent in parents[variable]] if goes_up else []
        if variable not in given:
            nexts += [(child, False) for child in children[variable]]
        waiting += (new := [visit for visit in nexts if visit not in seen])
        seen |= set(new)
    return {variable for variable, _ in seen if variable not in given}


def check_disjoint(groups: Sequence[set[int]], variables: Sequence[Hashable]) -> None:
    """Refuse groups a, b and given that share a variable."""
    a, b, given = groups
    for shared in (a & b, a & given, b & given):
        if shared:
            names = [variables[position] for position in sorted(shared)]
            raise ValueError(
                f"a, b and given must not share a variable; two of them have {quoted(names)}."
            )


def adjacency(variables: Sequence[Hashable], parents: Neighbours) -> pd.DataFrame:
    """Return a matrix that is 1 where the row's variable is a parent of the column's."""
    matrix = np.zeros((len(variables), len(variables)), np.int8)
    for child, members in enumerate(parents):
        matrix[members, child] = 1
    names = pd.Index(list(variables), tupleize_cols=False)
    return pd.DataFrame(matrix, index=names, columns=names)


def hamming_distance(first: BayesianNetwork, second: BayesianNetwork, graph: str) -> int:
    """Return the number of pairs of variables whose connection differs."""
    one_of("graph", graph, ("cpdag", "dag"))
    check_same_variables(first, second)
    one, other = (
        (network.to_cpdag() if graph == "cpdag" else Cpdag(network.variables, network.arcs, ()))
        for network in (first, second)
    )
    missing = object()
    return sum(
        one.connections.get(pair, missing) != other.connections.get(pair, missing)
        for pair in one.connections.keys() | other.connections.keys()
    )


def check_same_variables(network: BayesianNetwork, other: BayesianNetwork) -> None:
    """Refuse two networks that differ in a variable."""
    for one, two, word in ((network, other, "other"), (other, network, "this network")):
        if lacking := [name for name in one.variables if name not in two._positions]:
            raise ValueError(
                f"The networks must have the same variables; {word} lacks {quoted(lacking)}."
            )


def are_equal(first: BayesianNetwork, second: BayesianNetwork, tolerance: float) -> bool:
    """Compare states and arcs, and probabilities within a tolerance."""
    if _state_keys(first) != _state_keys(second) or _parent_sets(first) != _parent_sets(second):
        return False
    if not first.has_probabilities or not second.has_probabilities:
        return first.has_probabilities == second.has_probabilities
    return all(
        np.abs(cpt_array(first, name) - _aligned(second, name, first.parents(name))).max()
        <= tolerance
        for name in first.variables
    )


def _state_keys(network: BayesianNetwork) -> dict[Hashable, list[Hashable]] | None:
    """Return keys of states; 0 and False are equal in Python, and two states here."""
    if not network.has_states:
        return None
    return {name: [*map(label_key, network.states(name))] for name in network.variables}


def _parent_sets(network: BayesianNetwork) -> dict[Hashable, frozenset[Hashable]]:
    return {child: frozenset(network.parents(child)) for child in network.variables}


def cpt_array(network: BayesianNetwork, variable: Hashable) -> npt.NDArray[np.float64]:
    """Return probabilities with an axis per parent, and the variable's own last."""
    family = (*network.parents(variable), variable)
    shape = [len(network.states(member)) for member in family]
    return network._known_cpts()[network._positions[variable]].reshape(shape)


def _aligned(
    network: BayesianNetwork, variable: Hashable, parents: Sequence[Hashable]
) -> npt.NDArray[np.float64]:
    """Return the probabilities of a variable with the axes of its parents in a given order."""
    own = network.parents(variable)
    axes = [own.index(parent) for parent in parents]
    return cpt_array(network, variable).transpose([*axes, len(own)])
