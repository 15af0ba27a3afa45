"""Contents of files: decompressed, bounded in size and decoded. Errors name the line and column."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import zlib
from array import array
from pathlib import Path
from typing import BinaryIO, NoReturn, cast

from baytree.exceptions import FileFormatError
from baytree.messages.quoting import shortened

# After decompression; it bounds the memory. A large network in use takes some 10,000,000.
MAX_BYTES = 2**28
DECOMPRESSION_ERRORS = (gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError)

_NUMBER = re.compile(r"[^\s,]++")
_SPACE = re.compile(r"\s*+")
_CLOSING = re.compile(r"\s*+\}")
_LONG = 2**16  # characters; shorter text is split at once, which is faster


def open_compressed(path: Path) -> BinaryIO:
    """Open a file for reading, and decompress it if its name ends in .gz or .xz.

    Reading raises one of `DECOMPRESSION_ERRORS` if the compressed data is broken.
    """
    match path.suffix.lower():
        case ".gz":
            return cast(BinaryIO, gzip.open(path, "rb"))
        case ".xz":
            return cast(BinaryIO, lzma.open(path, "rb"))
    return path.open("rb")


class BinarySource:
    """Bytes of a file, for readers that decode them."""

    def __init__(
        self, path: str | os.PathLike[str], max_bytes: int, described: str = "a network"
    ) -> None:
        self.path = path
        try:
            with open_compressed(Path(path)) as stream:
                self.data = stream.read(max_bytes + 1)
        except DECOMPRESSION_ERRORS as error:
            self.refuse(None, f"the compressed data is broken ({error})")
        if len(self.data) > max_bytes:
            self.refuse(None, f"more than {max_bytes:,} bytes of text, too large for {described}")

    def refuse(self, place: tuple[int, int] | None, problem: str) -> NoReturn:
        """Raise an error that names the file, and the line and column if they are known."""
        where = "" if place is None else f", line {place[0]:,}, column {place[1]:,}"
        raise _error(self.path, where, problem) from None


class TextSource:
    """Text of a file in UTF-8. A place in it is the number of characters before it."""

    def __init__(
        self, path: str | os.PathLike[str], max_bytes: int, described: str = "a network"
    ) -> None:
        source = BinarySource(path, max_bytes, described)
        self.path = path
        try:
            self.text = source.data.decode()
        except UnicodeDecodeError as error:
            self.text = source.data[: error.start].decode()
            byte = f"0x{source.data[error.start]:02x}"
            self.refuse(error.start, f"byte {byte} is not UTF-8. Convert the file to UTF-8")
        self.text = self.text.removeprefix("\ufeff")
        nul = self.text.find("\0")
        if nul >= 0:
            self.refuse(nul, "a NUL byte. Is this a text file?")

    def refuse(self, place: int | None, problem: str) -> NoReturn:
        """Raise an error that names the file, and the line and column if they are known."""
        where = ""
        if place is not None:
            place = min(place, len(self.text))
            line = self.text.count("\n", 0, place) + 1
            column = place - self.text.rfind("\n", 0, place)
            where = f", line {line:,}, column {column:,}"
        raise _error(self.path, where, problem) from None


def _error(path: str | os.PathLike[str], where: str, problem: str) -> FileFormatError:
    end = "" if problem.endswith("?") else "."
    return FileFormatError(f"{path}{where}: {problem}{end}")


class NotANumberError(Exception):
    """A word that is not a number, and its place in the text."""

    def __init__(self, word: str, place: int) -> None:
        super().__init__(f"{shortened(word)} is not a number")
        self.place = place


def append_numbers(numbers: array[float], text: str) -> None:
    """Append the numbers of a text, which are separated by spaces or commas.

    Long text is read number by number, so that memory follows the numbers alone.
    """
    try:
        if len(text) < _LONG:
            numbers.extend(map(float, text.replace(",", " ").split()))
        else:
            numbers.extend(float(match[0]) for match in _NUMBER.finditer(text))
    except ValueError:
        raise _not_a_number(text) from None


def _not_a_number(text: str) -> NotANumberError:
    for match in _NUMBER.finditer(text):
        try:
            float(match[0])
        except ValueError:
            return NotANumberError(match[0], match.start())
    raise AssertionError("every word is a number")


class BlockReader:
    """A text of blocks that are matched one after another, from `place` on."""

    def __init__(self, source: TextSource, text: str) -> None:
        self.source = source
        self.text = text
        self.place = 0

    def match(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        """Go to the end of a match, or refuse the text."""
        found = pattern.match(self.text, self.place)
        if found is None:
            self.refuse(self.skip_space(self.place), f"expected {expected}")
        self.place = found.end()
        return found

    def close(self, expected: str) -> None:
        """Go to the end of a block."""
        closing = _CLOSING.match(self.text, self.place)
        if closing is None:
            self.expect(expected)
        self.place = closing.end()

    def expect(self, expected: str) -> NoReturn:
        """Refuse the next characters."""
        place = self.skip_space(self.place)
        found = shortened(self.text[place : place + 20]) if self.text[place:] else "the end"
        self.refuse(place, f"expected {expected}; got {found}")

    def skip_space(self, place: int) -> int:
        """Return the place of the next character that is not a space, or the end."""
        space = _SPACE.match(self.text, place)
        return place if space is None else space.end()

    def refuse(self, place: int, problem: str) -> NoReturn:
        """Raise an error that names the file, the line and the column."""
        self.source.refuse(place, problem)
