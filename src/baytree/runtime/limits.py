"""Limits of long calls of the core: time until a deadline, and threads."""

from __future__ import annotations

import math
import time

from joblib import effective_n_jobs

from baytree import _core
from baytree.exceptions import TimeLimitWarning
from baytree.messages.arguments import is_integer, positive_number
from baytree.messages.quoting import shortened
from baytree.messages.user_warnings import warn_user
from baytree.runtime.progress import ProgressListener

MAX_THREADS = 256


def deadline_after(started: float, time_limit: float | None) -> float:
    """Return the time of `time.monotonic` at which to stop; infinity for no limit."""
    seconds = math.inf if time_limit is None else time_limit
    return started + positive_number("time_limit", seconds, "seconds")


def check_deadline(deadline: float) -> None:
    """Raise TimeoutError after a time of `time.monotonic`."""
    if time.monotonic() > deadline:
        raise TimeoutError


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads for `n_jobs`, as in joblib but at most `MAX_THREADS`."""
    if n_jobs is not None and (not is_integer(n_jobs) or n_jobs == 0):
        raise ValueError(
            "n_jobs must be a positive number of threads, -1 for all processors or None; "
            f"got {shortened(n_jobs)}."
        )
    return min(int(effective_n_jobs(n_jobs)), MAX_THREADS)


def run_control(deadline: float, on_progress: ProgressListener | None) -> _core.RunControl:
    """Return a control that ends a call at a deadline or at Ctrl-C and reports its progress."""
    seconds = deadline - time.monotonic()
    return _core.RunControl(
        time_limit=None if math.isinf(seconds) else seconds, on_progress=on_progress
    )


def warn_if_too_short(started: float, called: float, deadline: float, *, has_begun: bool) -> None:
    """Warn if a deadline came before the first step of a search."""
    if called < deadline and (has_begun or time.monotonic() < deadline):
        return
    warn_user(
        "time_limit ended the search before its first step: the network is no more than what the "
        f"search starts from. Allow more than {deadline - started:.2g} seconds; to read and check "
        f"what was given took {called - started:.2g}.",
        TimeLimitWarning,
    )
