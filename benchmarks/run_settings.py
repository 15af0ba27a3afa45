"""What a run of the figures is asked for: how much, how long, and where it may keep files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from cells import Figures

Choice = TypeVar("Choice")


class Cell(NamedTuple):
    """A measurement. Its name says all that it depends on, so equal names are one cell."""

    name: str
    measure: Callable[[], Figures]


@dataclass(frozen=True)
class RunSettings:
    mode: Literal["quick", "full"]
    n_jobs: int
    work_dir: Path
    scale: float = 1.0

    def pick(self, *, full: Choice, quick: Choice) -> Choice:
        return full if self.mode == "full" else quick

    def seconds(self, *, full: float, quick: float) -> float:
        """Return a time limit, scaled and rounded so that it reads well in the name of a cell."""
        return self.scaled(self.pick(full=full, quick=quick))

    def scaled(self, seconds: float) -> float:
        return float(f"{self.scale * seconds:.3g}")
