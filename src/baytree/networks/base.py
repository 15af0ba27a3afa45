"""The frozen base of every network: variables, states, arcs, probabilities, decomposition."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import Any, Self

import pandas as pd

from baytree import _core
from baytree.messages.quoting import shortened
from baytree.messages.suggestions import unknown_variable
from baytree.networks.arc_constraints import Arc, arcs_by_child, check_acyclic
from baytree.networks.cpts import Cpt, checked_cpt, labelled_cpt
from baytree.networks.decomposition import (
    TreeDecomposition,
    check_decomposition,
    min_degree_decomposition,
    named_bags,
    order_along,
)
from baytree.tables.columns import is_missing_cell, label_key, plain_label
from baytree.tables.encoding import TableEncoding


class NetworkBase:
    """What every kind of query builds on; `BayesianNetwork` documents the arguments.

    Positions in `_positions`, the core's numbers of variables, and rows of `_cpts` all follow the
    order of `variables`.
    """

    def __init__(
        self,
        variables: Mapping[Hashable, Sequence[Hashable]] | Iterable[Hashable],
        arcs: Iterable[Arc] = (),
        *,
        cpts: Mapping[Hashable, object] | None = None,
        decomposition: TreeDecomposition | None = None,
        score: float | None = None,
    ) -> None:
        names = checked_names(variables)
        states = _checked_states(variables) if isinstance(variables, Mapping) else None
        parents = arcs_by_child(names, arcs, "arcs")
        check_acyclic(names, parents, "arcs")
        self._set_structure(names, states, parents, score)
        if decomposition is None:
            decomposition = min_degree_decomposition(names, self._parent_positions)
        else:
            check_decomposition(decomposition, self._parents)
        self._decomposition = decomposition
        self._cpts = None if cpts is None else self._checked_cpts(cpts)

    _found_order: Sequence[int] = ()  # of elimination, if a search found the network

    def _set_structure(
        self,
        names: tuple[Hashable, ...],
        states: dict[Hashable, tuple[Hashable, ...]] | None,
        parents: Sequence[Iterable[int]],
        score: float | None,
    ) -> None:
        self._variables = names
        self._states = states
        self._parent_positions = [tuple(sorted(members)) for members in parents]
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
        >>> import baytree as bt
        >>> bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")]).parents("wet")
        ('rain',)
        """
        return self._parents[self._checked(variable)]

    @property
    def binned_variables(self) -> tuple[Hashable, ...]:
        """Numeric variables that were cut into bins: evidence on them may be a number."""
        return () if self._states is None else self._encoding.binned_variables

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
        >>> import baytree as bt
        >>> bt.BayesianNetwork({"rain": ["no", "yes"]}).states("rain")
        ('no', 'yes')
        """
        name = self._checked(variable)
        if self._states is None:
            raise ValueError(
                "The network has a structure alone; the states of its variables are not known. "
                "Learn it from a table, or give the states when it is made."
            )
        return self._states[name]

    @property
    def has_states(self) -> bool:
        """Whether the states of the variables are known, and not their names alone."""
        return self._states is not None

    @property
    def has_probabilities(self) -> bool:
        """Whether the network has probabilities, and not a structure alone."""
        return self._cpts is not None

    @property
    def n_parameters(self) -> int:
        """Number of free probabilities: for every joint state of the parents, all but one."""
        arities = [len(self.states(variable)) for variable in self._variables]
        return sum(
            (arity - 1) * math.prod(arities[parent] for parent in parents)
            for arity, parents in zip(arities, self._parent_positions, strict=True)
        )

    def cpt(self, variable: Hashable) -> pd.DataFrame:
        """Return the probabilities of a variable given its parents.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        DataFrame
            A row for every joint state of the parents, whose names are those of the index, and a
            column for every state of the variable. A variable without parents has one row. States
            that are equal in Python, as 0 and False, stay apart, but `loc` finds them together.

        Raises
        ------
        UnknownVariableError
            If there is no variable of this name.
        ValueError
            If the network has a structure alone.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> network.cpt("wet")
        wet    no  yes
        rain
        no    0.9  0.1
        yes   0.2  0.8
        """
        name = self._checked(variable)
        cpt = self._known_cpts()[self._positions[name]]
        return labelled_cpt(name, self._parents[name], self._encoded_states, cpt)

    # What an imputer never asks of the networks that it averages is made when it is asked for:
    # names of bags and parents take 2 ms in a network of 500 variables.

    @cached_property
    def _parents(self) -> dict[Hashable, tuple[Hashable, ...]]:
        names = self._variables
        return {
            child: tuple(names[parent] for parent in members)
            for child, members in zip(names, self._parent_positions, strict=True)
        }

    @cached_property
    def _decomposition(self) -> TreeDecomposition:
        """The bags of a network that was found; one that was made has those it was given."""
        return named_bags(self._variables, self._found_bags)

    @cached_property
    def _found_bags(self) -> _core.TreeDecomposition:
        return _core.decompose(self._parent_positions, self._found_order)

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {name: position for position, name in enumerate(self._variables)}

    @cached_property
    def _elimination_order(self) -> list[int]:
        """Positions of the variables, in the order in which the decomposition lets them go."""
        if self._found_order:
            return self._found_bags.elimination_order
        return [self._positions[variable] for variable in order_along(self._decomposition)]

    @cached_property
    def _encoded_states(self) -> dict[Hashable, tuple[Hashable, ...]]:
        return {variable: self.states(variable) for variable in self._variables}

    @cached_property
    def _encoding(self) -> TableEncoding:
        """Labels of the network's states, and of those alone, to codes and back."""
        return TableEncoding.from_states(self._encoded_states)

    @cached_property
    def _tabular(self) -> _core.TabularNetwork:
        """The network as the core takes it."""
        return _core.TabularNetwork(
            self._encoding.arities.tolist(),
            parents=self._parent_positions,
            tables=[cpt.ravel() for cpt in self._known_cpts()],
        )

    def _known_cpts(self) -> Sequence[Cpt]:
        if self._cpts is None:
            raise ValueError(
                "The network has a structure alone, without probabilities. Estimate them from a "
                "table with fit_parameters, or give cpts when it is made."
            )
        return self._cpts

    def _checked_cpts(self, cpts: Mapping[Hashable, object]) -> tuple[Cpt, ...]:
        if not isinstance(cpts, Mapping):
            raise ValueError(
                f"cpts must map variables to their probabilities; got {shortened(cpts)}."
            )
        for name in cpts:
            self._checked(name)
        for name in self._variables:
            if name not in cpts:
                raise ValueError(f"cpts lacks the probabilities of variable {name!r}.")
        states = self._encoded_states
        return tuple(
            checked_cpt(name, self._parents[name], states, cpts[name]) for name in self._variables
        )

    @classmethod
    def _made(cls, encoding: TableEncoding, *args: Any, **kwargs: Any) -> Self:
        """Return a network that decodes to cells as a table had them, bins and dtypes included."""
        network = cls({name: encoding.states(name) for name in encoding.variables}, *args, **kwargs)
        network.__dict__["_encoding"] = encoding
        return network

    @classmethod
    def _found(
        cls,
        encoding: TableEncoding,
        parents: Sequence[Iterable[int]],
        *,
        cpts: Sequence[Cpt],
        elimination_order: Sequence[int],
        bags: _core.TreeDecomposition,
        score: float,
    ) -> Self:
        """Return what a search found in a table. The core made all of it: nothing is checked."""
        network = cls.__new__(cls)
        network._set_structure(encoding.variables, encoding.plain_states, parents, score)
        network._found_order = elimination_order
        network._found_bags = bags
        network._cpts = tuple(cpts)
        for cpt in cpts:
            cpt.setflags(write=False)
        network.__dict__["_encoding"] = encoding
        return network

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse what would look like a change of the network."""
        if not name.startswith("_"):
            raise AttributeError(f"A network is frozen: {name!r} cannot be set. Make a new one.")
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to the core and is made again when needed."""
        left_out = set().union(*(vars(kind).get("_made_again", ()) for kind in type(self).__mro__))
        return {k: v for k, v in self.__dict__.items() if k not in left_out}

    # Names of attributes that hold objects of the core; every base class has its own.
    _made_again: frozenset[str] = frozenset({"_tabular", "_found_bags"})

    def _targets(self, target: Any) -> tuple[list[Hashable], bool]:
        """Return the variables that are asked for, and whether one was given by itself."""
        if isinstance(target, Hashable) and target in self._parents:
            return [target], True
        if isinstance(target, (str, bytes)) or not isinstance(target, Iterable):
            return [self._checked(target)], True
        targets = [self._checked(name) for name in target]
        if not targets or len(set(targets)) < len(targets):
            raise ValueError(
                f"target must be a variable, or a list of different ones; got {shortened(target)}."
            )
        return targets, False

    def _checked(self, variable: Hashable) -> Hashable:
        if type(variable) is str and variable in self._parents:  # the rule, and soon told
            return variable
        if not isinstance(variable, Hashable) or variable not in self._parents:
            raise unknown_variable(variable, self._variables)
        return variable


def checked_names(variables: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return the names of variables, or say which cannot be one."""
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
        # A set has no order, which arrays of probabilities need.
        is_list = isinstance(labels, Iterable) and not isinstance(labels, (str, Set))
        states[name] = tuple(map(plain_label, labels)) if is_list else ()
        if not is_list or not all(isinstance(label, Hashable) for label in states[name]):
            raise ValueError(
                f"The states of variable {name!r} must be a list of labels, in order; "
                f"got {shortened(labels)}."
            )
        if any(is_missing_cell(label) for label in states[name]):
            raise ValueError(
                f"Variable {name!r} has a missing value among its states; got {shortened(labels)}. "
                "NaN, None and the like mean that nothing was observed: leave them out, or use a "
                "word such as 'unknown'."
            )
        distinct = {label_key(label) for label in states[name]}
        if not distinct or len(distinct) < len(states[name]):
            problem = "has no states" if not distinct else "has a state twice"
            raise ValueError(f"Variable {name!r} {problem}; got {shortened(labels)}.")
    return states
