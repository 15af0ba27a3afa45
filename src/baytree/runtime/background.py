"""Calls of other libraries that can take long and do not look for Ctrl-C."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

SECONDS_BETWEEN_LOOKS = 0.05  # for Ctrl-C


def work_aside(work: Callable[[], Result], deadline: float) -> Result:
    """Return what work returns; KeyboardInterrupt and TimeoutError do not wait for its end.

    It goes on in its thread then, and what it returns is dropped.
    """
    if time.monotonic() >= deadline:
        raise TimeoutError
    results: list[Result] = []
    errors: list[BaseException] = []

    def worked() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again by the thread that waits
            errors.append(error)

    thread = threading.Thread(target=worked, daemon=True)
    thread.start()
    while thread.is_alive() and time.monotonic() < deadline:
        thread.join(min(deadline - time.monotonic(), SECONDS_BETWEEN_LOOKS))
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError
    return results[0]
