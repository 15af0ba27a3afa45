"""Files that are read as they are, or decompressed if their names end in .gz or .xz."""

from __future__ import annotations

import gzip
import lzma
import zlib
from pathlib import Path
from typing import BinaryIO, cast

BROKEN_DATA = (gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError)


def open_compressed(path: Path) -> BinaryIO:
    """Open a file for reading; reading raises one of BROKEN_DATA where it is damaged."""
    match path.suffix.lower():
        case ".gz":
            return cast(BinaryIO, gzip.open(path, "rb"))
        case ".xz":
            return cast(BinaryIO, lzma.open(path, "rb"))
    return path.open("rb")
