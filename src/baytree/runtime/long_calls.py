"""Long calls of the core that end before the interpreter does."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Collection

from baytree import _core

_running: dict[_core.RunControl, int] = {}  # and the identifier of the calling thread

_MAX_WAIT_SECONDS = 5.0


def long_call(control: _core.RunControl) -> _LongCall:
    """Register a call of the core while it runs."""
    return _LongCall(control)


class _LongCall:
    """A context manager without the overhead of `contextlib`, for queries of microseconds."""

    __slots__ = ("_control",)

    def __init__(self, control: _core.RunControl) -> None:
        self._control = control

    def __enter__(self) -> None:
        _running[self._control] = threading.get_ident()

    def __exit__(self, *raised: object) -> None:
        _running.pop(self._control, None)


def stop_calls(threads: Collection[int]) -> None:
    """Request the end of the calls of some threads; Ctrl-C reaches the main thread alone."""
    for control, thread in _running.copy().items():
        if thread in threads:
            control.request_stop()


@atexit.register
def _stop_all() -> None:
    """Stop the calls of daemon threads: one that returns to a dead interpreter aborts it."""
    for control in _running.copy():
        control.request_stop()
    deadline = time.monotonic() + _MAX_WAIT_SECONDS
    while _running and time.monotonic() < deadline:
        time.sleep(0.01)
