"""BIF, the text format of JavaBayes, bnlearn, pgmpy, pyAgrum and the network repositories."""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import NoReturn

import numpy as np

from baytree.messages.quoting import shortened
from baytree.messages.suggestions import among
from baytree.networks.cpts import Cpt
from baytree.networks.files.file_contents import (
    BlockReader,
    NotANumberError,
    TextSource,
    append_numbers,
)
from baytree.networks.files.file_labels import NOTE_MARK, WordRule, written_labels
from baytree.networks.files.network_draft import NetworkDraft, NetworkParts

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
# No words of the grammar start with digits, but files of bnlearn have such words, and other
# programs read them. Digits before an e are taken for a number.
_DIGITS_FIRST = re.compile(r"-?[0-9]+|[0-9]+[A-DF-Za-df-z_][A-Za-z0-9_.-]*")
_KEYWORDS = {
    "network", "variable", "probability", "property", "type", "discrete", "continuous", "float",
    "table", "default",
}  # fmt: skip
RULE = WordRule(
    "BIF",
    is_name=lambda text: _is_word(text),
    is_state=lambda text: _is_word(text) or _DIGITS_FIRST.fullmatch(text),
)

# Possessive quantifiers: no text causes backtracking.
_COMMENT = re.compile(r'"[^"\n]*+"|(?<!:)//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(\*/)?')
_KEYWORD = re.compile(r"\s*+([A-Za-z]++)")
_OPENING = re.compile(r'((?:"[^"\n]*+"|[^"{};])*+)\{')
_HEAD = re.compile(r'\s*+\(((?:"[^"\n]*+"|[^"{};])*?)\)\s*+\{')
_TYPE = re.compile(
    r"\s*+type\s++(\w++)\s*+(?:\[\s*+([0-9]{1,9}+)\s*+\])?+"
    r'\s*+\{((?:"[^"\n]*+"|[^";{}])*+)\}\s*+;?'
)
_PROPERTY = re.compile(r'\s*+property\b(?:"[^"\n]*+"|[^;])*+;')
_BLOCK_END = re.compile(r"\s*+\}")
_STATEMENT = re.compile(r'\s*+((?:"[^"\n]*+"|[^";{}]++)*+);')
_ROW_KEYWORD = re.compile(r"table\b|default\b|property\b")
_QUOTED_OR_WORD = re.compile(r'"([^"\n]*+)"|([^\s,"]++)')


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None and text.lower() not in _KEYWORDS


def _list_items(text: str) -> list[str]:
    """Return the words of a list; words separated by commas may contain spaces."""
    if '"' in text:
        return [f[1] if f[2] is None else f[2] for f in _QUOTED_OR_WORD.finditer(text)]
    if "," in text:
        return [word for word in map(str.strip, text.split(",")) if word]
    return text.split()


def read_bif(source: TextSource) -> NetworkParts:
    """Return the network of a file; states are text unless a note says otherwise."""
    return _Reader(source).parts()


