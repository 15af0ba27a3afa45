"""Long calls of the core, which end before the interpreter does."""

from __future__ import annotations

import atexit
import contextlib
import time
from collections.abc import Iterator

from baytree import _core

_running: set[_core.RunControl] = set()

_PATIENCE_SECONDS = 5.0


@contextlib.contextmanager
def long_call(control: _core.RunControl) -> Iterator[None]:
    """Keep a call of the core in mind while it runs."""
    _running.add(control)
    try:
        yield
    finally:
        _running.discard(control)


@atexit.register
def _stop_all() -> None:
    """Stop the calls of daemon threads: one that comes back to a dead interpreter aborts it."""
    for control in tuple(_running):
        control.request_stop()
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while _running and time.monotonic() < deadline:
        time.sleep(0.01)
