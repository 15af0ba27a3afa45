"""Rows of cells in text files, read line by line; errors name the file, the line and the column."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from baytree.exceptions import FileFormatError
from baytree.messages.quoting import pluralize

MAX_LINE_LENGTH = 2**26  # characters; 10,000 columns of 6,000 characters each

_ESCAPED_BYTE = re.compile("([\udc80-\udcff])")  # surrogateescape's mark of an invalid byte
_CSV_PROBLEMS = {  # by the ends of the csv module's messages
    "unexpected end of data": "a quotation mark is opened and never closed.",
    "expected after '\"'": "text follows a closing quotation mark. Double the marks inside.",
}
_TOO_LONG = "the cell has more than {limit:,} characters. Is a quotation mark not closed?"


class BrokenLineError(Exception):
    """A line that cannot be read, and its text before the error."""

    def __init__(self, line: int, before: str, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.before = before
        self.problem = problem


@dataclass(frozen=True)
class RowFile:
    """A text file of rows of cells, the first of which names the columns.

    Without a delimiter, cells are separated by blanks and never quoted.
    """

    path: Path
    delimiter: str | None = None
    encoding: str = "utf-8"

    def rows(self, n_heads: int = 0) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the cells of every row, the names first; blank lines are skipped.

        The `n_heads` rows below the names may have any length.

        Raises
        ------
        FileFormatError
            If the file has no names, empty or equal names, a row of another length, or text that
            cannot be read.
        """
        names: list[str] = []
        n_rows = 0
        try:
            split_lines = ((n, line.split()) for n, line in enumerate(self.lines(), start=1))
            for line, cells in self._csv_rows() if self.delimiter else split_lines:
                if not cells:
                    continue
                if not names:
                    self._check_names(line, cells)
                    names = cells
                elif len(cells) != len(names) and n_rows > n_heads:
                    raise self._ragged_row(line, names, cells)
                yield line, cells
                n_rows += 1
        except BrokenLineError as broken:
            column = self._broken_cell(broken.before)
            raise self.error(broken.line, names, column, broken.problem) from None
        if not names:
            raise self.error(1, names, None, "the file is empty; it has no column names.")

    def error(
        self, line: int, names: Sequence[str], column: int | None, problem: str
    ) -> FileFormatError:
        """Return the error of a cell, whose column is a number where it has no name."""
        place = f"{self.path}, line {line}"
        if column is not None:
            place += f", column {repr(names[column]) if column < len(names) else column + 1}"
        return FileFormatError(f"{place}: {problem}")

    def unnamed_column(self, line: int, column: int) -> FileFormatError:
        """Return the error of a column without a name."""
        return self.error(line, [], column, "the name is empty. Give every column a name.")

    def lines(self) -> Iterator[str]:
        """Yield the lines with their ends; raise BrokenLineError at the first bad one."""
        with self.open_text() as stream:
            number = 0
            while True:
                number += 1
                try:
                    line = stream.readline(MAX_LINE_LENGTH + 1)
                except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                    raise BrokenLineError(number, "", f"broken gzip data ({error})") from None
                except UnicodeDecodeError:
                    problem = f"bytes that are not {self.encoding}"
                    raise BrokenLineError(number, "", problem) from None
                if not line:
                    return
                if len(line) > MAX_LINE_LENGTH:
                    raise BrokenLineError(number, "", f"more than {MAX_LINE_LENGTH:,} characters")
                if not is_sound(line):
                    raise _bad_character(line, number, self.encoding)
                yield line

    def open_text(self) -> TextIO:
        """Open the file with surrogates for invalid bytes, and without translation of line ends."""
        is_packed = self.path.suffix.lower() == ".gz"
        is_utf8 = self.encoding.lower().replace("_", "-") in ("utf-8", "utf8")
        try:
            return (gzip.open if is_packed else open)(
                self.path,
                "rt",
                encoding="utf-8-sig" if is_utf8 else self.encoding,  # skips a byte-order mark
                errors="surrogateescape",
                newline="",
            )
        except LookupError:
            raise FileFormatError(
                f"{self.path}, line 1: there is no encoding {self.encoding!r}. Use a name that "
                "Python knows."
            ) from None

    def _csv_rows(self) -> Iterator[tuple[int, list[str]]]:
        start, length, first = 1, 0, ""

        def bounded_lines() -> Iterator[str]:  # whatever the csv module's own limit is set to
            nonlocal length, first
            for line in self.lines():
                first = first if length else line
                length += len(line)
                if length > MAX_LINE_LENGTH:
                    raise csv.Error(
                        "a quotation mark is opened and not closed within "
                        f"{MAX_LINE_LENGTH:,} characters."
                    )
                yield line

        reader = csv.reader(bounded_lines(), delimiter=self.delimiter or ",", strict=True)
        try:
            for cells in reader:
                yield start, cells
                start, length = reader.line_num + 1, 0
        except csv.Error as error:
            raise BrokenLineError(start, first, _csv_problem(str(error))) from None

    def _check_names(self, line: int, names: Sequence[str]) -> None:
        first_of: dict[str, int] = {}
        for column, name in enumerate(names):
            if not name.strip() and (name or column or len(names) == 1):  # "" may be an index
                raise self.unnamed_column(line, column)
            if first_of.setdefault(name, column) != column:
                problem = (
                    f"the name is that of column {first_of[name] + 1} too. Rename one of them."
                )
                raise self.error(line, names, column, problem)

    def _ragged_row(self, line: int, names: Sequence[str], cells: Sequence[str]) -> FileFormatError:
        problem = (
            f"the row has {pluralize(len(cells), 'cell')}; the line of names has {len(names):,}."
        )
        return self.error(line, names, min(len(cells), len(names)), problem)

    def _broken_cell(self, line: str) -> int:
        """Return the position of the first cell that cannot be read, or of the last one."""
        if self.delimiter is None:
            is_between = not line or line[-1].isspace()
            return len(line.split()) - (0 if is_between else 1)
        limit, delimiter = csv.field_size_limit(), re.escape(self.delimiter)
        quoted, plain = f'"(?:[^"]|""){{0,{limit}}}"', f'(?!")[^{delimiter}]{{0,{limit}}}'
        sound_cell = f"(?:{quoted}|{plain}){delimiter}"
        sound = re.match(f"(?:{sound_cell})*", line)
        return len(re.findall(sound_cell, sound.group())) if sound else 0


def is_sound(text: str) -> bool:
    """Test that there is neither a NUL nor a byte that could not be decoded."""
    return "\0" not in text and (text.isascii() or not _ESCAPED_BYTE.search(text))


def _bad_character(line: str, number: int, encoding: str) -> BrokenLineError:
    nul = line.find("\0")
    if nul >= 0:
        return BrokenLineError(number, line[:nul], "a NUL byte. Is this a text file?")
    before, bad, _ = _ESCAPED_BYTE.split(line, maxsplit=1)
    problem = f"byte 0x{ord(bad) - 0xDC00:02x} is not {encoding}"
    return BrokenLineError(number, before, f"{problem}. Convert the file to UTF-8.")


def _csv_problem(message: str) -> str:
    if message.startswith("field larger than"):
        return _TOO_LONG.format(limit=csv.field_size_limit())
    plain = (plain for end, plain in _CSV_PROBLEMS.items() if message.endswith(end))
    return next(plain, message)
