"""Linear algebra in one thread: sums in another order would differ in their last bits."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from functools import cache

from threadpoolctl import ThreadpoolController

# The limit is one for the whole process: of two who set it and put it back, the second would find
# that of the first.
_one_at_a_time = threading.RLock()


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let linear algebra inside have one thread.

    Newer versions of threadpoolctl heed only the first thread that ever set a limit: in calls from
    others, nothing is limited.
    """
    with _one_at_a_time, _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks through all libraries that are loaded
