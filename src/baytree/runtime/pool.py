"""Jobs in parallel threads that Ctrl-C ends."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

from baytree.runtime.long_calls import stop_calls
from baytree.runtime.progress import ProgressListener

Job = TypeVar("Job")
Result = TypeVar("Result")

_STOP_SECONDS = 0.05  # between two requests to stop, as a job may make several calls
_MAX_STOP_SECONDS = 0.1  # for jobs that may be left behind


class InterruptiblePool(Generic[Job, Result]):
    """Threads that work through a queue of jobs.

    Calls of the core release the interpreter lock, so threads are enough. Ctrl-C reaches only the
    main thread, which passes it on to them while it waits. `n_jobs` is the length of an iterable
    without one; the threads take its jobs in turn, in order.
    """

    def __init__(
        self, work: Callable[[Job], Result], jobs: Iterable[Job], n_jobs: int | None = None
    ) -> None:
        self._work = work
        self._n_jobs = len(jobs) if isinstance(jobs, Sized) else n_jobs or 0
        self._waiting = iter(jobs)
        self._lock = threading.Lock()
        self._is_stopped = threading.Event()
        self._done: queue.SimpleQueue[tuple[list[Result], BaseException | None]] = (
            queue.SimpleQueue()
        )

    def run(
        self, n_threads: int, on_progress: ProgressListener | None, *, waits: bool = True
    ) -> tuple[list[Result], bool]:
        """Return the results of the jobs that ended, and True if Ctrl-C came before the last.

        The first error of a job ends the others and is raised. Ctrl-C ends calls of the core, and
        waits for them; without `waits`, other libraries continue, and their results are dropped.
        """
        n_threads = min(n_threads, self._n_jobs)
        threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(n_threads)]
        results: list[Result] = []
        end = math.inf
        try:
            for thread in threads:
                thread.start()
            while len(results) < self._n_jobs:
                results += self._next_result()
                if on_progress is not None:
                    on_progress(len(results), self._n_jobs)
        except KeyboardInterrupt:
            if not waits:
                end = time.monotonic() + _MAX_STOP_SECONDS
            return results, True
        finally:
            self._stop(threads, end)
        return results, False

    def _next_result(self) -> list[Result]:
        result, error = self._done.get()
        if error is not None:
            raise error
        return result

    def _serve(self) -> None:
        try:
            while not self._is_stopped.is_set():
                with self._lock:
                    jobs = list(islice(self._waiting, 1))
                if not jobs:
                    return
                self._done.put(([self._work(jobs[0])], None))
        except BaseException as error:  # raised again by the thread that waits
            self._done.put(([], error))

    def _stop(self, threads: Sequence[threading.Thread], end: float) -> None:
        """Stop the running jobs and wait for them; their partial results are dropped."""
        self._is_stopped.set()
        while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
            stop_calls([thread.ident for thread in threads if thread.ident is not None])
            for thread in threads:
                if thread.is_alive():
                    thread.join(min(_STOP_SECONDS, max(end - time.monotonic(), 0.0)))


def map_in_threads(
    work: Callable[[Job], Result], jobs: Sequence[Job], n_threads: int
) -> list[Result]:
    """Return the results of jobs in order; the error raised is that of the first job with one.

    With one thread the caller does the work. Ctrl-C raises KeyboardInterrupt, and does not wait for
    the end of running jobs: they continue, and their results are dropped.
    """
    if n_threads < 2 or len(jobs) < 2:
        return [work(job) for job in jobs]

    def attempt(position: int) -> tuple[int, Result | None, Exception | None]:
        try:
            return position, work(jobs[position]), None
        except Exception as error:  # raised below
            return position, None, error

    pool: InterruptiblePool[int, Any] = InterruptiblePool(attempt, range(len(jobs)))
    outcomes, is_interrupted = pool.run(n_threads, None, waits=False)
    if is_interrupted:
        raise KeyboardInterrupt
    outcomes.sort(key=lambda outcome: outcome[0])
    for _, _, error in outcomes:
        if error is not None:
            raise error
    return [result for _, result, _ in outcomes]
