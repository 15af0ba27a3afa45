"""Names of files that hold networks; apart, so that a command can check one at once."""

from __future__ import annotations

import os
from pathlib import Path


def check_ending(path: str | os.PathLike[str]) -> None:
    """Refuse a name that promises another format."""
    endings = [suffix.lower() for suffix in Path(path).suffixes]
    if endings[-1:] in [[".gz"], [".xz"]]:
        endings.pop()
    if endings[-1:] != [".json"]:
        raise ValueError(
            f"{path}: the name of a network must end in .json, .json.gz or .json.xz. Other formats "
            "(.bif, .xdsl, .net, .uai) come with a later version."
        )
