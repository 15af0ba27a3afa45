"""Progress of long calls, shown on standard error."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from baytree import _core

ProgressListener: TypeAlias = Callable[[int, int], None]


@contextlib.contextmanager
def progress_bar(description: str, unit: str, *, shown: bool) -> Iterator[ProgressListener | None]:
    """Yield a function that moves a bar to (done, total); None where no bar is to be shown.

    A bar is drawn only on a terminal: a log file would fill with its frames.
    """
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + unit),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=1)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=max(total, 1))

        yield show


class SearchLine:
    """One line on the best structure so far; without a terminal, nothing at all."""

    def __init__(self, deadline: float, bar: Progress | None = None) -> None:
        self._deadline = deadline
        self._bar = bar
        self._task: TaskID | None = None if bar is None else bar.add_task("", total=None)
        self._control: _core.RunControl | None = None

    @contextlib.contextmanager
    def watching(self, control: _core.RunControl) -> Iterator[None]:
        """Show the best of a call while it runs; the line must not keep its control alive."""
        self._control = control
        try:
            yield
        finally:
            self._control = None

    @property
    def listener(self) -> ProgressListener | None:
        """What the call is to tell its progress to; None where nothing is shown."""
        return None if self._bar is None else self._show

    def _show(self, done: int, total: int) -> None:
        if self._bar is not None and self._task is not None and self._control is not None:
            text = self.text(self._control.best_score, self._control.best_width, done, total)
            self._bar.update(self._task, description=text)

    def text(self, score: float, width: int, done: int, total: int) -> str:
        """Return the line: best score, width, iterations, time left."""
        best = "no network yet" if math.isnan(score) else f"best {score:,.2f}, width {width}"
        parts = [best, f"{done:,} of {total:,} iterations" if total else f"{done:,} iterations"]
        if math.isfinite(self._deadline):
            parts.append(f"{max(self._deadline - time.monotonic(), 0):.0f} s left")
        return ", ".join(parts)


@contextlib.contextmanager
def search_line(description: str, deadline: float, *, shown: bool) -> Iterator[SearchLine]:
    """Yield a line that follows a search, drawn only on a terminal."""
    if not shown or not sys.stderr.isatty():
        yield SearchLine(deadline)
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn(f"{description}:"),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield SearchLine(deadline, bar)
