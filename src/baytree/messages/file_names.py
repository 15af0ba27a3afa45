"""Checks of file names, apart from the formats, so that a command need not load these."""

from __future__ import annotations

import os
from pathlib import Path

from baytree.vocabulary import CACHE_SUFFIXES, NETWORK_SUFFIXES

_UNKNOWN_COMPRESSIONS = {
    ".7z", ".br", ".bz2", ".lz", ".lz4", ".lzma", ".lzo", ".rar", ".sz",
    ".tar", ".tbz2", ".tgz", ".txz", ".z", ".zip", ".zst", ".zstd",
}  # fmt: skip


def network_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix that names the format of a network, such as .bif."""
    suffix = _bare_suffix(path)
    if suffix not in NETWORK_SUFFIXES:
        known = f"{', '.join(NETWORK_SUFFIXES[:-1])} or {NETWORK_SUFFIXES[-1]}"
        raise ValueError(
            f"{path}: the name of a network must end in {known}; "
            "if compressed, with .gz or .xz behind it."
        )
    return suffix


def check_structure_suffix(path: str | os.PathLike[str]) -> None:
    """Refuse a format that cannot hold a structure without probabilities."""
    suffix = network_suffix(path)
    if suffix != ".json":
        raise ValueError(
            f"{path}: the network has a structure alone, which {suffix} cannot hold. Give it "
            "probabilities, or give the file a name that ends in .json, .json.gz or .json.xz."
        )


def check_imputer_suffix(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is not that of an imputer."""
    if _bare_suffix(path) != ".json":
        raise ValueError(f"{path}: the name of an imputer must end in .json, .json.gz or .json.xz.")


def check_mixture_suffix(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is not that of a mixture."""
    if _bare_suffix(path) != ".json":
        raise ValueError(f"{path}: the name of a mixture must end in .json, .json.gz or .json.xz.")


def check_cache_suffix(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is not that of a cache."""
    refuse_unknown_compression(path)
    if not Path(path).name.lower().endswith(CACHE_SUFFIXES):
        raise ValueError(f"{path}: the name of a cache must end in .jkl, .jkl.gz or .jkl.xz.")


def refuse_unknown_compression(path: str | os.PathLike[str]) -> None:
    """Refuse the suffix of a compression that a cache cannot have."""
    suffix = Path(path).suffix
    if suffix.lower() in _UNKNOWN_COMPRESSIONS:
        raise ValueError(
            f"{path}: a cache cannot be compressed as {suffix}. Give a name that ends in .jkl, "
            ".jkl.gz or .jkl.xz."
        )


def _bare_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix without that of a compression; empty if there is none."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes[-1:] in [[".gz"], [".xz"]]:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
