"""Calls of the core that answer for many rows: threads, memory, Ctrl-C."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from baytree import _core
from baytree.exceptions import InferenceTooLargeError
from baytree.runtime.limits import run_control, thread_count
from baytree.runtime.long_calls import long_call
from baytree.runtime.memory import available_memory

Answer = TypeVar("Answer")

SHARE_OF_MEMORY = 0.25


@dataclass(frozen=True)
class RefusalWords:
    """What needs too much memory, and what to do about it."""

    what: str
    what_to_do: str


_OF_GAPS = RefusalWords("The missing cells of a row", "fill some cells")


def answer_rows(
    call: Callable[..., Answer], *args: Any, n_jobs: int | None, **options: Any
) -> Answer:
    """Return what the core answers; Ctrl-C raises KeyboardInterrupt, as half an answer is none."""
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
    words: RefusalWords = _OF_GAPS,
    **options: Any,
) -> Answer:
    """Return what the core answers, be it interrupted or not."""
    limits = _core.RowLimits(
        n_threads=thread_count(n_jobs), max_bytes=SHARE_OF_MEMORY * available_memory()
    )
    try:
        with long_call(control):
            return call(*args, limits=limits, control=control, **options)
    except _core.RowsTooLarge as error:
        n_bytes, max_bytes = error.args
        raise InferenceTooLargeError(
            f"{words.what} need tables of {n_bytes / 1e9:,.3g} GB at once; "
            f"{max_bytes / 1e9:,.3g} GB are allowed for each thread. Use fewer threads, "
            f"{words.what_to_do}, or use a network of smaller treewidth."
        ) from None
