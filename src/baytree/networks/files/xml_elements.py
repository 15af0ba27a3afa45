"""XML: elements of a file, their numbers, and text that is written.

The parser expands no entities and fetches nothing.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import NoReturn, TypeAlias
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from baytree.exceptions import FileFormatError
from baytree.networks.files.file_contents import BinarySource, NotANumberError, append_numbers
from baytree.networks.files.network_draft import Source

Place: TypeAlias = tuple[int, int]  # line and column

MAX_DEPTH = 32
MAX_ELEMENTS = 2**20  # each takes some 500 bytes of memory
_CHUNK = 2**16

# Other characters are valid in XML, but line breaks and spaces at the ends are not kept everywhere.
_NOT_HELD = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


class XmlElement:
    """One element: its tag, attributes, own text and children."""

    __slots__ = ("attributes", "children", "pieces", "place", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], place: Place) -> None:
        self.tag = tag
        self.attributes = attributes
        self.place = place
        self.children: list[XmlElement] = []
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        """The text of the element itself, without that of its children."""
        return "".join(self.pieces)

    def all(self, *tags: str) -> Iterator[XmlElement]:
        """Yield the children that have one of the tags."""
        return (child for child in self.children if child.tag in tags)

    def first(self, tag: str) -> XmlElement | None:
        """Return the first child with a tag, if there is one."""
        return next(self.all(tag), None)


def read_xml(source: BinarySource) -> XmlElement:
    """Return the outermost element of a file."""
    return _Reader(source).root()


class _Reader:
    """One file on its way through the parser."""

    def __init__(self, source: BinarySource) -> None:
        self.source = source
        self.open: list[XmlElement] = []
        self.outermost: XmlElement | None = None
        self.n_elements = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = lambda _: self.open.pop()
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.entity
        self.parser.SkippedEntityHandler = self.entity

    def root(self) -> XmlElement:
        data = memoryview(self.source.data)
        try:
            for start in range(0, len(data), _CHUNK):
                self.parser.Parse(data[start : start + _CHUNK], False)
            self.parser.Parse(b"", True)
        except FileFormatError:
            raise
        except expat.ExpatError as error:
            problem = f"no well-formed XML ({expat.ErrorString(error.code)})"
            self.source.refuse((error.lineno, error.offset + 1), problem)
        except (LookupError, ValueError) as error:
            self.refuse(f"an encoding that cannot be read ({str(error)[:100]})")
        if self.outermost is None:
            self.refuse("no element")
        return self.outermost

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.n_elements += 1
        if len(self.open) >= MAX_DEPTH:
            self.refuse(f"elements inside elements, more than {MAX_DEPTH} deep")
        if self.n_elements > MAX_ELEMENTS:
            self.refuse(f"more than {MAX_ELEMENTS:,} elements")
        element = XmlElement(tag, attributes, self.place())
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.outermost = element
        self.open.append(element)

    def characters(self, text: str) -> None:
        if self.open:
            self.open[-1].pieces.append(text)

    def entity(self, name: str, *_: object) -> None:
        self.refuse(f"entity {name!r}. Files with entities of their own are not read")

    def place(self) -> Place:
        return self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1

    def refuse(self, problem: str) -> NoReturn:
        self.source.refuse(self.place(), problem)


def append_element_numbers(
    source: Source[Place], element: XmlElement, numbers: array[float]
) -> None:
    """Append the numbers of an element."""
    text = element.text
    try:
        append_numbers(numbers, text)
    except NotANumberError as error:
        n_breaks = text.count("\n", 0, error.place)
        column = error.place - text.rfind("\n", 0, error.place) if n_breaks else element.place[1]
        source.refuse((element.place[0] + n_breaks, column), str(error))


def is_held(text: str) -> bool:
    """Return True for a text that is unchanged after a round trip through an element."""
    return bool(text) and text == text.strip() and _NOT_HELD.search(text) is None


def element(tag: str, text: str) -> str:
    """Return an element that holds text."""
    return f"<{tag}>{escape(text)}</{tag}>"


def attribute(name: str, text: str) -> str:
    """Return an attribute with a space before it."""
    return f" {name}={quoteattr(text)}"
