"""Ctrl-C while a command starts, before there is anything to save, and once all is saved."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

INTERRUPTED = 130


@contextlib.contextmanager
def leaving_at_ctrl_c() -> Iterator[None]:
    """End the process at Ctrl-C within the block, which may only load modules.

    A KeyboardInterrupt would not do: modules in C turn it into an ImportError on their way.
    """
    is_ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not that of nohup
    )
    if not is_ours:
        yield
        return
    signal.signal(signal.SIGINT, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def leave_at_once(code: int) -> NoReturn:
    """End the process once what was said is out, without the clean-up of the interpreter.

    With pandas loaded that takes several tenths of a second, for which nobody waits after Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed, or nobody reads
            if stream is not None:
                stream.flush()
    os._exit(code)


def _leave(*_: object) -> None:
    with contextlib.suppress(OSError):
        os.write(2, b"baytree: interrupted\n")
    os._exit(INTERRUPTED)
