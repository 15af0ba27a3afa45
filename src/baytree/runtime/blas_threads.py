"""Linear algebra in one thread: sums in another order would differ in their last bits."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from functools import cache

from threadpoolctl import ThreadpoolController

# The limit is global to the process: of two concurrent callers, the second would save the limit of
# the first as the one to restore.
_one_at_a_time = threading.RLock()


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit linear algebra in the block to one thread.

    Newer versions of threadpoolctl apply limits only in the first thread that ever set one.
    """
    with _one_at_a_time, _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # slow: inspects all loaded libraries
