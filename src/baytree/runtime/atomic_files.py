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
    """Open a file for writing that replaces `path` if the block ends without an error.

    Its content is compressed if the name ends in .gz or .xz. Of a link, the target is replaced.
    Permissions of a replaced file stay. An error of the system names `path`, not the temporary
    file beside it.
    """
    name = os.fspath(path)
    if Path(path).absolute().parts[1:2] in [("dev",), ("proc",)]:
        raise ValueError(
            f"{name} cannot be written: devices are no ordinary files. Give another path."
        )
    path = Path(path).resolve()
    if path.exists() and not path.is_file():
        raise ValueError(
            f"{name} is not an ordinary file, and would be replaced by one. Give another path."
        )
    draft = path.with_name(f".baytree-{secrets.token_hex(8)}")
    try:
        with _draft_in_place_of(path, draft) as stream:
            yield stream
    except OSError as error:
        if error.errno is None or error.filename not in (None, os.fspath(draft), draft):
            raise
        raise OSError(error.errno, error.strerror, name) from error


@contextlib.contextmanager
def _draft_in_place_of(path: Path, draft: Path) -> Iterator[BinaryIO]:
    # The umask applies to a new file; a replaced file keeps its permissions.
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