class _Reader(BlockReader):
    """One file, with spaces in place of its comments."""

    def __init__(self, source: TextSource) -> None:
        super().__init__(source, source.text)
        self.draft = NetworkDraft[int](source)
        self.notes: dict[int, str] = {}
        if "//" in self.text or "/*" in self.text:
            self.text = _COMMENT.sub(self.blank, self.text)
        self.note_places = iter([*self.notes, len(self.text)])
        self.next_note = next(self.note_places)

    def blank(self, comment: re.Match[str]) -> str:
        """Return spaces for a comment, so that places stay; keep the notes about labels."""
        text = comment[0]
        if text.startswith('"'):
            return text
        if text.startswith("/*") and not comment[1]:
            self.source.refuse(comment.start(), "a comment that does not end")
        if NOTE_MARK in text and text[2:].lstrip().startswith(NOTE_MARK):
            self.notes[comment.start()] = text[2:].strip().removeprefix(NOTE_MARK)
        return re.sub(r"[^\n]", " ", text) if "\n" in text else " " * len(text)

    def parts(self) -> NetworkParts:
        tables: list[tuple[int, int]] = []
        while (keyword := _KEYWORD.match(self.text, self.place)) is not None:
            self.place = keyword.end()
            match keyword[1]:
                case "network":
                    self.network()
                case "variable":
                    self.variable()
                case "probability":
                    tables.append((keyword.start(1), self.place))
                    self.skip_block()
                case _:
                    self.refuse(
                        keyword.start(1),
                        f"expected network, variable or probability; got {shortened(keyword[1])}",
                    )
        rest = self.skip_space(self.place)
        if rest < len(self.text):
            self.expect("a block")
        if not self.draft.positions:
            self.refuse(rest, "no variable. Is this a BIF file?")
        for start, place in tables:  # variables may come after their tables
            self.place = place
            self.probability(start)
        return self.draft.parts()

    def network(self) -> None:
        self.match(_OPENING, "the name of the network and {")
        self.skip_properties()
        self.close("property or }")

    def skip_properties(self) -> None:
        while (skipped := _PROPERTY.match(self.text, self.place)) is not None:
            self.place = skipped.end()

    def variable(self) -> None:
        start = self.skip_space(self.place)
        opening = self.match(_OPENING, "the name of a variable and {")
        name = " ".join(_list_items(opening[1]))
        if not name:
            self.refuse(opening.start(), "expected the name of a variable")
        self.skip_properties()
        states: list[str] = []
        if _BLOCK_END.match(self.text, self.place) is None:
            states = self.type()
            self.skip_properties()
        self.close("property or }")
        position = self.draft.add_variable(name, states, start)
        self.add_notes(position, start)

    def add_notes(self, position: int, start: int) -> None:
        """Give a variable the note in its block."""
        while self.next_note < self.place:
            if self.next_note > start:
                self.draft.add_note(position, self.notes[self.next_note], self.next_note)
            self.next_note = next(self.note_places)

    def type(self) -> list[str]:
        found = self.match(_TYPE, "type discrete [ number ] { states };")
        if found[1] != "discrete":
            self.refuse(found.start(1), f"variables must be discrete; got {shortened(found[1])}")
        states = _list_items(found[3])
        if found[2] is not None and int(found[2]) != len(states):
            self.refuse(found.start(2), f"{found[2]} states are declared, {len(states):,} listed")
        return states

    def skip_block(self) -> None:
        """Go to the end of a table, which is read once all variables are known."""
        self.match(_HEAD, "( variable | parents ) {")
        while True:
            end = self.text.find("}", self.place)
            quote = self.text.find('"', self.place, end)
            if end < 0:
                self.refuse(self.place, "a block that does not end; } is missing")
            if quote < 0:
                self.place = end + 1
                return
            closing = self.text.find('"', quote + 1)
            self.place = (closing if closing >= 0 else end) + 1

    def probability(self, start: int) -> None:
        head = self.match(_HEAD, "( variable | parents ) {")
        child_text, bar, parent_text = head[1].partition("|")
        children = self.names(child_text)
        names = [*children, *self.names(parent_text)]
        if not names or (bar and len(children) != 1):
            self.refuse(head.start(1), "expected one variable, and its parents after |")
        child, *parents = (
            self.draft.position(name, self.text.find(name, head.start(1))) for name in names
        )
        self.draft.set_parents(child, parents, start)
        rows = _TableRows(self.draft, child, start)
        while (statement := _STATEMENT.match(self.text, self.place)) is not None:
            rows.add(statement[1], statement.start(1))
            self.place = statement.end()
        rows.finish()
        self.close("a row, or }")

    def names(self, text: str) -> list[str]:
        """Return the names of a list, which may be one name with spaces."""
        name = text.strip()
        return [name] if name in self.draft.positions else _list_items(text)


