"""Text cells of a column as numbers of its distinct texts, within the memory that is there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count, islice
from pathlib import Path

import numpy as np

from baytree.exceptions import FileFormatError
from baytree.runtime.memory import available_memory
from baytree.tables.bins import Codes

CELL_BYTES = 16  # the number of its text while reading, and the finished column beside it
TEXT_BYTES = 100  # a distinct text and its place in a dictionary, beside its characters


class CellNumbering:
    """Distinct texts of a column, and for every cell the number of its text."""

    def __init__(self) -> None:
        self._number_of: defaultdict[str, int] = defaultdict(count().__next__)
        self._blocks: list[Codes] = []
        self.n_bytes = 0

    @property
    def texts(self) -> list[str]:
        """Distinct texts, in the order of their numbers."""
        return list(self._number_of)

    @property
    def codes(self) -> Codes:
        """Number of the text of every cell."""
        return np.concatenate(self._blocks)

    def add(self, cells: Sequence[str]) -> None:
        """Give the cells of the next rows their numbers."""
        n_known = len(self._number_of)
        numbers = map(self._number_of.__getitem__, cells)
        self._blocks.append(np.fromiter(numbers, dtype=np.int32, count=len(cells)))
        n_new = len(self._number_of) - n_known
        n_characters = sum(map(len, islice(reversed(self._number_of), n_new)))
        self.n_bytes += CELL_BYTES * len(cells) + TEXT_BYTES * n_new + n_characters


def check_memory(path: Path, n_bytes: Iterable[int]) -> None:
    """Raise an error if columns of these sizes do not fit in memory; a small gzip file can."""
    needed, memory = sum(n_bytes), available_memory()
    if needed > memory:
        raise FileFormatError(
            f"{path}: the table needs more than {needed / 1e9:,.1f} GB of memory, and "
            f"{memory / 1e9:,.1f} GB are there. Leave out rows or columns."
        )
