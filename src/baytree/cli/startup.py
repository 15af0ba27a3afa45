"""Ctrl-C while a command starts, before there is anything to save or to say."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator

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


def _leave(*_: object) -> None:
    with contextlib.suppress(OSError):
        os.write(2, b"baytree: interrupted\n")
    os._exit(INTERRUPTED)
