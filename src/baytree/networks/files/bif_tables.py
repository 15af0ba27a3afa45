"""The rows of one probability block of a BIF file."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from baytree.messages.quoting import shortened
from baytree.messages.suggestions import among
from baytree.networks.files.network_draft import NetworkDraft
from baytree.networks.files.number_lists import NotANumberError, append_numbers

STATEMENT = re.compile(r'\s*+((?:"[^"\n]*+"|[^";{}]++)*+);')
_KEYWORD = re.compile(r"table\b|default\b|property\b")
_QUOTED_OR_WORD = re.compile(r'"([^"\n]*+)"|([^\s,"]++)')


def items(text: str) -> list[str]:
    """Return the words of a list; where there are commas, words may have spaces."""
    if '"' in text:
        return [f[1] if f[2] is None else f[2] for f in _QUOTED_OR_WORD.finditer(text)]
    if "," in text:
        return [word for word in map(str.strip, text.split(",")) if word]
    return text.split()


class TableRows:
    """Rows as they come, in any order; `finish` puts them into a table."""

    def __init__(self, draft: NetworkDraft[int], child: int, place: int) -> None:
        self._draft = draft
        self._source = draft.source
        self._child = child
        self._arity = len(draft.states[child])
        self._place = place
        self._parents = draft.parents[child] or ()
        self._offsets: list[dict[str, int]] = []  # by parent: what a state adds to the row's number
        stride = 1
        for parent in reversed(self._parents):
            states = draft.states[parent]
            self._offsets.insert(0, {s: code * stride for code, s in enumerate(states)})
            stride *= len(states)
        self._n_rows = stride
        self._rows: dict[int, int] = {}  # number of the row, to its place in the file
        self._numbers = array("d")
        self._default: array[float] | None = None
        self._table: tuple[array[float], int] | None = None

    def add(self, statement: str, place: int) -> None:
        """Take in one statement, without its semicolon."""
        if statement.startswith("("):
            self._add_row(statement, place)
            return
        keyword = _KEYWORD.match(statement)
        if keyword is None:
            self._source.refuse(
                place, f"expected a row, table, default or property; got {shortened(statement)}"
            )
        numbers = array("d")
        if keyword[0] == "property":
            return
        self._append(numbers, statement, keyword.end(), place)
        if keyword[0] == "table":
            if self._table is not None:
                self._source.refuse(place, "table comes twice")
            self._table = (numbers, place)
            return
        self._check_length(len(numbers), place)
        self._default = numbers

    def _add_row(self, statement: str, place: int) -> None:
        end = statement.rfind(")")
        words = items(statement[1 : max(end, 1)])
        if len(self._offsets) == 1 and len(words) > 1:
            words = [statement[1:end].strip()]  # one state with spaces
        if end < 0 or len(words) != len(self._offsets):
            self._source.refuse(
                place,
                f"a row of {self._draft.name(self._child)!r} must name a state of each of its "
                f"{len(self._offsets)} parents in brackets; got {shortened(statement)}",
            )
        try:
            row = sum([codes[word] for codes, word in zip(self._offsets, words, strict=True)])
        except KeyError:
            self._refuse_state(words, place)
        if row in self._rows:
            self._source.refuse(place, f"the row ({', '.join(words)}) comes twice")
        self._rows[row] = place
        before = len(self._numbers)
        self._append(self._numbers, statement, end + 1, place)
        self._check_length(len(self._numbers) - before, place)

    def _refuse_state(self, words: Sequence[str], place: int) -> NoReturn:
        """Name the first state that its parent does not have."""
        parent, word = next(
            (parent, word)
            for parent, codes, word in zip(self._parents, self._offsets, words, strict=True)
            if word not in codes
        )
        problem = (
            f"parent {shortened(self._draft.name(parent))} of "
            f"{shortened(self._draft.name(self._child))} has no state {shortened(word)} "
        )
        known = among(word, self._draft.states[parent])
        self._source.refuse(place, (problem + known).removesuffix("."))

    def _append(self, numbers: array[float], statement: str, start: int, place: int) -> None:
        try:
            append_numbers(numbers, statement[start:])
        except NotANumberError as error:
            problem = f"{shortened(error.word)} is not a number"
            self._source.refuse(place + start + error.place, problem)

    def _check_length(self, n_numbers: int, place: int) -> None:
        if n_numbers != self._arity:
            name = self._draft.name(self._child)
            problem = f"{n_numbers:,} numbers for the {self._arity:,} states of {name!r}"
            self._source.refuse(place, problem)

    def finish(self) -> None:
        """Give the draft the whole table."""
        if self._table is not None:
            numbers, place = self._table
            if self._rows or self._default is not None:
                self._source.refuse(place, "a block has either table or rows")
            self._draft.set_numbers(self._child, numbers, place, child_slowest=True)
            return
        if self._default is None:
            self._check_complete()
        elif len(self._rows) < self._n_rows:
            self._draft.check_short(self._child, self._place)
        cpt = np.empty((self._n_rows, self._arity))
        if self._default is not None:
            cpt[:] = self._default
        given = np.fromiter(self._rows, dtype=np.int64, count=len(self._rows))
        cpt[given] = np.frombuffer(self._numbers, dtype=np.float64).reshape(-1, self._arity)
        self._draft.set_table(self._child, cpt, self._place, self._rows)

    def _check_complete(self) -> None:
        """Refuse before anything is made for rows that are not there."""
        if len(self._rows) < self._n_rows:
            row = next(row for row in range(len(self._rows) + 1) if row not in self._rows)
            self._source.refuse(
                self._place,
                f"no probabilities of {self._draft.name(self._child)!r}"
                f"{self._draft.given(self._child, row)}",
            )
