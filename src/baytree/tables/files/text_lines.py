"""Lines of a text file, plain or gzip'ed, of bounded length and with sound characters."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from baytree.exceptions import FileFormatError

MAX_LINE_LENGTH = 2**26  # characters; 10,000 columns of 6,000 characters each

_ESCAPED_BYTE = re.compile("([\udc80-\udcff])")  # what surrogateescape makes of a bad byte


class BrokenLineError(Exception):
    """A line that is too long or holds a bad character, and the text before that place."""

    def __init__(self, line: int, before: str, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.before = before
        self.problem = problem


def text_lines(path: Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a file with their ends; raise BrokenLineError at the first bad one."""
    with open_text(path, encoding) as stream:
        number = 0
        while True:
            number += 1
            try:
                line = stream.readline(MAX_LINE_LENGTH + 1)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise BrokenLineError(number, "", f"broken gzip data ({error})") from None
            except UnicodeDecodeError:
                raise BrokenLineError(number, "", f"bytes that are not {encoding}") from None
            if not line:
                return
            if len(line) > MAX_LINE_LENGTH:
                raise BrokenLineError(number, "", f"more than {MAX_LINE_LENGTH:,} characters")
            if not is_sound(line):
                raise _bad_character(line, number, encoding)
            yield line


def open_text(path: Path, encoding: str) -> TextIO:
    """Open a file for reading, its bad bytes marked and the ends of its lines untouched."""
    is_packed = path.suffix.lower() == ".gz"
    is_utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    try:
        return (gzip.open if is_packed else open)(
            path,
            "rt",
            encoding="utf-8-sig" if is_utf8 else encoding,  # a byte-order mark is no letter
            errors="surrogateescape",
            newline="",
        )
    except LookupError:
        raise FileFormatError(
            f"{path}, line 1: there is no encoding {encoding!r}. Use a name that Python knows."
        ) from None


def is_sound(text: str) -> bool:
    """Return whether there is neither a NUL nor a byte that could not be decoded."""
    return "\0" not in text and (text.isascii() or not _ESCAPED_BYTE.search(text))


def broken_file(path: Path, line: int, column: str | None, problem: str) -> FileFormatError:
    """Return the error that names a file, a line and, where known, a column."""
    place = f"line {line}" if column is None else f"line {line}, column {column}"
    return FileFormatError(f"{path}, {place}: {problem}")


def _bad_character(line: str, number: int, encoding: str) -> BrokenLineError:
    nul = line.find("\0")
    if nul >= 0:
        return BrokenLineError(number, line[:nul], "a NUL byte. Is this a text file?")
    before, bad, _ = _ESCAPED_BYTE.split(line, maxsplit=1)
    problem = f"byte 0x{ord(bad) - 0xDC00:02x} is not {encoding}"
    return BrokenLineError(number, before, f"{problem}. Convert the file to UTF-8.")
