"""Files that a command is to write, checked before the work is done."""

from __future__ import annotations

import os
from pathlib import Path

from baytree.formats.network_endings import check_ending, check_structure_ending


def checked_output(output: Path, source: Path | None) -> Path:
    """Return where to write, as it was given; raise if that cannot be."""
    if output.name == "-":
        raise ValueError("A result cannot go to standard output. Give --output the name of a file.")
    path = output.resolve()
    folder = path.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"{output} cannot be written: {folder} is not a folder to write to.")
    if path.exists() and not path.is_file():
        raise ValueError(f"{output} cannot be written: it is there and not an ordinary file.")
    if source is not None and path == source.resolve():
        raise ValueError(f"{output} is the file to read itself. Give --output another name.")
    return output


def checked_network_output(output: Path, source: Path | None) -> Path:
    """Return where to write a network with probabilities."""
    path = checked_output(output, source)
    check_ending(output)
    return path


def checked_structure_output(output: Path, source: Path) -> Path:
    """Return where to write a network that has a structure alone."""
    path = checked_output(output, source)
    check_structure_ending(output)
    return path
