"""Finished measurements ("cells") in a file of JSON lines, so that a run can be resumed."""

from __future__ import annotations

import datetime
import json
import multiprocessing
import resource
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Figures = dict[str, Any]


class CellFile:
    """Figures of finished cells by name, stored in a file of JSON lines."""

    def __init__(self, path: Path, *, fresh: bool) -> None:
        self._path = path
        self._lock = threading.Lock()  # of the file
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self.figures = {cell["cell"]: cell for cell in map(json.loads, lines)}

    def run(self, cells: Iterable[tuple[str, Callable[[], Figures]]]) -> None:
        """Run the cells that have no line yet, each in its own process."""
        for name, measure in cells:
            if name not in self.figures:
                print(f"... {name}", flush=True)
                date = datetime.date.today().isoformat()
                figures = {"cell": name, "date": date, **_run_in_process(measure)}
                with self._lock, self._path.open("a") as file:
                    self.figures[name] = figures
                    file.write(json.dumps(figures) + "\n")


def _run_in_process(measure: Callable[[], Figures]) -> Figures:
    """Return the figures with CPU seconds and peak memory of the process."""
    receiver, sender = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_send, args=(measure, sender))
    process.start()
    sender.close()
    figures: Figures = receiver.recv()  # EOFError if the process died
    process.join()
    return figures


def _send(measure: Callable[[], Figures], sender: Any) -> None:
    figures = measure()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    sender.send(
        {
            **figures,
            "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
            "peak_mb": usage.ru_maxrss // 1024,
        }
    )
