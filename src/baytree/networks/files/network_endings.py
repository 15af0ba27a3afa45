"""Names of files that hold networks or imputers; apart, so that a command can check one at once."""

from __future__ import annotations

import os
from pathlib import Path

ENDINGS = (".json", ".bif", ".xml", ".xmlbif", ".bifxml", ".uai", ".net", ".xdsl")


def check_ending(path: str | os.PathLike[str]) -> None:
    """Refuse a name that promises no format of ours."""
    ending_of(path)


def check_structure_ending(path: str | os.PathLike[str]) -> None:
    """Refuse a name whose format cannot hold a structure without probabilities."""
    ending = ending_of(path)
    if ending != ".json":
        raise ValueError(
            f"{path}: the network has a structure alone, which {ending} cannot hold. Give it "
            "probabilities, or give the file a name that ends in .json, .json.gz or .json.xz."
        )


def check_imputer_ending(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is not that of an imputer."""
    if _bare_ending(path) != ".json":
        raise ValueError(f"{path}: the name of an imputer must end in .json, .json.gz or .json.xz.")


def ending_of(path: str | os.PathLike[str]) -> str:
    """Return the ending that names the format of a network, such as .bif."""
    ending = _bare_ending(path)
    if ending not in ENDINGS:
        known = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise ValueError(
            f"{path}: the name of a network must end in {known}, "
            "and .gz or .xz behind it if it is compressed."
        )
    return ending


def _bare_ending(path: str | os.PathLike[str]) -> str:
    """Return the ending without that of a compression; empty if there is none."""
    endings = [suffix.lower() for suffix in Path(path).suffixes]
    if endings[-1:] in [[".gz"], [".xz"]]:
        endings.pop()
    return endings[-1] if endings else ""
