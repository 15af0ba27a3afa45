"""Calls of the core on many rows: threads, memory limits, Ctrl-C."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from baytree import _core
from baytree.exceptions import InferenceTooLargeError
from baytree.runtime.limits import run_control, thread_count
from baytree.runtime.long_calls import long_call
from baytree.runtime.memory import available_memory

Answer = TypeVar("Answer")

MAX_MEMORY_FRACTION = 0.25
_CALLS_AT_ONCE: ContextVar[int] = ContextVar("_CALLS_AT_ONCE", default=1)


@contextlib.contextmanager
def one_of_calls(n_calls: int) -> Iterator[None]:
    """Leave calls within the block a part of the memory, as others run at the same time."""
    token = _CALLS_AT_ONCE.set(n_calls)
    try:
        yield
    finally:
        _CALLS_AT_ONCE.reset(token)


@dataclass(frozen=True)
class RefusalWords:
    """Subject and remedy of the error about too much memory."""

    subject: str
    remedy: str


_MISSING_CELLS = RefusalWords("The missing cells of a row", "fill some cells")


def check_answer_memory(n_rows: int, n_states: int) -> None:
    """Refuse probabilities of rows that need more than a fraction of the memory."""
    n_bytes, max_bytes = 8 * n_rows * n_states, MAX_MEMORY_FRACTION * available_memory()
    if n_bytes > max_bytes:
        raise InferenceTooLargeError(
            f"The probabilities of {n_states:,} states in {n_rows:,} rows need "
            f"{n_bytes / 1e9:,.3g} GB; {max_bytes / 1e9:,.3g} GB are allowed. Give fewer rows at "
            "once, or predict the most probable states alone."
        )


def answer_rows(
    call: Callable[..., Answer], *args: Any, n_jobs: int | None, **options: Any
) -> Answer:
    """Return the result of a call; Ctrl-C raises KeyboardInterrupt."""
    control = run_control(math.inf, None)
    answer = call_rows(call, *args, n_jobs=n_jobs, control=control, **options)
    if control.is_interrupted:
        raise KeyboardInterrupt
    return answer


def call_rows(
    call: Callable[..., Answer],
    *args: Any,
    n_jobs: int | None,
    control: _core.RunControl,
    words: RefusalWords = _MISSING_CELLS,
    **options: Any,
) -> Answer:
    """Return the result of a call, interrupted or not."""
    limits = _core.RowLimits(
        n_threads=thread_count(n_jobs),
        max_bytes=MAX_MEMORY_FRACTION * available_memory() / _CALLS_AT_ONCE.get(),
    )
    try:
        with long_call(control):
            return call(*args, limits=limits, control=control, **options)
    except _core.RowsTooLarge as error:
        n_bytes, max_bytes = error.args
        raise InferenceTooLargeError(
            f"{words.subject} need tables of {n_bytes / 1e9:,.3g} GB at once; "
            f"{max_bytes / 1e9:,.3g} GB are allowed for each thread. Use fewer threads, "
            f"{words.remedy}, or use a network of smaller treewidth."
        ) from None
