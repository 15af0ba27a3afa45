"""Names of files that say how the contents are compressed."""

from __future__ import annotations

import os
from pathlib import Path

_UNKNOWN_ENDINGS = {
    ".7z", ".br", ".bz2", ".lz", ".lz4", ".lzma", ".lzo", ".rar", ".sz",
    ".tar", ".tbz2", ".tgz", ".txz", ".z", ".zip", ".zst", ".zstd",
}  # fmt: skip


CACHE_ENDINGS = (".jkl", ".jkl.gz", ".jkl.xz")


def check_cache_ending(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is not that of a cache."""
    refuse_unknown_compression(path)
    if not Path(path).name.lower().endswith(CACHE_ENDINGS):
        raise ValueError(f"{path}: the name of a cache must end in .jkl, .jkl.gz or .jkl.xz.")


def refuse_unknown_compression(path: str | os.PathLike[str]) -> None:
    """Raise if a name promises a compression that is not ours, and would be misleading."""
    ending = Path(path).suffix
    if ending.lower() in _UNKNOWN_ENDINGS:
        raise ValueError(
            f"{path}: a cache cannot be compressed as {ending}. Give a name that ends in .jkl, "
            ".jkl.gz or .jkl.xz."
        )
