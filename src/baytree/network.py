"""BayesianNetwork: the frozen result that other modules take or return."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence

from baytree._arc_constraints import Arc, arcs_by_child, check_acyclic
from baytree._arguments import shortened
from baytree._tables.table_view import quoted
from baytree.decomposition import TreeDecomposition, check_decomposition, min_degree_order
from baytree.exceptions import FileFormatError, UnknownVariableError
from baytree.formats.structure_json import StructureParts, read_structure, write_structure


class BayesianNetwork:
    """Variables, their states, and the arcs among them; never changed once it is made.

    This version has the structure only. Probabilities and queries come with a later one.

    Parameters
    ----------
    variables : mapping of variable to sequence of states, or iterable of variables
        Names of the variables with the labels of their states, or names alone where the states
        are not known.
    arcs : iterable of (parent, child), optional
        The arcs.
    decomposition : TreeDecomposition, optional
        One of this structure; found by elimination of the variable with the fewest neighbours if
        not given.
    score : float, optional
        Score of the structure, if it was learned.

    Attributes
    ----------
    variables : tuple
        Names of the variables.
    arcs : tuple of (parent, child)
        The arcs, by child in the order of the variables.
    decomposition : TreeDecomposition
        Bags that prove the treewidth.
    treewidth : int
        Width of the decomposition. For a network that was not learned, one of smaller width may
        exist.
    score : float or None
        Score of the structure on the table that it was learned from.

    See Also
    --------
    NetworkLearner : Learns a network from a table.

    Notes
    -----
    Two networks are equal if they have the same variables, states and arcs. Order, decomposition
    and score do not matter.

    Examples
    --------
    >>> import baytree as bt
    >>> states = {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "grass": ["dry", "wet"]}
    >>> network = bt.BayesianNetwork(states, [("rain", "grass"), ("sprinkler", "grass")])
    >>> network
    BayesianNetwork(3 variables, 2 arcs, treewidth 2)
    >>> network.parents("grass")
    ('rain', 'sprinkler')
    >>> network.states("rain")
    ('no', 'yes')
    >>> network.decomposition.bags
    (('rain', 'sprinkler', 'grass'),)
    """

    def __init__(
        self,
        variables: Mapping[Hashable, Sequence[Hashable]] | Iterable[Hashable],
        arcs: Iterable[Arc] = (),
        *,
        decomposition: TreeDecomposition | None = None,
        score: float | None = None,
    ) -> None:
        self._variables = _checked_names(variables)
        self._states = _checked_states(variables) if isinstance(variables, Mapping) else None
        positions = [sorted(members) for members in arcs_by_child(self._variables, arcs, "arcs")]
        check_acyclic(self._variables, positions, "arcs")
        self._parents = {
            child: tuple(self._variables[parent] for parent in members)
            for child, members in zip(self._variables, positions, strict=True)
        }
        if decomposition is None:
            decomposition = TreeDecomposition.from_order(
                self._variables, positions, min_degree_order(positions)
            )
        else:
            check_decomposition(decomposition, self._parents)
        self._decomposition = decomposition
        self._score = None if score is None else float(score)

    @property
    def variables(self) -> tuple[Hashable, ...]:
        """Names of the variables."""
        return self._variables

    @property
    def arcs(self) -> tuple[Arc, ...]:
        """The arcs (parent, child), by child in the order of the variables."""
        return tuple(
            (parent, child) for child, parents in self._parents.items() for parent in parents
        )

    @property
    def decomposition(self) -> TreeDecomposition:
        """Bags that prove the treewidth."""
        return self._decomposition

    @property
    def treewidth(self) -> int:
        """Width of the decomposition."""
        return self._decomposition.width

    @property
    def score(self) -> float | None:
        """Score of the structure on the table that it was learned from, if it was."""
        return self._score

    def parents(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the parents of a variable, in the order of the variables.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names of its parents.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.

        Examples
        --------
        >>> BayesianNetwork(["rain", "wet"], [("rain", "wet")]).parents("wet")
        ('rain',)
        """
        return self._parents[self._checked(variable)]

    def states(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the labels of a variable's states, in order.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Labels; intervals as text for a variable that was cut into bins.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.
        ValueError
            If the states are not known, as in a structure that was searched on a cache of parent
            sets alone.

        Examples
        --------
        >>> BayesianNetwork({"rain": ["no", "yes"]}).states("rain")
        ('no', 'yes')
        """
        name = self._checked(variable)
        if self._states is None:
            raise ValueError(
                "The network has a structure alone; the states of its variables are not known. "
                "Learn it from a table, or give the states when it is made."
            )
        return self._states[name]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the network as JSON, in place of a file of that name.

        Parameters
        ----------
        path : str or path
            File to write, whose name ends in .json; compressed if .gz or .xz comes behind.

        Raises
        ------
        ValueError
            If the name ends otherwise, or two names or states would be the same in the file;
            nothing is written then.

        Notes
        -----
        Names and states that are text, numbers or truth values come back as they are; others
        (tuples, timestamps, bytes) are written as their text, and come back as text.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> network = BayesianNetwork({"rain": [0, 1], "wet": [0, 1]}, [("rain", "wet")])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "network.json"
        ...     network.write(path)
        ...     BayesianNetwork.read(path) == network
        True
        """
        states = None if self._states is None else [*self._states.values()]
        has_score = self._score is not None and math.isfinite(self._score)
        parts = StructureParts(
            variables=self._variables,
            states=states,
            arcs=self.arcs,
            bags=self._decomposition.bags,
            edges=self._decomposition.edges,
            score=self._score if has_score else None,
        )
        write_structure(path, parts)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> BayesianNetwork:
        """Return the network in a file that `write` made.

        Parameters
        ----------
        path : str or path
            File to read; .gz and .xz are decompressed.

        Returns
        -------
        BayesianNetwork
            The network, with its decomposition.

        Raises
        ------
        FileFormatError
            If the file is broken, of a newer version, or no network: arcs that form a cycle,
            bags that are no tree decomposition.
        ValueError
            If its name does not end in .json, .json.gz or .json.xz.

        Examples
        --------
        >>> BayesianNetwork.read("network.bif")
        Traceback (most recent call last):
        ...
        ValueError: network.bif: the name of a network must end in .json, ...
        """
        parts = read_structure(path)
        bags = tuple(tuple(bag) for bag in parts.bags)
        try:
            return cls(
                parts.variables
                if parts.states is None
                else _mapping(parts.variables, parts.states),
                parts.arcs,
                decomposition=TreeDecomposition(bags, tuple(parts.edges)),
                score=parts.score,
            )
        except (ValueError, UnknownVariableError) as error:
            raise FileFormatError(f"{path}: {error}") from None

    def _checked(self, variable: Hashable) -> Hashable:
        if not isinstance(variable, Hashable) or variable not in self._parents:
            raise UnknownVariableError(
                f"There is no variable {variable!r} (known: {quoted(self._variables)})."
            )
        return variable

    def __eq__(self, other: object) -> bool:
        """Return whether variables, states and arcs are the same."""
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return self._states == other._states and {
            child: frozenset(parents) for child, parents in self._parents.items()
        } == {child: frozenset(parents) for child, parents in other._parents.items()}

    def __hash__(self) -> int:
        """Return a hash that equal networks share."""
        return hash((frozenset(self._variables), frozenset(self.arcs)))

    def __repr__(self) -> str:
        """Say how large the network is."""
        n_variables = len(self._variables)
        n_arcs = sum(len(parents) for parents in self._parents.values())
        score = "" if self._score is None else f", score {self._score:,.3f}"
        return (
            f"BayesianNetwork({n_variables:,} {'variable' if n_variables == 1 else 'variables'}, "
            f"{n_arcs:,} {'arc' if n_arcs == 1 else 'arcs'}, treewidth {self.treewidth}{score})"
        )


def _mapping(
    variables: Sequence[Hashable], states: Sequence[Sequence[Hashable]]
) -> Mapping[Hashable, Sequence[Hashable]]:
    """Return the states by variable; a dict would swallow a name that comes twice."""
    return dict(zip(_checked_names(variables), states, strict=True))


def _checked_names(variables: Iterable[Hashable]) -> tuple[Hashable, ...]:
    if isinstance(variables, str) or not isinstance(variables, Iterable):
        raise ValueError(f"variables must be names, or states by name; got {shortened(variables)}.")
    names = tuple(variables)
    seen: set[Hashable] = set()
    for name in names:
        if not isinstance(name, Hashable):
            raise ValueError(f"The name of a variable must be hashable; got {shortened(name)}.")
        if name in seen:
            raise ValueError(f"variables names {name!r} twice.")
        seen.add(name)
    if not names:
        raise ValueError("A network needs at least one variable.")
    return names


def _checked_states(
    variables: Mapping[Hashable, Sequence[Hashable]],
) -> dict[Hashable, tuple[Hashable, ...]]:
    states = {}
    for name, labels in variables.items():
        is_list = isinstance(labels, Iterable) and not isinstance(labels, str)
        states[name] = tuple(labels) if is_list else ()
        if not is_list or not all(isinstance(label, Hashable) for label in states[name]):
            raise ValueError(
                f"The states of variable {name!r} must be a list of labels; "
                f"got {shortened(labels)}."
            )
        # 1 and True are two states, though they are equal.
        distinct = {(isinstance(label, bool), label) for label in states[name]}
        if not distinct or len(distinct) < len(states[name]):
            problem = "has no states" if not distinct else "has a state twice"
            raise ValueError(f"Variable {name!r} {problem}; got {shortened(labels)}.")
    return states
