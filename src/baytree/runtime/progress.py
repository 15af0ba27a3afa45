"""Progress of long calls, shown on standard error."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from baytree import _core

ProgressListener: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True)
class _Work:
    """What lines are part of, when all of it began, if that is known, and when it must end."""

    description: str = ""
    deadline: float = math.inf
    start: float | None = None

    def end_within(self, deadline: float) -> float:
        """Return when a part with a deadline of its own ends: that of all comes first."""
        return self.deadline if math.isfinite(self.deadline) else deadline


_ALONE = _Work()
_WORK: ContextVar[_Work] = ContextVar("_WORK", default=_ALONE)


@contextlib.contextmanager
def part_of(description: str, deadline: float = math.inf) -> Iterator[None]:
    """Let lines within the block begin with a description, and count down to a deadline.

    The deadline of what is around it comes first: it is that of the user.
    """
    around = _WORK.get()
    described, end = f"{around.description}{description}, ", around.end_within(deadline)
    token = _WORK.set(replace(around, description=described, deadline=end))
    try:
        yield
    finally:
        _WORK.reset(token)


@contextlib.contextmanager
def one_clock() -> Iterator[None]:
    """Let the clocks of all lines within the block go on from its start."""
    around = _WORK.get()
    start = time.monotonic() if around.start is None else around.start
    token = _WORK.set(replace(around, start=start))
    try:
        yield
    finally:
        _WORK.reset(token)


@contextlib.contextmanager
def progress_bar(description: str, unit: str, *, shown: bool) -> Iterator[ProgressListener | None]:
    """Yield a function that moves a bar to (done, total); None where no bar is to be shown.

    A bar is drawn only on a terminal: a log file would fill with its frames.
    """
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    third = Column(no_wrap=True, overflow="ellipsis", max_width=Console(stderr=True).width // 3)
    columns = (
        TextColumn("{task.description}", table_column=third),
        BarColumn(bar_width=None, table_column=Column(ratio=1)),  # the room that is left
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + unit),
        TimeElapsedColumn(),
    )
    described = _WORK.get().description + description
    with _live_line(*columns, description=described, total=1) as bar:

        def show(done: int, total: int) -> None:
            bar.update(bar.task_ids[0], completed=done, total=max(total, 1))

        yield show


def _live_line(
    *columns: ProgressColumn, description: str = "", total: int | None, **fields: Any
) -> Progress:
    """Return a line with one task, whose clock goes on from the start of the work it is part of."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, expand=True, get_time=time.monotonic)
    task = bar.add_task(description, total=total, **fields)
    if (start := _WORK.get().start) is not None:
        bar.tasks[task].start_time = start
    return bar


class TimeLeft:
    """The time until a deadline, told anew each time it is shown; nothing where there is none."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def __str__(self) -> str:
        """Return it in seconds, with a comma behind it."""
        if math.isinf(self._deadline):
            return ""
        return f"{max(self._deadline - time.monotonic(), 0):.0f} s left, "


class SearchLine:
    """One line on the best structure so far; without a terminal, nothing at all."""

    def __init__(self, bar: Progress | None = None) -> None:
        self._bar = bar
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
        if self._bar is not None and self._control is not None:
            text = search_text(self._control.best_score, self._control.best_width, done, total)
            self._bar.update(self._bar.task_ids[0], description=f": {text}")


def search_text(score: float, width: int, done: int, total: int) -> str:
    """Return how far a search is: best score, width, iterations."""
    best = "no network yet" if math.isnan(score) else f"best {score:,.2f}, width {width}"
    return f"{best}, {done:,} of {total:,} iterations" if total else f"{best}, {done:,} iterations"


@contextlib.contextmanager
def search_line(description: str, deadline: float, *, shown: bool) -> Iterator[SearchLine]:
    """Yield a line that follows a search, drawn only on a terminal."""
    if not shown or not sys.stderr.isatty():
        yield SearchLine()
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    work = _WORK.get()
    # A narrow terminal cuts the end off, so the times come first.
    text = TextColumn(
        f"{{task.fields[left]}}{work.description}{description}{{task.description}}",
        table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"),
    )
    columns = (SpinnerColumn(), TimeElapsedColumn(), text)
    with _live_line(*columns, total=None, left=TimeLeft(work.end_within(deadline))) as bar:
        yield SearchLine(bar)
