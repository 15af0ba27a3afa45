"""Answers about one network, and about the rows of a table, by numbers of variables and states."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import baytree as bt
from baytree.explorer import payloads
from baytree.explorer.payloads import Evidence, Payload, StateCodes
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

    Parameters
    ----------
    network : BayesianNetwork
        Network with probabilities.
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
        network: bt.BayesianNetwork,
        codes: StateCodes | None = None,
        *,
        title: str = "network",
    ) -> None:
        self._network = network
        self._codes = codes
        self._title = title
        # One query at a time: each may use a large part of the memory.
        self._lock = threading.Lock()

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
    def _graph(self) -> Payload:
        rows = None
        if self._codes is not None:
            rows = {"n": len(self._codes), "next_incomplete": self._next_incomplete(-1)}
        return {"title": self._title, "rows": rows, **payloads.graph_payload(self._network)}

    @cached_property
    def _whole_tree(self) -> Payload:
        return payloads.clique_tree_payload(self._network)

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
        with self._lock:
            return self._graph

    def neighbourhood(self, request: Mapping[str, Any]) -> Payload:
        """Return the drawing of a variable and those near it."""
        return payloads.neighbourhood_payload(self._network, self._variable(request, "variable"))

    def clique_tree(self, request: Mapping[str, Any]) -> Payload:
        """Return the clique tree: all of it, drawn once, or that near a variable."""
        is_whole = len(self._network.decomposition.bags) <= payloads.MAX_DRAWN_WHOLE
        if is_whole or request.get("variable") is None:
            with self._lock:
                return self._whole_tree
        return payloads.clique_tree_payload(self._network, self._variable(request, "variable"))

    def posteriors(self, request: Mapping[str, Any]) -> Payload:
        """Return the probabilities of all states given evidence."""
        evidence = self._evidence(request)
        with self._lock:
            return payloads.posteriors_payload(self._network, evidence)

    def explanation(self, request: Mapping[str, Any]) -> Payload:
        """Return the most probable joint states given evidence."""
        evidence = self._evidence(request)
        with self._lock:
            return payloads.explanation_payload(self._network, evidence)

    def most_informative(self, request: Mapping[str, Any]) -> Payload:
        """Return the variables that are most informative about a target given evidence."""
        target, evidence = self._variable(request, "target"), self._evidence(request)
        with self._lock:
            return payloads.most_informative_payload(self._network, target, evidence)

    def clique(self, request: Mapping[str, Any]) -> Payload:
        """Return the joint states of a clique given evidence."""
        n_cliques = len(self._network.decomposition.bags)
        clique, evidence = _number(request, "clique", n_cliques), self._evidence(request)
        with self._lock:
            return payloads.clique_payload(self._network, clique, evidence)

    def row(self, request: Mapping[str, Any]) -> Payload:
        """Return a row of the table, with its missing cells imputed."""
        if self._codes is None:
            raise BadRequestError("There is no table. Start the explorer with --table.")
        number = _number(request, "row", len(self._codes))
        with self._lock:
            row = payloads.row_payload(self._network, self._codes, number)
        return {**row, "next_incomplete": self._next_incomplete(number)}

    def _variable(self, request: Mapping[str, Any], key: str) -> int:
        return _number(request, key, len(self._network.variables))

    def _evidence(self, request: Mapping[str, Any]) -> Evidence:
        pairs = request.get("evidence", [])
        if not isinstance(pairs, list) or not all(self._is_observation(pair) for pair in pairs):
            raise BadRequestError("evidence must be a list of pairs: a variable and its state.")
        if len({variable for variable, _ in pairs}) < len(pairs):
            raise BadRequestError("evidence must name a variable once.")
        return payloads.labelled(self._network, [(variable, state) for variable, state in pairs])

    def _is_observation(self, pair: object) -> bool:
        if not isinstance(pair, list) or len(pair) != 2 or not all(is_integer(n) for n in pair):
            return False
        variable, state = (int(number) for number in pair)
        names = self._network.variables
        return 0 <= variable < len(names) and 0 <= state < len(
            self._network.states(names[variable])
        )


def _number(request: Mapping[str, Any], key: str, n_numbers: int) -> int:
    number = request.get(key)
    if not is_integer(number) or not 0 <= number < n_numbers:
        raise BadRequestError(f"{key} must be a number from 0 to {n_numbers - 1}.")
    return number
