"""Progress of long calls: a live line on a terminal or in a notebook, log lines elsewhere."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

    from baytree import _core

ProgressListener: TypeAlias = Callable[[int, int], None]

LOGGER = logging.getLogger("baytree")
LOGGER.addHandler(logging.NullHandler())

# Between two log lines; the longer a call has taken, the longer it may be silent.
MIN_SECONDS_BETWEEN_LINES = 5.0
MAX_FRACTION_BETWEEN_LINES = 0.1


class _LogPace:
    """Clock of log lines, shared by the parts of a call."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    def is_due(self) -> bool:
        """Test if a line is due; if so, it counts as written."""
        pause = max(MIN_SECONDS_BETWEEN_LINES, MAX_FRACTION_BETWEEN_LINES * self.seconds)
        if time.monotonic() - self._last < pause:
            return False
        self._last = time.monotonic()
        return True


@dataclass(frozen=True)
class _Work:
    """The call that a line is part of; its start is None outside of `one_clock`."""

    description: str = ""
    deadline: float = math.inf
    start: float | None = None
    pace: _LogPace = field(default_factory=_LogPace)

    def end_within(self, deadline: float) -> float:
        """Return the deadline of a part: that of the call comes first."""
        return self.deadline if math.isfinite(self.deadline) else deadline


_WORK: ContextVar[_Work | None] = ContextVar("_WORK", default=None)


def _work() -> _Work:
    return _WORK.get() or _Work()


@contextlib.contextmanager
def part_of(description: str, deadline: float = math.inf) -> Iterator[None]:
    """Let lines within the block begin with a description, and count down to a deadline.

    An outer deadline has precedence: it is that of the user.
    """
    around = _work()
    described, end = f"{around.description}{description}, ", around.end_within(deadline)
    token = _WORK.set(replace(around, description=described, deadline=end))
    try:
        yield
    finally:
        _WORK.reset(token)


@contextlib.contextmanager
def one_clock() -> Iterator[None]:
    """Let the clocks of all lines within the block count from its start."""
    around = _work()
    start = time.monotonic() if around.start is None else around.start
    token = _WORK.set(replace(around, start=start))
    try:
        yield
    finally:
        _WORK.reset(token)


@contextlib.contextmanager
def progress_bar(description: str, unit: str, *, shown: bool) -> Iterator[ProgressListener | None]:
    """Yield a function that moves a bar to (done, total); None if nothing is shown."""
    if not shown:
        yield None
        return
    if (console := _live_console()) is None:
        log = _line_logger(description, math.inf)
        yield lambda done, total: log(f"{done:,} of {total:,} {unit}")
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    third = Column(no_wrap=True, overflow="ellipsis", max_width=console.width // 3)
    columns = (
        TextColumn("{task.description}", table_column=third),
        BarColumn(bar_width=None, table_column=Column(ratio=1)),  # the room that is left
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + unit),
        TimeElapsedColumn(),
    )
    described = _work().description + description
    with _live_line(console, *columns, description=described, total=1) as bar:

        def show(done: int, total: int) -> None:
            bar.update(bar.task_ids[0], completed=done, total=max(total, 1))

        yield show


def _live_console() -> Console | None:
    """Return the console of a terminal or of a notebook with widgets; None elsewhere."""
    has_widgets = "ipykernel" in sys.modules and importlib.util.find_spec("ipywidgets") is not None
    if not sys.stderr.isatty() and not has_widgets:
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_terminal or console.is_jupyter else None


def _live_line(
    console: Console,
    *columns: ProgressColumn,
    description: str = "",
    total: int | None,
    **fields: Any,
) -> Progress:
    """Return a line with one task, whose clock counts from the start of the call."""
    from rich.progress import Progress

    bar = Progress(*columns, console=console, transient=True, expand=True, get_time=time.monotonic)
    task = bar.add_task(description, total=total, **fields)
    if (start := _work().start) is not None:
        bar.tasks[task].start_time = start
    return bar


def _line_logger(description: str, deadline: float) -> Callable[[str], None]:
    """Return a function that logs progress, with growing pauses."""
    work = _work()
    left = TimeLeft(work.end_within(deadline))

    def log(text: str) -> None:
        if work.pace.is_due():
            end = f": {text}" if text else ""
            _log(f"{work.pace.seconds:.0f} s, {left}{work.description}{description}{end}")

    log("")
    return log


def _log(line: str) -> None:
    """Hand a line to the logger, or to standard error if logging is not set up for it."""
    handlers = [*LOGGER.handlers, *logging.getLogger().handlers]
    has_handler = any(not isinstance(handler, logging.NullHandler) for handler in handlers)
    if has_handler and LOGGER.isEnabledFor(logging.INFO):
        LOGGER.info(line)
    else:
        print(f"baytree: {line}", file=sys.stderr, flush=True)


class TimeLeft:
    """Time until a deadline, computed whenever it is shown; empty without a deadline."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def __str__(self) -> str:
        """Return the seconds, followed by a comma."""
        if math.isinf(self._deadline):
            return ""
        return f"{max(self._deadline - time.monotonic(), 0):.0f} s left, "


class SearchLine:
    """A line on the best structure so far, shown by a function of its text."""

    def __init__(self, show: Callable[[str], None] | None = None) -> None:
        self._show_text = show
        self._control: _core.RunControl | None = None

    @contextlib.contextmanager
    def watching(self, control: _core.RunControl) -> Iterator[None]:
        """Show the best of a call while it runs; its control is not kept alive."""
        self._control = control
        try:
            yield
        finally:
            self._control = None

    @property
    def listener(self) -> ProgressListener | None:
        """Function to call with progress; None where nothing is shown."""
        return None if self._show_text is None else self._show

    def _show(self, done: int, total: int) -> None:
        if self._show_text is not None and self._control is not None:
            control = self._control
            self._show_text(search_text(control.best_score, control.best_width, done, total))


def search_text(score: float, width: int, done: int, total: int) -> str:
    """Return the best score, its width and the number of iterations in words."""
    best = "no network yet" if math.isnan(score) else f"best {score:,.2f}, width {width}"
    bound = f" of at most {total:,}" if total else ""
    return f"{best}, {done:,}{bound} iterations"


@contextlib.contextmanager
def search_line(description: str, deadline: float, *, shown: bool) -> Iterator[SearchLine]:
    """Yield a line that follows a search."""
    if not shown:
        yield SearchLine()
        return
    if (console := _live_console()) is None:
        yield SearchLine(_line_logger(description, deadline))
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    work = _work()
    # A narrow terminal cuts the end off, so the times come first.
    text = TextColumn(
        f"{{task.fields[left]}}{work.description}{description}{{task.description}}",
        table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"),
    )
    columns = (SpinnerColumn(), TimeElapsedColumn(), text)
    left = TimeLeft(work.end_within(deadline))
    with _live_line(console, *columns, total=None, left=left) as bar:
        yield SearchLine(lambda text: bar.update(bar.task_ids[0], description=f": {text}"))
