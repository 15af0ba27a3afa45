"""The contents of a file of a network or an imputer: bounded, decoded, errors with their place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from baytree.exceptions import FileFormatError
from baytree.networks.files.compressed_files import BROKEN_DATA, open_compressed

# After decompression. Memory follows what was read; a large real network takes some 10,000,000.
MAX_BYTES = 2**28


class BinarySource:
    """Bytes of a file, for readers that decode by themselves."""

    def __init__(
        self, path: str | os.PathLike[str], max_bytes: int, described: str = "a network"
    ) -> None:
        self.path = path
        try:
            with open_compressed(Path(path)) as stream:
                self.data = stream.read(max_bytes + 1)
        except BROKEN_DATA as error:
            self.refuse(None, f"the compressed data is broken ({error})")
        if len(self.data) > max_bytes:
            self.refuse(None, f"more than {max_bytes:,} bytes of text, too large for {described}")

    def refuse(self, place: tuple[int, int] | None, problem: str) -> NoReturn:
        """Raise the error that names the file and, where known, the line and the column."""
        where = "" if place is None else f", line {place[0]:,}, column {place[1]:,}"
        raise _error(self.path, where, problem) from None


class TextSource:
    """Text of a file in UTF-8; a place in it is the number of characters before it."""

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
        """Raise the error that names the file and, where known, the line and the column."""
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
