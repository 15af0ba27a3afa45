"""Settings of a run of figures: mode, threads, working folder, scale of time limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from cells import Figures

Choice = TypeVar("Choice")
Key = TypeVar("Key")


class Cell(NamedTuple):
    """A named measurement. The name holds all settings, so equal names mean equal cells."""

    name: str
    measure: Callable[[], Figures]


def measured(
    cells: Iterable[tuple[Key, Cell]], figures: Mapping[str, Figures]
) -> list[tuple[Key, Figures]]:
    """Return the figures of cells that have been measured, by their keys."""
    return [(key, figures[cell.name]) for key, cell in cells if cell.name in figures]


@dataclass(frozen=True)
class RunSettings:
    mode: Literal["quick", "full"]
    n_jobs: int
    work_dir: Path
    scale: float = 1.0

    def pick(self, *, full: Choice, quick: Choice) -> Choice:
        return full if self.mode == "full" else quick

    def seconds(self, *, full: float, quick: float) -> float:
        """Return the time limit of the mode, scaled and rounded for the name of a cell."""
        return self.scaled(self.pick(full=full, quick=quick))

    def scaled(self, seconds: float) -> float:
        return float(f"{self.scale * seconds:.3g}")
