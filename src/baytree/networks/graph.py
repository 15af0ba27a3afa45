"""What the arcs of a network tell: neighbours, independences, and how far another is away."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from baytree.messages.arguments import one_of, positive_number
from baytree.messages.quoting import quoted, shortened
from baytree.networks.base import NetworkBase
from baytree.networks.cpdag import Cpdag, cpdag_of
from baytree.tables.columns import label_key


class NetworkGraph(NetworkBase):
    """Questions to the arcs alone; a base of `BayesianNetwork`."""

    def children(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the children of a variable, in the order of the variables.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names of its children.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")]).children("rain")
        ('wet',)
        """
        return self._names(self._child_positions[self._position(variable)])

    def markov_blanket(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the parents, the children, and the other parents of the children.

        Once these are known, no other variable tells anything of this one.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names, in the order of the variables.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.

        Examples
        --------
        >>> import baytree as bt
        >>> arcs = [("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")]
        >>> names = ["rain", "sprinkler", "wet", "slippery"]
        >>> bt.BayesianNetwork(names, arcs).markov_blanket("rain")
        ('sprinkler', 'wet')
        """
        own = self._position(variable)
        blanket = {*self._parent_positions[own], *self._child_positions[own]}
        for child in self._child_positions[own]:
            blanket |= set(self._parent_positions[child])
        return self._names(blanket - {own})

    def ancestors(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the variables from which arcs lead to a variable, on any path.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names, in the order of the variables, without the variable itself.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.

        Examples
        --------
        >>> import baytree as bt
        >>> chain = bt.BayesianNetwork(["a", "b", "c"], [("a", "b"), ("b", "c")])
        >>> chain.ancestors("c")
        ('a', 'b')
        """
        own = self._position(variable)
        return self._names(_reached([own], self._parent_positions) - {own})

    def descendants(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the variables to which arcs lead from a variable, on any path.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names, in the order of the variables, without the variable itself.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.

        Examples
        --------
        >>> import baytree as bt
        >>> chain = bt.BayesianNetwork(["a", "b", "c"], [("a", "b"), ("b", "c")])
        >>> chain.descendants("a")
        ('b', 'c')
        """
        own = self._position(variable)
        return self._names(_reached([own], self._child_positions) - {own})

    def is_d_separated(
        self,
        a: Hashable | Iterable[Hashable],
        b: Hashable | Iterable[Hashable],
        given: Hashable | Iterable[Hashable] = (),
    ) -> bool:
        """Return whether the arcs make some variables independent of others, given a third group.

        Parameters
        ----------
        a, b : hashable or iterable of hashable
            The name of a variable, or several names.
        given : hashable or iterable of hashable, optional
            Variables whose states are known.

        Returns
        -------
        bool
            True if the arcs alone make the two groups independent. Where they do not, the
            probabilities still may.

        Raises
        ------
        UnknownVariableError
            If there is no variable of one of the names.
        ValueError
            If a variable is in two of the groups.

        Notes
        -----
        Takes a time linear in the arcs [bayes-ball]. An empty group is independent of all others.

        Examples
        --------
        >>> import baytree as bt
        >>> arcs = [("rain", "wet"), ("sprinkler", "wet")]
        >>> network = bt.BayesianNetwork(["rain", "sprinkler", "wet"], arcs)
        >>> network.is_d_separated("rain", "sprinkler")
        True
        >>> network.is_d_separated("rain", "sprinkler", given="wet")
        False
        """
        from_a, to_b, known = (self._group(names) for names in (a, b, given))
        for shared in (from_a & to_b, from_a & known, to_b & known):
            if shared:
                raise ValueError(
                    "a, b and given must not share a variable; two of them have "
                    f"{quoted(self._names(shared))}."
                )
        return to_b.isdisjoint(self._connected(from_a, known))

    def to_cpdag(self) -> Cpdag:
        """Return which arcs all networks share that state the same independences.

        Returns
        -------
        Cpdag
            Arcs of one direction in all equivalent networks, and edges for the others.

        Examples
        --------
        >>> import baytree as bt
        >>> arcs = [("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery"), ("cold", "rain")]
        >>> names = ["cold", "rain", "sprinkler", "wet", "slippery"]
        >>> cpdag = bt.BayesianNetwork(names, arcs).to_cpdag()
        >>> cpdag.arcs
        (('rain', 'wet'), ('sprinkler', 'wet'), ('wet', 'slippery'))
        >>> cpdag.edges
        (('cold', 'rain'),)
        """
        return cpdag_of(self._variables, self._parent_positions)

    def structural_hamming_distance(self, other: NetworkGraph, *, graph: str = "cpdag") -> int:
        """Return between how many pairs of variables two networks differ.

        Parameters
        ----------
        other : BayesianNetwork
            A network of the same variables, in any order.
        graph : {"cpdag", "dag"}, default="cpdag"
            What to compare: the graphs of the equivalence classes, as is usual [mmhc], so that
            arcs whose direction no table can tell do not count; or the arcs as they are.

        Returns
        -------
        int
            Number of pairs that are connected in one of them only, or otherwise.

        Raises
        ------
        ValueError
            If the networks have different variables.

        Examples
        --------
        >>> import baytree as bt
        >>> one = bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")])
        >>> other = bt.BayesianNetwork(["rain", "wet"], [("wet", "rain")])
        >>> one.structural_hamming_distance(other)
        0
        >>> one.structural_hamming_distance(other, graph="dag")
        1
        """
        one_of("graph", graph, ("cpdag", "dag"))
        self._check_same_variables(other)
        first, second = (
            (network.to_cpdag() if graph == "cpdag" else Cpdag(network.variables, network.arcs, ()))
            for network in (self, other)
        )
        ends = first.connections.keys() | second.connections.keys()
        missing = object()
        return sum(
            first.connections.get(pair, missing) != second.connections.get(pair, missing)
            for pair in ends
        )

    def adjacency(self) -> pd.DataFrame:
        """Return the arcs as a matrix.

        Returns
        -------
        DataFrame
            1 where the variable of the row is a parent of that of the column, else 0.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")]).adjacency()
              rain  wet
        rain     0    1
        wet      0    0
        """
        n_variables = len(self._variables)
        matrix = np.zeros((n_variables, n_variables), np.int8)
        for child, members in enumerate(self._parent_positions):
            matrix[members, child] = 1
        names = pd.Index(list(self._variables), tupleize_cols=False)
        return pd.DataFrame(matrix, index=names, columns=names)

    def equals(self, other: object, *, tolerance: float = 1e-9) -> bool:
        """Return whether two networks are the same, probabilities included.

        Parameters
        ----------
        other : object
            What to compare with.
        tolerance : float, default=1e-9
            Largest difference of two probabilities that does not count.

        Returns
        -------
        bool
            True if variables, states and arcs are the same and no probability differs by more.
            The order of the variables, the decomposition and the score do not matter. A structure
            alone equals structures alone.

        Examples
        --------
        >>> import baytree as bt
        >>> one = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.8, 0.2]})
        >>> other = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.7, 0.3]})
        >>> one == other, one.equals(other), one.equals(other, tolerance=0.2)
        (False, False, True)
        """
        largest = 0.0 if tolerance == 0 else positive_number("tolerance", tolerance)
        if not isinstance(other, NetworkGraph) or not self._has_structure_of(other):
            return False
        if self._cpts is None or other._cpts is None:
            return self._cpts is other._cpts
        return all(
            np.abs(self._cpt_array(name) - _with_axes(other, name, self.parents(name))).max()
            <= largest
            for name in self._variables
        )

    def _has_structure_of(self, other: NetworkGraph) -> bool:
        return _state_keys(self) == _state_keys(other) and {
            child: frozenset(parents) for child, parents in self._parents.items()
        } == {child: frozenset(parents) for child, parents in other._parents.items()}

    @cached_property
    def _child_positions(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self._variables]
        for child, members in enumerate(self._parent_positions):
            for parent in members:
                children[parent].append(child)
        return children

    def _position(self, variable: Hashable) -> int:
        return self._positions[self._checked(variable)]

    def _names(self, positions: Iterable[int]) -> tuple[Hashable, ...]:
        return tuple(self._variables[position] for position in sorted(positions))

    def _group(self, names: Hashable | Iterable[Hashable]) -> set[int]:
        """Return the positions of one variable, by its name, or of several."""
        if isinstance(names, Hashable) and names in self._positions:
            return {self._positions[names]}
        if isinstance(names, str) or not isinstance(names, Iterable):
            return {self._position(names)}
        return {self._position(name) for name in names}

    def _connected(self, start: set[int], known: set[int]) -> set[int]:
        """Return what a ball reaches that passes on as the rules of [bayes-ball] say."""
        leads_to_known = _reached(known, self._parent_positions)
        # The ball comes to a variable from a child (True) or from a parent (False).
        waiting = [(variable, True) for variable in start]
        seen = set(waiting)
        while waiting:
            variable, is_from_child = waiting.pop()
            goes_up = variable not in known if is_from_child else variable in leads_to_known
            nexts = [(p, True) for p in self._parent_positions[variable]] if goes_up else []
            if variable not in known:
                nexts += [(child, False) for child in self._child_positions[variable]]
            waiting += (new := [visit for visit in nexts if visit not in seen])
            seen |= set(new)
        return {variable for variable, _ in seen if variable not in known}

    def _check_same_variables(self, other: NetworkGraph) -> None:
        if not isinstance(other, NetworkGraph):
            raise ValueError(f"other must be a BayesianNetwork; got {shortened(other)}.")
        for one, two, word in ((self, other, "other"), (other, self, "this network")):
            if lacking := [name for name in one.variables if name not in two._positions]:
                raise ValueError(
                    f"The networks must have the same variables; {word} lacks {quoted(lacking)}."
                )

    def _cpt_array(self, variable: Hashable) -> np.ndarray:
        """Return probabilities with an axis for each parent, and the variable's own last."""
        family = (*self._parents[variable], variable)
        shape = [len(self.states(member)) for member in family]
        return self._known_cpts()[self._positions[variable]].reshape(shape)


def _state_keys(network: NetworkGraph) -> dict[Hashable, list[Hashable]] | None:
    """Return what tells states apart; 0 and False are equal in Python, and two states here."""
    if network._states is None:
        return None
    return {name: [*map(label_key, labels)] for name, labels in network._states.items()}


def _reached(start: Iterable[int], nexts: Sequence[Sequence[int]]) -> set[int]:
    """Return all that can be reached, the start included."""
    reached = set(start)
    waiting = list(reached)
    while waiting:
        new = set(nexts[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return reached


def _with_axes(
    network: NetworkGraph, variable: Hashable, parents: Sequence[Hashable]
) -> np.ndarray:
    """Return the probabilities of a variable with the axes of its parents in this order."""
    own = network.parents(variable)
    axes = [own.index(parent) for parent in parents]
    return network._cpt_array(variable).transpose([*axes, len(own)])