class _TableRows:
    """Rows of one probability block, in any order; `finish` makes a table of them."""

    def __init__(self, draft: NetworkDraft[int], child: int, place: int) -> None:
        self.draft = draft
        self.source = draft.source
        self.child = child
        self.arity = len(draft.states[child])
        self.place = place
        self.parents = draft.parents[child] or ()
        self.offsets: list[dict[str, int]] = []  # of each parent's states in the number of a row
        stride = 1
        for parent in reversed(self.parents):
            states = draft.states[parent]
            self.offsets.insert(0, {s: code * stride for code, s in enumerate(states)})
            stride *= len(states)
        self.n_rows = stride
        self.rows: dict[int, int] = {}  # places in the file, by number of the row
        self.numbers = array("d")
        self.default: array[float] | None = None
        self.table: tuple[array[float], int] | None = None

    def add(self, statement: str, place: int) -> None:
        """Add one statement, without its semicolon."""
        if statement.startswith("("):
            self.add_row(statement, place)
            return
        keyword = _ROW_KEYWORD.match(statement)
        if keyword is None:
            self.source.refuse(
                place, f"expected a row, table, default or property; got {shortened(statement)}"
            )
        numbers = array("d")
        if keyword[0] == "property":
            return
        self.append(numbers, statement, keyword.end(), place)
        if keyword[0] == "table":
            if self.table is not None:
                self.source.refuse(place, "table comes twice")
            self.table = (numbers, place)
            return
        self.check_length(len(numbers), place)
        self.default = numbers

    def add_row(self, statement: str, place: int) -> None:
        end = statement.rfind(")")
        words = _list_items(statement[1 : max(end, 1)])
        if len(self.offsets) == 1 and len(words) > 1:
            words = [statement[1:end].strip()]  # one state with spaces
        if end < 0 or len(words) != len(self.offsets):
            self.source.refuse(
                place,
                f"a row of {self.draft.name(self.child)!r} must name a state of each of its "
                f"{len(self.offsets)} parents in brackets; got {shortened(statement)}",
            )
        try:
            row = sum([codes[word] for codes, word in zip(self.offsets, words, strict=True)])
        except KeyError:
            self.refuse_state(words, place)
        if row in self.rows:
            self.source.refuse(place, f"the row ({', '.join(words)}) comes twice")
        self.rows[row] = place
        before = len(self.numbers)
        self.append(self.numbers, statement, end + 1, place)
        self.check_length(len(self.numbers) - before, place)

    def refuse_state(self, words: Sequence[str], place: int) -> NoReturn:
        """Name the first state that its parent does not have."""
        parent, word = next(
            (parent, word)
            for parent, codes, word in zip(self.parents, self.offsets, words, strict=True)
            if word not in codes
        )
        problem = (
            f"parent {shortened(self.draft.name(parent))} of "
            f"{shortened(self.draft.name(self.child))} has no state {shortened(word)} "
        )
        known = among(word, self.draft.states[parent])
        self.source.refuse(place, (problem + known).removesuffix("."))

    def append(self, numbers: array[float], statement: str, start: int, place: int) -> None:
        try:
            append_numbers(numbers, statement[start:])
        except NotANumberError as error:
            self.source.refuse(place + start + error.place, str(error))

    def check_length(self, n_numbers: int, place: int) -> None:
        if n_numbers != self.arity:
            name = self.draft.name(self.child)
            problem = f"{n_numbers:,} numbers for the {self.arity:,} states of {name!r}"
            self.source.refuse(place, problem)

    def finish(self) -> None:
        """Give the draft the whole table."""
        if self.table is not None:
            numbers, place = self.table
            if self.rows or self.default is not None:
                self.source.refuse(place, "a block has either table or rows")
            self.draft.set_numbers(self.child, numbers, place, child_slowest=True)
            return
        if self.default is None:
            self.check_complete()
        elif len(self.rows) < self.n_rows:
            self.draft.check_short(self.child, self.place)
        cpt = np.empty((self.n_rows, self.arity))
        if self.default is not None:
            cpt[:] = self.default
        given = np.fromiter(self.rows, dtype=np.int64, count=len(self.rows))
        cpt[given] = np.frombuffer(self.numbers, dtype=np.float64).reshape(-1, self.arity)
        self.draft.set_table(self.child, cpt, self.place, self.rows)

    def check_complete(self) -> None:
        """Refuse missing rows before the table takes memory."""
        if len(self.rows) < self.n_rows:
            row = next(row for row in range(len(self.rows) + 1) if row not in self.rows)
            self.source.refuse(
                self.place,
                f"no probabilities of {self.draft.name(self.child)!r}"
                f"{self.draft.given(self.child, row)}",
            )


def write_bif(parts: NetworkParts) -> Iterator[str]:
    """Yield the text of a network that has probabilities."""
    labels = written_labels(parts.variables, parts.states or (), RULE)
    yield "network unknown {\n}\n"
    for name, states, note in zip(labels.names, labels.states, labels.notes, strict=True):
        comment = "" if note is None else f"  // {NOTE_MARK}{note}\n"
        yield f"variable {name} {{\n{comment}"
        yield f"  type discrete [ {len(states)} ] {{ {', '.join(states)} }};\n}}\n"
    for child, parents in enumerate(parts.parent_positions()):
        cpt = (parts.cpts or ())[child]
        name = labels.names[child]
        if not parents:
            yield f"probability ( {name} ) {{\n  table {_row_text(cpt[0])};\n}}\n"
            continue
        yield f"probability ( {name} | {', '.join(labels.names[p] for p in parents)} ) {{\n"
        given = itertools.product(*(labels.states[parent] for parent in parents))
        for states_of_parents, row in zip(given, cpt, strict=True):
            yield f"  ({', '.join(states_of_parents)}) {_row_text(row)};\n"
        yield "}\n"


def _row_text(row: Cpt) -> str:
    return ", ".join(map(repr, row.tolist()))
