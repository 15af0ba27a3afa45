"""What was typed on the command line, as the variables and states of a network."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

from baytree.exceptions import UnknownStateError, UnknownVariableError

if TYPE_CHECKING:
    from baytree import BayesianNetwork

_MOST_SHOWN = 10


class TypedLabels:
    """Finds variables and states by their text: 1 on the command line is the state 1 or "1"."""

    def __init__(self, network: BayesianNetwork) -> None:
        self._network = network
        self._variables = _by_text(network.variables)

    def variable(self, text: str) -> Hashable:
        """Return the variable of this name."""
        if text not in self._variables:
            raise UnknownVariableError(
                f"There is no variable {text!r} (known: {_listed(self._variables)})."
            )
        return _only(self._variables[text], f"Variables {text!r}")

    def state(self, variable: Hashable, text: str) -> Hashable:
        """Return the state of a variable with this label."""
        states = _by_text(self._network.states(variable))
        if text not in states:
            raise UnknownStateError(
                f"Variable {str(variable)!r} has no state {text!r} (known: {_listed(states)})."
            )
        return _only(states[text], f"States {text!r} of variable {str(variable)!r}")

    def evidence(
        self, observed: Iterable[str], likelihoods: Iterable[str]
    ) -> dict[Hashable, object]:
        """Return what NAME=STATE and NAME=STATE:NUMBER,... say, as queries take it."""
        evidence: dict[Hashable, object] = {}
        for word in observed:
            variable, text = self._split(word, "--evidence")
            _check_new(variable, evidence)
            evidence[variable] = self.state(variable, text)
        for word in likelihoods:
            variable, text = self._split(word, "--likelihood")
            _check_new(variable, evidence)
            evidence[variable] = self._likelihood(variable, text)
        return evidence

    def _split(self, word: str, option: str) -> tuple[Hashable, str]:
        """Return the variable and the rest; either may hold an equals sign itself."""
        places = [place for place, letter in enumerate(word) if letter == "="]
        if not places:
            raise ValueError(f"{option} must be VARIABLE=STATE; got {word!r}.")
        known = [place for place in places if word[:place] in self._variables]
        fitting = [place for place in known if self._has_state(word[:place], word[place + 1 :])]
        place = (fitting or known[-1:] or places)[0]
        return self.variable(word[:place]), word[place + 1 :]

    def _has_state(self, variable: str, text: str) -> bool:
        return text in _by_text(self._network.states(self.variable(variable)))

    def _likelihood(self, variable: Hashable, text: str) -> dict[Hashable, float]:
        likelihood = {}
        for part in next(csv.reader([text], skipinitialspace=True), []):
            label, colon, number = part.rpartition(":")
            if not colon:
                raise ValueError(
                    f"--likelihood must be VARIABLE=STATE:NUMBER,STATE:NUMBER; got {part!r} for "
                    f"{str(variable)!r}."
                )
            likelihood[self.state(variable, label)] = _number(number, part)
        return likelihood


def _number(text: str, part: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--likelihood needs a number behind the colon; got {part!r}.") from None


def _check_new(variable: Hashable, evidence: dict[Hashable, object]) -> None:
    if variable in evidence:
        raise ValueError(f"Variable {str(variable)!r} is observed twice. Give it once.")


def _by_text(labels: Iterable[Hashable]) -> dict[str, list[Hashable]]:
    by_text: dict[str, list[Hashable]] = {}
    for label in labels:
        by_text.setdefault(str(label), []).append(label)
    return by_text


def _only(labels: Sequence[Hashable], what: str) -> Hashable:
    if len(labels) > 1:
        kinds = ", ".join(type(label).__name__ for label in labels)
        raise ValueError(f"{what} are several ({kinds}), and text cannot tell them apart.")
    return labels[0]


def _listed(texts: Iterable[str]) -> str:
    known = [repr(text) for text in texts]
    more = f" and {len(known) - _MOST_SHOWN:,} more" if len(known) > _MOST_SHOWN else ""
    return ", ".join(known[:_MOST_SHOWN]) + more
