"""BIF, the text format of JavaBayes, bnlearn, pgmpy, pyAgrum and the network repositories."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NoReturn

from baytree.messages.quoting import shortened
from baytree.networks.cpts import Cpt
from baytree.networks.files.bif_tables import STATEMENT, TableRows, items
from baytree.networks.files.file_labels import NOTE_MARK, WordRule, written_labels
from baytree.networks.files.network_draft import NetworkDraft
from baytree.networks.files.network_parts import NetworkParts
from baytree.networks.files.network_source import TextSource

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
# The grammar has no words that start with digits, but files of bnlearn do, and other programs read
# them; not so with an e behind the digits, which makes a number of them.
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

# Possessive, so that no text makes them look twice.
_COMMENT = re.compile(r'"[^"\n]*+"|(?<!:)//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(\*/)?')
_KEYWORD = re.compile(r"\s*+([A-Za-z]++)")
_OPENING = re.compile(r'((?:"[^"\n]*+"|[^"{};])*+)\{')
_HEAD = re.compile(r'\s*+\(((?:"[^"\n]*+"|[^"{};])*?)\)\s*+\{')
_TYPE = re.compile(
    r"\s*+type\s++(\w++)\s*+(?:\[\s*+([0-9]{1,9}+)\s*+\])?+"
    r'\s*+\{((?:"[^"\n]*+"|[^";{}])*+)\}\s*+;?'
)
_PROPERTY = re.compile(r'\s*+property\b(?:"[^"\n]*+"|[^;])*+;')
_CLOSING = re.compile(r"\s*+\}")
_SPACE = re.compile(r"\s*+")


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None and text.lower() not in _KEYWORDS


def read_bif(source: TextSource) -> NetworkParts:
    """Return the network of a file; states are text unless a note says otherwise."""
    return _Reader(source).parts()


class _Reader:
    """One file; `place` is where the next piece begins."""

    def __init__(self, source: TextSource) -> None:
        self.source = source
        self.draft = NetworkDraft[int](source)
        self.notes: dict[int, str] = {}
        self.text = source.text
        if "//" in self.text or "/*" in self.text:
            self.text = _COMMENT.sub(self.blank, self.text)
        self.note_places = iter([*self.notes, len(self.text)])
        self.next_note = next(self.note_places)
        self.place = 0

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
            self.refuse(rest, f"expected a block; got {shortened(self.text[rest : rest + 20])}")
        if not self.draft.positions:
            self.refuse(rest, "no variable. Is this a BIF file?")
        for start, place in tables:  # variables may come behind their tables
            self.place = place
            self.probability(start)
        return self.draft.parts()

    def network(self) -> None:
        opening = _OPENING.match(self.text, self.place)
        if opening is None:
            self.refuse(self.place, "expected the name of the network and {")
        self.place = opening.end()
        while (skipped := _PROPERTY.match(self.text, self.place)) is not None:
            self.place = skipped.end()
        self.close("property or }")

    def variable(self) -> None:
        opening = _OPENING.match(self.text, self.place)
        if opening is None:
            self.refuse(self.place, "expected the name of a variable and {")
        start = self.skip_space(self.place)
        name = " ".join(items(opening[1]))
        if not name:
            self.refuse(self.place, "expected the name of a variable")
        self.place = opening.end()
        states: list[str] | None = None
        while _CLOSING.match(self.text, self.place) is None:
            if (skipped := _PROPERTY.match(self.text, self.place)) is not None:
                self.place = skipped.end()
            elif states is None:
                states = self.type()
            else:
                break
        self.close("property or }")
        position = self.draft.add_variable(name, states or [], start)
        self.take_note(position, start)

    def take_note(self, position: int, start: int) -> None:
        """Give a variable the note that stands in its block."""
        while self.next_note < self.place:
            if self.next_note > start:
                self.draft.add_note(position, self.notes[self.next_note], self.next_note)
            self.next_note = next(self.note_places)

    def type(self) -> list[str]:
        found = _TYPE.match(self.text, self.place)
        if found is None:
            problem = "expected type discrete [ number ] { states };"
            self.refuse(self.skip_space(self.place), problem)
        if found[1] != "discrete":
            self.refuse(found.start(1), f"variables must be discrete; got {shortened(found[1])}")
        states = items(found[3])
        if found[2] is not None and int(found[2]) != len(states):
            self.refuse(found.start(2), f"{found[2]} states are declared, {len(states):,} listed")
        self.place = found.end()
        return states

    def skip_block(self) -> None:
        """Go to the end of a table, which is read when all variables are known."""
        head = _HEAD.match(self.text, self.place)
        if head is None:
            self.refuse(self.place, "expected ( variable | parents ) {")
        self.place = head.end()
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
        head = _HEAD.match(self.text, self.place)
        assert head is not None  # skip_block has seen it
        self.place = head.end()
        child_text, bar, parent_text = head[1].partition("|")
        children = self.names(child_text)
        names = [*children, *self.names(parent_text)]
        if not names or (bar and len(children) != 1):
            self.refuse(head.start(1), "expected one variable, and its parents behind |")
        child, *parents = (
            self.draft.position(name, self.text.find(name, head.start(1))) for name in names
        )
        self.draft.set_parents(child, parents, start)
        rows = TableRows(self.draft, child, start)
        while (statement := STATEMENT.match(self.text, self.place)) is not None:
            rows.add(statement[1], statement.start(1))
            self.place = statement.end()
        rows.finish()
        self.close("a row, or }")

    def names(self, text: str) -> list[str]:
        """Return the names of a list, which may be one name with spaces."""
        name = text.strip()
        return [name] if name in self.draft.positions else items(text)

    def close(self, expected: str) -> None:
        closing = _CLOSING.match(self.text, self.place)
        if closing is None:
            place = self.skip_space(self.place)
            came = shortened(self.text[place : place + 20]) if self.text[place:] else "the end"
            self.refuse(place, f"expected {expected}; got {came}")
        self.place = closing.end()

    def skip_space(self, place: int) -> int:
        """Return the place of the next character that is no space, or the end."""
        space = _SPACE.match(self.text, place)
        return place if space is None else space.end()

    def refuse(self, place: int, problem: str) -> NoReturn:
        self.source.refuse(place, problem)


def write_bif(parts: NetworkParts) -> Iterator[str]:
    """Yield the text of a network that has probabilities."""
    labels = written_labels(parts, RULE)
    yield "network unknown {\n}\n"
    for name, states, note in zip(labels.names, labels.states, labels.notes, strict=True):
        comment = "" if note is None else f"  // {NOTE_MARK}{note}\n"
        yield f"variable {name} {{\n{comment}"
        yield f"  type discrete [ {len(states)} ] {{ {', '.join(states)} }};\n}}\n"
    for child, parents in enumerate(parts.parent_positions()):
        cpt = (parts.cpts or ())[child]
        name = labels.names[child]
        if not parents:
            yield f"probability ( {name} ) {{\n  table {_spelled(cpt[0])};\n}}\n"
            continue
        yield f"probability ( {name} | {', '.join(labels.names[p] for p in parents)} ) {{\n"
        given = itertools.product(*(labels.states[parent] for parent in parents))
        for states_of_parents, row in zip(given, cpt, strict=True):
            yield f"  ({', '.join(states_of_parents)}) {_spelled(row)};\n"
        yield "}\n"


def _spelled(row: Cpt) -> str:
    return ", ".join(map(repr, row.tolist()))
