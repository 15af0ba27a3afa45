"""The network or mixture of a command; variables and states typed on the command line."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import baytree as bt
from baytree.cli.startup import LeavingAtCtrlC
from baytree.exceptions import UnknownStateError
from baytree.messages.labels import label_texts
from baytree.messages.suggestions import among, unknown_variable

if TYPE_CHECKING:
    from baytree import BayesianNetwork, NetworkMixture

Model: TypeAlias = "BayesianNetwork | NetworkMixture"


def read_network(path: str) -> BayesianNetwork:
    """Return the network in a file."""
    with LeavingAtCtrlC():
        network_class = bt.BayesianNetwork  # loads pandas and more
    return network_class.read(path)


def read_model(path: str) -> Model:
    """Return the network or mixture in a file."""
    with LeavingAtCtrlC():
        read = bt.read_model
    return read(path)


def read_model_with_probabilities(path: str) -> Model:
    """Return the network or mixture in a file; refuse a structure alone."""
    network = read_model(path)
    if not isinstance(network, bt.NetworkMixture) and not network.has_probabilities:
        raise ValueError(
            f"{path}: the network has no probabilities. Write one that has them with baytree "
            "learn, or with baytree search --table."
        )
    return network


def read_initial_network(path: Path | None) -> BayesianNetwork | None:
    """Return the network that a search starts from, if there is one."""
    return None if path is None else bt.BayesianNetwork.read(path)


class TypedLabels:
    """Finds variables and states by their text: 1 on the command line is the state 1 or "1"."""

    def __init__(self, network: Model) -> None:
        self._network = network
        self._variables = _by_text(network.variables)
        self._binned = set(network.binned_variables)

    def variable(self, text: str) -> Hashable:
        """Return the variable of this name."""
        if text not in self._variables:
            raise unknown_variable(text, [*self._variables])
        return _only(self._variables[text], f"Variables {text!r}")

    def state(self, variable: Hashable, text: str) -> Hashable:
        """Return the state of a variable with this label, or a number for one with bins."""
        states = self._states(variable)
        if text not in states:
            if variable in self._binned and (number := _finite_number(text)) is not None:
                return number
            hint = " Give a finite number, or the label of a bin." * (variable in self._binned)
            raise UnknownStateError(
                f"Variable {str(variable)!r} has no state {text!r} "
                f"{among(text, [*map(str, self._network.states(variable))])}{hint}"
            )
        return _only(states[text], f"States {text!r} of variable {str(variable)!r}")

    def _states(self, variable: Hashable) -> dict[str, list[Hashable]]:
        """Return states by their texts; `str` of a state comes before other ways to write it.

        The truth value `True` is written true in JSON and in files of networks.
        """
        states = self._network.states(variable)
        by_text = _by_text(states)
        for state in states:
            for text in label_texts(state):
                by_text.setdefault(text, [state])
        return by_text

    def evidence(
        self, observed: Iterable[str], likelihoods: Iterable[str]
    ) -> dict[Hashable, object]:
        """Return evidence from words like NAME=STATE and NAME=STATE:NUMBER,..., for queries."""
        evidence: dict[Hashable, object] = {}
        for word in observed:
            variable, text = self._split(word)
            _check_new(variable, evidence)
            evidence[variable] = self.state(variable, text)
        for word in likelihoods:
            variable, text = self._split(word)
            _check_new(variable, evidence)
            evidence[variable] = self._likelihood(variable, text)
        return evidence

    def _split(self, word: str) -> tuple[Hashable, str]:
        """Return the variable and the rest, both of which may hold equals signs."""
        places = [place for place, letter in enumerate(word) if letter == "="]
        known = [place for place in places if word[:place] in self._variables]
        fitting = [place for place in known if self._has_state(word[:place], word[place + 1 :])]
        place = (fitting or known[-1:] or places)[0]
        return self.variable(word[:place]), word[place + 1 :]

    def _has_state(self, variable: str, text: str) -> bool:
        name = self.variable(variable)
        is_number = name in self._binned and _finite_number(text) is not None
        return is_number or text in self._states(name)

    def _likelihood(self, variable: Hashable, text: str) -> dict[Hashable, float]:
        likelihood: dict[Hashable, float] = {}
        for part in _parts(text, self._states(variable)):
            label, colon, number = part.rpartition(":")
            if not colon:
                raise ValueError(
                    f"--likelihood must be NAME=STATE:X,STATE:X; got {part!r} for "
                    f"{str(variable)!r}."
                )
            state = self.state(variable, label)
            if state in likelihood:
                raise ValueError(
                    f"--likelihood gives state {label!r} of variable {str(variable)!r} twice. Give "
                    "it once."
                )
            likelihood[state] = _number(number, part)
        return likelihood


def _parts(text: str, labels: Iterable[str]) -> list[str]:
    """Return the parts between commas, where labels may hold commas.

    Text that does not begin with a label is read as a row of CSV: labels in double quotes.
    """
    longest_first = sorted(labels, key=len, reverse=True)
    part = re.compile(rf"\s*((?:{'|'.join(map(re.escape, longest_first))}):[^,]*)(?:,|$)")
    parts, place = [], 0
    while place < len(text) and (found := part.match(text, place)):
        parts.append(found[1])
        place = found.end()
    return parts if place == len(text) else next(csv.reader([text], skipinitialspace=True), [])


def _number(text: str, part: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--likelihood needs a number after the colon; got {part!r}.") from None


def _check_new(variable: Hashable, evidence: dict[Hashable, object]) -> None:
    if variable in evidence:
        raise ValueError(f"Variable {str(variable)!r} is observed twice. Give it once.")


def _finite_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _by_text(labels: Iterable[Hashable]) -> dict[str, list[Hashable]]:
    by_text: dict[str, list[Hashable]] = {}
    for label in labels:
        by_text.setdefault(str(label), []).append(label)
    return by_text


def _only(labels: Sequence[Hashable], what: str) -> Hashable:
    if len(labels) > 1:
        kinds = ", ".join(type(label).__name__ for label in labels)
        raise ValueError(
            f"{what} are several ({kinds}), which text cannot distinguish. Use Python."
        )
    return labels[0]
