"""Files that a command is to write, checked before the work is done."""

from __future__ import annotations

import os
from pathlib import Path

from baytree.networks.files.compressed_names import check_cache_ending
from baytree.networks.files.network_endings import check_ending, check_structure_ending


def checked_output(output: Path, source: Path | None) -> Path:
    """Return where to write, as it was given; raise if that cannot be."""
    if output.name == "-":
        raise ValueError("This result cannot go to stdout. Give the name of a file to write.")
    path = output.resolve()
    folder = path.parent
    if not folder.is_dir():
        raise ValueError(f"{output} cannot be written: there is no folder {folder}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{output} cannot be written: you may not write to the folder {folder}.")
    if path.exists() and not path.is_file():
        raise ValueError(f"{output} cannot be written: it is there and not an ordinary file.")
    if source is not None and path == source.resolve():
        raise ValueError(
            f"{output} is the file to read itself. Give another name for the file to write."
        )
    return output


def checked_network_output(output: Path, source: Path | None) -> Path:
    """Return where to write a network with probabilities."""
    path = checked_output(output, source)
    check_ending(output)
    return path


def checked_cache_output(output: Path, source: Path) -> Path:
    """Return where to write a cache."""
    path = checked_output(output, source)
    check_cache_ending(output)
    return path


def checked_structure_output(output: Path, source: Path) -> Path:
    """Return where to write a network that has a structure alone."""
    path = checked_output(output, source)
    check_structure_ending(output)
    return path
