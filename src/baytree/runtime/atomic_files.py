"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import lzma
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast


@contextlib.contextmanager
def replaced_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes the place of `path` only if the block ends well.

    What is written is compressed when the name ends in .gz or .xz. A link stays, and what it leads
    to is replaced. The permissions of a file that is replaced stay. An error of the system names
    `path`, not the draft beside it.
    """
    asked = os.fspath(path)
    if Path(path).absolute().parts[1:2] in [("dev",), ("proc",)]:
        raise ValueError(f"{asked} is not a place for a file that is replaced as a whole.")
    path = Path(path).resolve()
    if path.exists() and not path.is_file():
        raise ValueError(f"{asked} is not an ordinary file, and would be replaced by one.")
    draft = path.with_name(f".baytree-{secrets.token_hex(8)}")
    try:
        with _draft_in_place_of(path, draft) as stream:
            yield stream
    except OSError as error:
        if error.errno is None or error.filename not in (None, os.fspath(draft), draft):
            raise
        raise OSError(error.errno, error.strerror, asked) from error


@contextlib.contextmanager
def _draft_in_place_of(path: Path, draft: Path) -> Iterator[BinaryIO]:
    # A new file gets what the umask leaves of these permissions; one that is replaced, its own.
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as raw:
            if path.exists():
                os.fchmod(descriptor, path.stat().st_mode & 0o777)
            with _compressed(raw, path.suffix) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft)
        raise


@contextlib.contextmanager
def _compressed(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    match suffix.lower():
        case ".gz":
            # No time stamp: equal contents make equal files.
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                yield cast(BinaryIO, stream)
        case ".xz":
            with lzma.LZMAFile(raw, "wb") as stream:
                yield cast(BinaryIO, stream)
        case _:
            yield raw
