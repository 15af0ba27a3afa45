"""Progress of long calls, shown on standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TypeAlias

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
