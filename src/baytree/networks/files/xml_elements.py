"""Elements of an XML file, from a parser that expands nothing and fetches nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn, TypeAlias
from xml.parsers import expat

from baytree.exceptions import FileFormatError
from baytree.networks.files.network_source import BinarySource

Place: TypeAlias = tuple[int, int]  # line and column

MAX_DEPTH = 32
MAX_ELEMENTS = 2**20  # each takes some 500 bytes of memory
_CHUNK = 2**16


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
        """The text of the element itself, with what stands before and behind its children."""
        return "".join(self.pieces)

    def all(self, *tags: str) -> Iterator[XmlElement]:
        """Yield the children with one of some tags."""
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
