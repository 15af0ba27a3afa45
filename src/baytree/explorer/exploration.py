"""Answers about one model, and about the rows of a table, by numbers of variables and states."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import baytree as bt
from baytree.explorer import payloads
from baytree.explorer.payloads import Evidence, Model, Payload, StateCodes
from baytree.messages.arguments import is_integer


class BadRequestError(ValueError):
    """A request that the page would not send.

    Examples
    --------
    >>> issubclass(BadRequestError, ValueError)
    True
    """


class Exploration:
    """Answers to the requests of the page; every answer is a payload.

    Of a mixture, answers are about the whole or about the component whose number a request has. A
    drawing shows one component: that of the request, or else the one of the largest weight.

    Parameters
    ----------
    model : BayesianNetwork or NetworkMixture
        Network with probabilities, or a mixture of such.
    codes : ndarray of int32, shape (n_rows, n_variables), optional
        Rows of a table, -1 for missing cells.
    title : str
        Title of the page.

    Examples
    --------
    >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
    >>> exploration = Exploration(network, title="rain.bif")
    >>> exploration.posteriors({"evidence": [[0, 1]]})["probabilities"]
    [0.0, 1.0]
    """

    def __init__(
        self,
        model: Model,
        codes: StateCodes | None = None,
        *,
        title: str = "network",
    ) -> None:
        self._model = model
        self._codes = codes
        self._title = title
        # One query at a time: each may use a large part of the memory.
        self._lock = threading.Lock()
        self._components: dict[int, bt.BayesianNetwork] = {}
        self._drawn: dict[tuple[str, int | None], Payload] = {}

    def _next_incomplete(self, number: int) -> int | None:
        """Return the next row with missing cells, starting again after the last."""
        rows = self._incomplete_rows
        if not len(rows):
            return None
        return int(rows[np.searchsorted(rows, number, side="right") % len(rows)])

    @cached_property
    def _incomplete_rows(self) -> npt.NDArray[np.int64]:
        codes = np.zeros((0, 1)) if self._codes is None else self._codes
        return np.flatnonzero((codes < 0).any(axis=1))

    @cached_property
    def _heaviest(self) -> int:
        assert isinstance(self._model, bt.NetworkMixture)
        return int(np.argmax(self._model.weights))

    def _asked(self, request: Mapping[str, Any]) -> Model:
        """Return what answers a request: the model, or a component of it."""
        number = self._component_number(request)
        return self._model if number is None else self._component(number)

    def _network(self, request: Mapping[str, Any]) -> bt.BayesianNetwork:
        """Return the network that is drawn."""
        if isinstance(self._model, bt.BayesianNetwork):
            return self._model
        number = self._component_number(request)
        return self._component(self._heaviest if number is None else number)

    def _component_number(self, request: Mapping[str, Any]) -> int | None:
        if request.get("component") is None:
            return None
        model = self._model
        n_components = model.n_components if isinstance(model, bt.NetworkMixture) else 0
        return _number(request, "component", n_components)

    def _component(self, number: int) -> bt.BayesianNetwork:
        assert isinstance(self._model, bt.NetworkMixture)
        if number not in self._components:
            self._components[number] = self._model.components[number]
        return self._components[number]

    def _make_graph(self, request: Mapping[str, Any]) -> Payload:
        rows = None
        if self._codes is not None:
            rows = {"n": len(self._codes), "next_incomplete": self._next_incomplete(-1)}
        graph: Payload = {"title": self._title, "rows": rows, "mixture": None, "component": None}
        if isinstance(self._model, bt.NetworkMixture):
            number = self._component_number(request)
            graph["mixture"] = payloads.components_payload(self._model)
            graph["component"] = self._heaviest if number is None else number
        return graph | payloads.graph_payload(self._network(request))

    def prepare(self) -> None:
        """Draw the network and compute its posteriors, so that the page need not wait.

        Raises
        ------
        ValueError
            If the network has no probabilities.
        InferenceTooLargeError
            If exact inference needs more memory than there is.
        """
        self.posteriors({})
        self.graph({})

    def graph(self, request: Mapping[str, Any]) -> Payload:
        """Return the network, which is drawn once."""
        key = ("graph", self._component_number(request))
        with self._lock:
            if key not in self._drawn:
                self._drawn[key] = self._make_graph(request)
            return self._drawn[key]

    def neighbourhood(self, request: Mapping[str, Any]) -> Payload:
        """Return the drawing of a variable and those near it."""
        network = self._network(request)
        return payloads.neighbourhood_payload(network, self._variable(request, "variable"))

    def clique_tree(self, request: Mapping[str, Any]) -> Payload:
        """Return the clique tree: all of it, drawn once, or that near a variable."""
        network = self._network(request)
        is_whole = len(network.decomposition.bags) <= payloads.MAX_DRAWN_WHOLE
        if is_whole or request.get("variable") is None:
            key = ("tree", self._component_number(request))
            with self._lock:
                if key not in self._drawn:
                    self._drawn[key] = payloads.clique_tree_payload(network)
                return self._drawn[key]
        return payloads.clique_tree_payload(network, self._variable(request, "variable"))

    def posteriors(self, request: Mapping[str, Any]) -> Payload:
        """Return the probabilities of all states given evidence."""
        evidence = self._evidence(request)
        with self._lock:
            return payloads.posteriors_payload(self._asked(request), evidence)

    def explanation(self, request: Mapping[str, Any]) -> Payload:
        """Return the most probable joint states given evidence."""
        evidence = self._evidence(request)
        with self._lock:
            return payloads.explanation_payload(self._asked(request), evidence)

    def most_informative(self, request: Mapping[str, Any]) -> Payload:
        """Return the variables that are most informative about a target given evidence."""
        target, evidence = self._variable(request, "target"), self._evidence(request)
        with self._lock:
            return payloads.most_informative_payload(self._asked(request), target, evidence)

    def clique(self, request: Mapping[str, Any]) -> Payload:
        """Return the joint states of a clique given evidence."""
        network = self._network(request)
        n_cliques = len(network.decomposition.bags)
        clique, evidence = _number(request, "clique", n_cliques), self._evidence(request)
        with self._lock:
            return payloads.clique_payload(network, clique, evidence, self._asked(request))

    def row(self, request: Mapping[str, Any]) -> Payload:
        """Return a row of the table, with its missing cells imputed."""
        if self._codes is None:
            raise BadRequestError("There is no table. Start the explorer with --table.")
        number = _number(request, "row", len(self._codes))
        with self._lock:
            row = payloads.row_payload(self._asked(request), self._codes, number)
        return {**row, "next_incomplete": self._next_incomplete(number)}

    def _variable(self, request: Mapping[str, Any], key: str) -> int:
        return _number(request, key, len(self._model.variables))

    def _evidence(self, request: Mapping[str, Any]) -> Evidence:
        pairs = request.get("evidence", [])
        if not isinstance(pairs, list) or not all(self._is_observation(pair) for pair in pairs):
            raise BadRequestError("evidence must be a list of pairs: a variable and its state.")
        if len({variable for variable, _ in pairs}) < len(pairs):
            raise BadRequestError("evidence must name a variable once.")
        return payloads.labelled(self._model, [(variable, state) for variable, state in pairs])

    def _is_observation(self, pair: object) -> bool:
        if not isinstance(pair, list) or len(pair) != 2 or not all(is_integer(n) for n in pair):
            return False
        variable, state = (int(number) for number in pair)
        names = self._model.variables
        if not 0 <= variable < len(names):
            return False
        return 0 <= state < len(self._model.states(names[variable]))


def _number(request: Mapping[str, Any], key: str, n_numbers: int) -> int:
    number = request.get(key)
    if n_numbers == 0:
        raise BadRequestError(f"There is no {key}.")
    if not is_integer(number) or not 0 <= number < n_numbers:
        raise BadRequestError(f"{key} must be a number from 0 to {n_numbers - 1}.")
    return number
