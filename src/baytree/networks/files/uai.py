"""UAI, the format of the inference competitions: numbers alone, with names in comments."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator

import numpy as np

from baytree.messages.quoting import shortened
from baytree.networks.files.file_contents import TextSource
from baytree.networks.files.file_labels import NOTE_MARK, to_json_labels
from baytree.networks.files.network_draft import MAX_STATES, NetworkDraft, NetworkParts

_COMMENT = re.compile(r"#[^\n]*+")
_NOTE = re.compile(rf"#\s*+{NOTE_MARK}([0-9]{{1,9}}) ([^\n]*+)")
_TOKEN = re.compile(r"\S++")
_COUNT = re.compile(r"[0-9]{1,18}")


def read_uai(source: TextSource) -> NetworkParts:
    """Return the network of a file; without notes, variables are x0, x1 and states 0, 1."""
    return _Reader(source).parts()


class _Reader:
    """One file; `tokens` are the remaining ones."""

    def __init__(self, source: TextSource) -> None:
        self.source = source
        self.draft = NetworkDraft[int](source)
        self.text = _COMMENT.sub(lambda comment: " " * len(comment[0]), source.text)
        self.tokens = _TOKEN.finditer(self.text)

    def parts(self) -> NetworkParts:
        kind = self.token("BAYES")
        if kind[0].upper() != "BAYES":
            problem = (
                f"expected BAYES; got {shortened(kind[0])}. Other kinds of models are not read"
            )
            self.source.refuse(kind.start(), problem)
        n_variables, place = self.count("the number of variables")
        if not n_variables:
            self.source.refuse(place, "no variable")
        for position in range(n_variables):
            self.variable(position)
        n_tables, place = self.count("the number of tables")
        if n_tables != n_variables:
            self.source.refuse(place, f"{n_tables:,} tables for {n_variables:,} variables")
        children = [self.scope(n_variables) for _ in range(n_variables)]
        for child in children:
            self.table(child)
        rest = next(self.tokens, None)
        if rest is not None:
            self.source.refuse(rest.start(), f"expected the end; got {shortened(rest[0])}")
        for note in _NOTE.finditer(self.source.text):
            if int(note[1]) < n_variables:
                self.draft.add_note(int(note[1]), note[2], note.start(), has_words=False)
        return self.draft.parts()

    def variable(self, position: int) -> None:
        arity, place = self.count(f"the number of states of variable {position}")
        if arity > MAX_STATES:
            problem = f"variable {position} has {arity:,} states; the limit is {MAX_STATES:,}"
            self.source.refuse(place, problem)
        words = [str(code) for code in range(arity)]
        self.draft.add_variable(f"x{position}", words, place)
        self.draft.set_labels(position, f"x{position}", range(arity))

    def scope(self, n_variables: int) -> int:
        n_members, place = self.count("the number of variables of a table")
        members = []
        for _ in range(n_members):
            member, place = self.count("a variable of a table")
            if member >= n_variables:
                self.source.refuse(place, f"variable {member} of {n_variables:,}, counted from 0")
            members.append(member)
        if not members:
            self.source.refuse(place, "a table of no variable")
        self.draft.set_parents(members[-1], members[:-1], place)
        return members[-1]

    def table(self, child: int) -> None:
        n_numbers, place = self.count("the number of numbers of a table")
        needed = self.draft.n_rows(child) * len(self.draft.states[child])
        if n_numbers != needed:
            problem = f"{n_numbers:,} numbers for the table of variable {child}; its states need "
            need = f"{needed:,}" if needed < 10**18 else "far more"
            self.source.refuse(place, problem + need)
        numbers = array("d")
        for _ in range(n_numbers):
            token = self.token("a probability")
            try:
                numbers.append(float(token[0]))
            except ValueError:
                problem = f"{shortened(token[0])} is not a number"
                self.source.refuse(token.start(), problem)
        self.draft.set_numbers(child, numbers, place)

    def count(self, expected: str) -> tuple[int, int]:
        token = self.token(expected)
        if not _COUNT.fullmatch(token[0]):
            problem = f"expected {expected}; got {shortened(token[0])}"
            self.source.refuse(token.start(), problem)
        return int(token[0]), token.start()

    def token(self, expected: str) -> re.Match[str]:
        token = next(self.tokens, None)
        if token is None:
            self.source.refuse(len(self.text), f"expected {expected}; got the end")
        return token


def write_uai(parts: NetworkParts) -> Iterator[str]:
    """Yield the text of a network that has probabilities, with a note for every variable."""
    states = parts.states or ()
    parents = parts.parent_positions()
    names = to_json_labels(parts.variables, "variables")
    yield f"BAYES\n{len(names)}\n{' '.join(str(len(labels)) for labels in states)}\n{len(names)}\n"
    for child, members in enumerate(parents):
        yield f"{' '.join(map(str, [len(members) + 1, *members, child]))}\n"
    for cpt in parts.cpts or ():
        yield f"\n{cpt.size}\n"
        for row in cpt:
            yield f"{' '.join(map(_spelled, row.tolist()))}\n"
    yield "\n"
    for position, (name, labels) in enumerate(zip(names, states, strict=True)):
        note = json.dumps([name, to_json_labels(labels, f"states of {name!r}")])
        yield f"# {NOTE_MARK}{position} {note}\n"


def _spelled(number: float) -> str:
    """Return a number to the last bit, without an exponent: some readers know none."""
    text = repr(number)
    return np.format_float_positional(number, trim="0") if "e" in text else text
