"""Long calls of the core, which end before the interpreter does."""

from __future__ import annotations

import atexit
import time

from baytree import _core

_running: set[_core.RunControl] = set()

_PATIENCE_SECONDS = 5.0


def long_call(control: _core.RunControl) -> _LongCall:
    """Keep a call of the core in mind while it runs."""
    return _LongCall(control)


class _LongCall:
    """What `contextlib.contextmanager` would make, for queries that take microseconds."""

    __slots__ = ("_control",)

    def __init__(self, control: _core.RunControl) -> None:
        self._control = control

    def __enter__(self) -> None:
        _running.add(self._control)

    def __exit__(self, *raised: object) -> None:
        _running.discard(self._control)


@atexit.register
def _stop_all() -> None:
    """Stop the calls of daemon threads: one that comes back to a dead interpreter aborts it."""
    for control in tuple(_running):
        control.request_stop()
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while _running and time.monotonic() < deadline:
        time.sleep(0.01)
