"""Calls of other libraries that can take long and do not check for Ctrl-C."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

SECONDS_BETWEEN_CHECKS = 0.05  # for Ctrl-C


def run_in_background(work: Callable[[], Result], deadline: float) -> Result:
    """Return the result of work that runs in a thread.

    KeyboardInterrupt and TimeoutError do not wait for its end: it continues, and its result is
    dropped.
    """
    if time.monotonic() >= deadline:
        raise TimeoutError
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again by the thread that waits
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive() and time.monotonic() < deadline:
        thread.join(min(deadline - time.monotonic(), SECONDS_BETWEEN_CHECKS))
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError
    return results[0]
