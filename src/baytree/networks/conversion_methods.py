"""Methods that take networks from other packages and give them to these."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Self

from baytree.networks import conversions as _conversions
from baytree.networks.graph import NetworkGraph


class NetworkConversions(NetworkGraph):
    """Networks of networkx, pgmpy and pyAgrum; a base of `BayesianNetwork`."""

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        states: Mapping[Hashable, Sequence[Hashable]] | None = None,
        cpts: Mapping[Hashable, object] | None = None,
    ) -> Self:
        """Return a network with the nodes and edges of a networkx graph.

        Parameters
        ----------
        graph : networkx.DiGraph
            An acyclic graph; its nodes are the variables, its edges the arcs.
        states : mapping of variable to sequence of states, optional
            Labels of the states. If not given, the attribute ``states`` of the nodes is taken.
        cpts : mapping of variable to probabilities, optional
            As `BayesianNetwork` takes them. If not given, the attribute ``cpt`` of the nodes.

        Returns
        -------
        BayesianNetwork
            A structure alone where there are no probabilities.

        Raises
        ------
        ValueError
            If the graph is undirected or has a cycle, or some variables lack states or
            probabilities that others have.

        Examples
        --------
        >>> import networkx as nx
        >>> import baytree as bt
        >>> graph = nx.DiGraph([("rain", "wet"), ("sprinkler", "wet")])
        >>> bt.BayesianNetwork.from_networkx(graph).parents("wet")
        ('rain', 'sprinkler')
        """
        parts = _conversions.from_networkx(graph, states, cpts)
        return cls(parts.variables, parts.arcs, cpts=parts.cpts)

    def to_networkx(self) -> Any:
        """Return the network as a networkx graph.

        Returns
        -------
        networkx.DiGraph
            Nodes are variables, with the attributes ``states`` and ``cpt`` (a frame) where these
            are known.

        Raises
        ------
        ImportError
            If networkx is not installed.

        Examples
        --------
        >>> import baytree as bt
        >>> graph = bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")]).to_networkx()
        >>> list(graph.edges)
        [('rain', 'wet')]
        """
        return _conversions.to_networkx(self)

    @classmethod
    def from_pgmpy(cls, model: Any) -> Self:
        """Return a network of pgmpy as one of baytree.

        Parameters
        ----------
        model : pgmpy.models.DiscreteBayesianNetwork
            The network; without probabilities it gives a structure alone.

        Returns
        -------
        BayesianNetwork
            The same variables, states, arcs and probabilities.

        Raises
        ------
        ValueError
            If some variables lack the probabilities that others have, or tables disagree on the
            states of a variable.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork.from_pgmpy("asia")
        Traceback (most recent call last):
        ...
        ValueError: model must be a network of pgmpy; got 'asia'.
        """
        parts = _conversions.from_pgmpy(model)
        return cls(parts.variables, parts.arcs, cpts=parts.cpts)

    def to_pgmpy(self) -> Any:
        """Return the network as one of pgmpy, version 1.0 or newer.

        Returns
        -------
        pgmpy.models.DiscreteBayesianNetwork
            With the same names, labels and probabilities; without the latter if there are none.

        Raises
        ------
        ImportError
            If pgmpy is not installed.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.8, 0.2]})
        >>> model = network.to_pgmpy()
        >>> model.get_cpds("rain").values
        array([0.8, 0.2])
        """
        return _conversions.to_pgmpy(self)

    @classmethod
    def from_pyagrum(cls, model: Any) -> Self:
        """Return a network of pyAgrum as one of baytree.

        Parameters
        ----------
        model : pyagrum.BayesNet
            The network. States of integer and range variables become integers, those of numerical
            ones numbers, all others text.

        Returns
        -------
        BayesianNetwork
            The same variables, states, arcs and probabilities.

        Raises
        ------
        ValueError
            If the rows of a table are no probabilities: pyAgrum starts with zeros.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork.from_pyagrum("asia")
        Traceback (most recent call last):
        ...
        ValueError: model must be a BayesNet of pyAgrum; got 'asia'.
        """
        parts = _conversions.from_pyagrum(model)
        return cls(parts.variables, parts.arcs, cpts=parts.cpts)

    def to_pyagrum(self) -> Any:
        """Return the network as one of pyAgrum, version 2.0 or newer.

        Returns
        -------
        pyagrum.BayesNet
            With the same probabilities. Names and states become text; only integers in ascending
            order stay what they are.

        Raises
        ------
        ImportError
            If pyAgrum is not installed.
        ValueError
            If the network has a structure alone, or two names or states are the same as text.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.8, 0.2]})
        >>> model = network.to_pyagrum()
        >>> model.cpt("rain").tolist()
        [0.8, 0.2]
        """
        return _conversions.to_pyagrum(self)
