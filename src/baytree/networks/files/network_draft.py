"""Networks between a file and its `BayesianNetwork`: parts, and a draft that checks them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Generic, NoReturn, Protocol, TypeVar

import numpy as np

from baytree.messages.quoting import shortened
from baytree.messages.suggestions import among
from baytree.networks.cpts import Cpt, normalise
from baytree.networks.files.file_labels import Label, parsed_note, restored_label
from baytree.tables.bins import Bins

# Of the sum of a row, as files round to a few digits; sums within it are normalised.
TOLERANCE = 1e-2
MAX_STATES = 65_535  # of a variable, as in a table
# Names and states together; each takes some 100 bytes of memory.
MAX_LABELS = 2**20
# Cells of tables that are larger than their text, because one row stands for many.
MAX_SHORT_CELLS = 2**24

P = TypeVar("P", contravariant=True)


@dataclass(frozen=True)
class NetworkParts:
    """Parts of a network, which its constructor checks.

    Each of `cpts` has one row per joint state of the variable's parents, which are in the order of
    the variables with the state of the last one fastest, and one column per state. `bags` and
    `edges` are those of the tree decomposition. `bins` holds the bins of variables whose states are
    intervals of numbers, by position.
    """

    variables: Sequence[Hashable]
    states: Sequence[Sequence[Hashable]] | None
    arcs: Sequence[tuple[Hashable, Hashable]]
    cpts: Sequence[Cpt] | None = None
    bags: Sequence[Sequence[Hashable]] | None = None
    edges: Sequence[tuple[int, int]] = ()
    score: float | None = None
    bins: Mapping[int, Bins] = field(default_factory=dict)

    def parent_positions(self) -> list[list[int]]:
        """Return the positions of each variable's parents, in ascending order."""
        positions = {variable: position for position, variable in enumerate(self.variables)}
        parents: list[list[int]] = [[] for _ in self.variables]
        for parent, child in self.arcs:
            parents[positions[child]].append(positions[parent])
        return [sorted(members) for members in parents]


class Source(Protocol[P]):
    """A file whose errors name the place."""

    def refuse(self, place: P | None, problem: str) -> NoReturn:
        """Raise an error that names the place."""


