"""NET, the text format of Hugin."""

from __future__ import annotations

import re
import urllib.parse
from array import array
from collections.abc import Iterator

from baytree.messages.quoting import shortened
from baytree.networks.cpts import Cpt
from baytree.networks.files.file_contents import (
    BlockReader,
    NotANumberError,
    TextSource,
    append_numbers,
)
from baytree.networks.files.file_labels import WordRule, written_labels
from baytree.networks.files.network_draft import NetworkDraft, NetworkParts

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DIGIT_FIRST = re.compile(r"[0-9][A-Za-z0-9_]*")
_KEYWORDS = {
    "net", "node", "potential", "class", "discrete", "continuous", "decision", "utility", "states",
    "label", "position", "data", "name",
}  # fmt: skip
RULE = WordRule(
    "NET",
    is_name=lambda text: _is_word(text),
    is_state=lambda text: _is_word(text) or _DIGIT_FIRST.fullmatch(text),
)

_NOTE = "baytree"
_SAFE = " ,[]:.-_"

# Possessive quantifiers: no text causes backtracking.
_STRING = r'"(?:[^"\\]|\\.)*+"'
# A string without an end reaches to the end of the text, or each quote in it would be tried.
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|%[^\n]*+', re.DOTALL)
_KEYWORD = re.compile(r"\s*+([A-Za-z_]++)")
_NODE_HEAD = re.compile(r"\s++([^\s{}();=\"]++)\s*+\{")
_POTENTIAL_HEAD = re.compile(r"\s*+\(([^(){};=\"]*+)\)\s*+\{")
_OPENING = re.compile(r"\s*+\{")
_ATTRIBUTE = re.compile(rf'\s*+([A-Za-z_]\w*+)\s*+=\s*+((?:{_STRING}|[^";{{}}]++)*+);', re.DOTALL)
_STATE = re.compile(rf"({_STRING})|([^\s()\",]++)", re.DOTALL)


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None and text.lower() not in _KEYWORDS


def read_net(source: TextSource) -> NetworkParts:
    """Return the network of a file; states are text unless a note says otherwise."""
    return _Reader(source).parts()


class _Reader(BlockReader):
    """One file, with spaces in place of its comments."""

    def __init__(self, source: TextSource) -> None:
        text = _COMMENT.sub(
            lambda found: found[0] if found[0][0] == '"' else " " * len(found[0]), source.text
        )
        super().__init__(source, text)
        self.draft = NetworkDraft[int](source)
        self.tables: list[tuple[re.Match[str], dict[str, re.Match[str]]]] = []

    def parts(self) -> NetworkParts:
        while (keyword := _KEYWORD.match(self.text, self.place)) is not None:
            self.place = keyword.end()
            match keyword[1]:
                case "net":
                    self.match(_OPENING, "{")
                    self.attributes()
                case "discrete":
                    pass  # node comes next
                case "node":
                    self.node()
                case "potential":
                    head = self.match(_POTENTIAL_HEAD, "( variable | parents ) {")
                    self.tables.append((head, self.attributes()))
                case word:
                    self.refuse(
                        keyword.start(1),
                        f"expected net, node or potential; got {shortened(word)}. Other kinds of "
                        "nodes and classes are not read",
                    )
        rest = self.skip_space(self.place)
        if rest < len(self.text):
            self.expect("a block")
        if not self.draft.positions:
            self.refuse(rest, "no node. Is this a NET file?")
        for head, attributes in self.tables:  # nodes may come after their potentials
            self.potential(head, attributes)
        return self.draft.parts()

    def node(self) -> None:
        head = self.match(_NODE_HEAD, "the name of a node and {")
        attributes = self.attributes()
        listed = attributes.get("states")
        words = [] if listed is None else [_unquoted(found) for found in _STATE.finditer(listed[2])]
        position = self.draft.add_variable(head[1], words, head.start(1))
        note = attributes.get(_NOTE)
        if note is not None:
            text = urllib.parse.unquote(note[2].strip().strip('"'))
            self.draft.add_note(position, text, note.start(2))

    def potential(self, head: re.Match[str], attributes: dict[str, re.Match[str]]) -> None:
        child_text, _, parent_text = head[1].partition("|")
        if len(child_text.split()) != 1:
            self.refuse(head.start(1), "expected one variable, and its parents after |")
        words = [*child_text.split(), *parent_text.split()]
        child, *parents = (
            self.draft.position(word, self.text.find(word, head.start(1))) for word in words
        )
        self.draft.set_parents(child, parents, head.start(1))
        data = attributes.get("data")
        if data is None:
            self.refuse(head.start(1), f"the potential of {words[0]!r} has no data")
        numbers = array("d")
        try:
            append_numbers(numbers, data[2].replace("(", " ").replace(")", " "))
        except NotANumberError as error:
            self.refuse(data.start(2) + error.place, str(error))
        self.draft.set_numbers(child, numbers, data.start(2))

    def attributes(self) -> dict[str, re.Match[str]]:
        """Return the attributes of a block by name, and go to its end."""
        found = {}
        while (attribute := _ATTRIBUTE.match(self.text, self.place)) is not None:
            found[attribute[1]] = attribute
            self.place = attribute.end()
        self.close("name = value; or }")
        return found


def _unquoted(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[2]
    return re.sub(r"\\(.)", r"\1", found[1][1:-1], flags=re.DOTALL)


def write_net(parts: NetworkParts) -> Iterator[str]:
    """Yield the text of a network that has probabilities."""
    labels = written_labels(parts.variables, parts.states or (), RULE)
    yield "net {\n}\n"
    for name, states, note in zip(labels.names, labels.states, labels.notes, strict=True):
        yield f"node {name} {{\n  states = ({_quoted(states)});\n"
        if note is not None:
            yield f'  {_NOTE} = "{urllib.parse.quote(note, safe=_SAFE)}";\n'
        yield "}\n"
    arities = [len(states) for states in labels.states]
    for child, parents in enumerate(parts.parent_positions()):
        given = f" | {' '.join(labels.names[parent] for parent in parents)}" if parents else ""
        yield f"potential ( {labels.names[child]}{given} ) {{\n  data = "
        cpt = (parts.cpts or ())[child]
        yield from _nested(cpt, [arities[parent] for parent in parents])
        yield ";\n}\n"


def _nested(cpt: Cpt, arities: list[int]) -> Iterator[str]:
    """Yield the rows, with brackets around the states of every parent."""
    for number, row in enumerate(cpt):
        n_closed = _n_ended(number, arities)
        n_ending = _n_ended(number + 1, arities)
        opening = "(" * (n_closed + 1)
        break_ = "\n    " if number else ""
        yield f"{break_}{opening}{' '.join(map(repr, row.tolist()))}{')' * (n_ending + 1)}"


def _n_ended(number: int, arities: list[int]) -> int:
    """Return the number of parents, from the last, whose states are all complete before a row."""
    n_ended = 0
    for arity in reversed(arities):
        number, rest = divmod(number, arity)
        if rest:
            break
        n_ended += 1
    return n_ended


def _quoted(words: list[str]) -> str:
    return " ".join(f'"{word}"' for word in words)
