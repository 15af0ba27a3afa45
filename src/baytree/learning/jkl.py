"""Parent-set caches in the .jkl text form."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

import numpy as np

from baytree import _core
from baytree.exceptions import FileFormatError
from baytree.messages.file_names import refuse_unknown_compression
from baytree.messages.quoting import shortened
from baytree.networks.files.file_contents import DECOMPRESSION_ERRORS, open_compressed
from baytree.runtime.atomic_files import replaced_file

_CHUNK_BYTES = 1 << 20


def write_jkl(
    path: str | os.PathLike[str], cache: _core.ParentSetCache, variables: Sequence[Hashable]
) -> None:
    """Write a cache, with the names of its variables as JSON in comment lines.

    Names that are neither text nor integers become text, and must differ as such.
    """
    refuse_unknown_compression(path)
    labels = _labels(variables)
    with replaced_file(path) as stream:
        stream.write(b"# parent-set cache: number of variables; per variable its number and how\n")
        stream.write(b"# many sets; per set score, number of parents, parents. Names:\n")
        for position, label in enumerate(labels):
            stream.write(f"# variable {position} {json.dumps(label)}\n".encode())
        stream.write(f"{len(variables)}\n".encode())
        for position in range(len(variables)):
            stream.write(cache.jkl_block(position).encode())


def _labels(variables: Sequence[Hashable]) -> list[int | str]:
    """Return the names as JSON can hold them."""
    name_of: dict[int | str, Hashable] = {}
    for name in variables:
        label = int(name) if isinstance(name, np.integer) else name
        if not isinstance(label, (int, str)):
            label = str(label)
        if label in name_of:
            raise ValueError(
                f"The variables {name_of[label]!r} and {name!r} would both be named {label!r} in "
                "the file. Rename one of them."
            )
        name_of[label] = name
    return list(name_of)


def read_jkl(path: str | os.PathLike[str]) -> tuple[_core.ParentSetCache, list[Hashable]]:
    """Return the cache in a file and the names of its variables."""
    refuse_unknown_compression(path)
    reader = _core.JklReader()
    try:
        for number, chunk in enumerate(_chunks(Path(path))):
            if number == 0:
                _refuse_other_file(chunk)
            reader.feed(chunk)
        cache = reader.finish()
    except ValueError as error:
        raise FileFormatError(f"{path}, {error}.") from None
    except DECOMPRESSION_ERRORS as error:
        raise FileFormatError(f"{path}: the compressed data is broken ({error}).") from None
    return cache, _names(reader.variable_comments, cache.n_variables)


def _chunks(path: Path) -> Iterator[bytes]:
    with open_compressed(path) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk


def _refuse_other_file(chunk: bytes) -> None:
    """Raise if the first line that is no comment cannot be that of a cache."""
    lines = enumerate(chunk.splitlines(), start=1)
    number, line = next(((n, line) for n, line in lines if line.split(b"#")[0].strip()), (1, b"0"))
    if not line.split()[0].isdigit():
        raise ValueError(
            f"line {number}: expected the number of variables, found {_quoted(line.strip())}. Is "
            "this a cache? baytree score writes one from a table"
        )


def _quoted(line: bytes) -> str:
    """Return the beginning of a line as text, or as bytes where it is none."""
    try:
        return shortened(line.decode())
    except UnicodeDecodeError:
        return shortened(line)[1:]  # without the b of bytes


def _names(comments: Sequence[bytes], n_variables: int) -> list[Hashable]:
    """Return the names in `# variable` comments; x0, x1, ... unless all variables have one."""
    names: dict[int, Hashable] = {}
    for comment in comments:
        number, _, label = comment.partition(b" ")
        try:
            name = json.loads(label)
            position = int(number)
        except (ValueError, RecursionError):
            break  # a comment of another program
        if isinstance(name, (int, str)):
            names[position] = name
    is_whole = sorted(names) == list(range(n_variables)) and len(set(names.values())) == n_variables
    return [names[i] if is_whole else f"x{i}" for i in range(n_variables)]