class NetworkDraft(Generic[P]):
    """Variables and tables in the order of a file, by its words; each step is checked."""

    def __init__(self, source: Source[P]) -> None:
        self.source = source
        self.positions: dict[str, int] = {}
        self._names: list[str] = []
        self.states: list[list[str]] = []
        self.parents: list[Sequence[int] | None] = []
        self.places: list[P] = []
        self._cpts: list[Cpt | None] = []
        self._labels: dict[int, tuple[Label, Sequence[Label]]] = {}
        self._n_labels = 0
        self._n_short_cells = 0

    def add_variable(self, name: str, states: list[str], place: P) -> int:
        """Add a variable, and return its position."""
        position = len(self.positions)
        if name in self.positions:
            self.source.refuse(place, f"variable {name!r} comes twice")
        if not states:
            self.source.refuse(place, f"variable {name!r} has no states")
        if len(states) > MAX_STATES:
            self.source.refuse(place, f"variable {name!r} has more than {MAX_STATES:,} states")
        if len(set(states)) < len(states):
            twice = next(state for state in states if states.count(state) > 1)
            self.source.refuse(place, f"variable {name!r} has state {twice!r} twice")
        self._n_labels += 1 + len(states)
        if self._n_labels > MAX_LABELS:
            self.source.refuse(place, f"more than {MAX_LABELS:,} names and states")
        self.positions[name] = position
        self._names.append(name)
        self.states.append(states)
        self.parents.append(None)
        self._cpts.append(None)
        self.places.append(place)
        return position

    def add_note(self, position: int, note: str, place: P, *, has_words: bool = True) -> None:
        """Add a note about labels; a word that was changed since has no other label."""
        parsed = parsed_note(note, len(self.states[position]))
        if parsed is None:
            self.source.refuse(place, "the note about labels is broken. Remove it")
        name, states = parsed
        if has_words:
            name = restored_label(self._names[position], name)
            states = [*map(restored_label, self.states[position], states)]
        self.set_labels(position, name, states)

    def set_labels(self, position: int, name: Label, states: Sequence[Label]) -> None:
        """Set the labels of a variable, whose words in the file are replaced."""
        self._labels[position] = (name, states)

    def position(self, name: str, place: P) -> int:
        """Return the position of a variable."""
        position = self.positions.get(name)
        if position is None:
            problem = f"there is no variable {shortened(name)} {among(name, self._names)}"
            self.source.refuse(place, problem.removesuffix("."))
        return position

    def set_parents(self, child: int, parents: Sequence[int], place: P) -> None:
        """Set the parents of a variable, in the order of the file."""
        name = self.name(child)
        if self.parents[child] is not None:
            self.source.refuse(place, f"the probabilities of {name!r} come twice")
        if child in parents:
            self.source.refuse(place, f"variable {name!r} is its own parent")
        if len(set(parents)) < len(parents):
            self.source.refuse(place, f"variable {name!r} has a parent twice")
        self.parents[child] = parents

    def name(self, position: int) -> str:
        """Return the word of a variable."""
        return self._names[position]

    def n_rows(self, child: int) -> int:
        """Return the number of joint states of the parents, however large."""
        return math.prod(len(self.states[parent]) for parent in self.parents[child] or ())

    def check_short(self, child: int, place: P) -> None:
        """Refuse tables that are far larger than their text."""
        self._n_short_cells += self.n_rows(child) * len(self.states[child])
        if self._n_short_cells > MAX_SHORT_CELLS:
            self.source.refuse(
                place,
                f"the probabilities of {self.name(child)!r} are too many: tables that do not list "
                f"all their numbers may have {MAX_SHORT_CELLS:,} together",
            )

    def set_numbers(
        self, child: int, numbers: array[float], place: P, *, child_slowest: bool = False
    ) -> None:
        """Set the numbers of a table: parents as in the file, the state of the last one fastest.

        The state of the variable itself changes fastest of all, or slowest of all.
        """
        arity = len(self.states[child])
        n_rows = self.n_rows(child)
        if len(numbers) != n_rows * arity:
            self.source.refuse(
                place,
                f"{len(numbers):,} numbers for the probabilities of {self.name(child)!r}; "
                f"{_digits(n_rows * arity)} are needed",
            )
        cells = np.frombuffer(numbers, dtype=np.float64)
        cells = cells.reshape(arity, n_rows).T if child_slowest else cells.reshape(n_rows, arity)
        self.set_table(child, cells.copy(), place)

    def set_table(
        self, child: int, cpt: Cpt, place: P, row_places: Mapping[int, P] | None = None
    ) -> None:
        """Set a table that has one row per joint state of the parents, ordered as in the file."""
        bad_row = normalise(cpt, TOLERANCE)
        if bad_row is not None:
            self.source.refuse(
                (row_places or {}).get(bad_row, place),
                f"the probabilities of {self.name(child)!r}{self.given(child, bad_row)} must not "
                f"be negative and sum to 1; got {shortened(cpt[bad_row].tolist())}",
            )
        self._cpts[child] = self._reordered(child, cpt)

    def parts(self) -> NetworkParts:
        """Return the network, or refuse it if parts are missing."""
        for child, cpt in enumerate(self._cpts):
            if cpt is None:
                problem = f"variable {self.name(child)!r} has no probabilities"
                self.source.refuse(self.places[child], problem)
        self._check_cycles()
        labels = [self._labels.get(position) for position in range(len(self._names))]
        names = [
            name if given is None else given[0]
            for name, given in zip(self._names, labels, strict=True)
        ]
        self._check_names(names)
        states = [
            words if given is None else given[1]
            for words, given in zip(self.states, labels, strict=True)
        ]
        arcs = [
            (names[parent], names[child])
            for child, parents in enumerate(self.parents)
            for parent in sorted(parents or ())
        ]
        return NetworkParts(names, states, arcs, [cpt for cpt in self._cpts if cpt is not None])

    def _check_names(self, names: Sequence[Label]) -> None:
        """Refuse notes that give the same name to two variables."""
        seen: set[Label] = set()
        for name, place in zip(names, self.places, strict=True):
            if name in seen:
                self.source.refuse(place, f"a note names {shortened(name)} twice. Remove it")
            seen.add(name)

    def _check_cycles(self) -> None:
        """Refuse arcs that form a cycle, with the place of one of its variables."""
        graph = {child: parents or () for child, parents in enumerate(self.parents)}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            cycle: list[int] = error.args[1]
            words = " -> ".join(repr(self.name(variable)) for variable in cycle)
            self.source.refuse(self.places[cycle[0]], f"arcs form a cycle: {words}")

    def _reordered(self, child: int, cpt: Cpt) -> Cpt:
        """Return a table with its parents in the order of the variables."""
        # Parents of one state do not move a cell, and may be more than an array can have axes.
        parents = [parent for parent in self.parents[child] or () if len(self.states[parent]) > 1]
        if parents == sorted(parents):
            return cpt
        shape = [len(self.states[parent]) for parent in parents]
        order = sorted(range(len(parents)), key=parents.__getitem__)
        cells = cpt.reshape(*shape, cpt.shape[1]).transpose(*order, len(parents))
        return np.ascontiguousarray(cells).reshape(cpt.shape)

    def given(self, child: int, row: int) -> str:
        """Return the states of the parents in a row, for an error."""
        parents = self.parents[child] or ()
        labels: list[str] = []
        for parent in reversed(parents):
            row, code = divmod(row, len(self.states[parent]))
            labels.insert(0, f"{self.name(parent)} = {self.states[parent][code]}")
        return f" given {', '.join(labels)}" if labels else ""


def _digits(number: int) -> str:
    """Return the text of a number, which may have thousands of digits."""
    return f"{number:,}" if number < 10**12 else f"about 10^{int(math.log10(number))}"
