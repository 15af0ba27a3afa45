"""CPU seconds to read a CSV file of text cells: baytree beside pandas and pyarrow.

    .venv/bin/python benchmarks/csv_reading.py

The readers take turns in one process; the ratio is that of the medians to pandas' median.
"""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from baytree.tables.files.table_files import open_file

N_ROWS, N_COLUMNS, N_ROUNDS = 200_000, 22, 7
ARITIES = (2, 3, 5, 8, 12, 40)
MISSING_FRACTION = 0.05


def text_table() -> pd.DataFrame:
    """Return a table of text cells, some of them missing."""
    random = np.random.default_rng(0)
    states = np.array([f"state_{i}" for i in range(max(ARITIES))], dtype=object)
    arities = [ARITIES[i % len(ARITIES)] for i in range(N_COLUMNS)]
    cells = states[random.integers(0, arities, size=(N_ROWS, N_COLUMNS))]
    cells[random.random(cells.shape) < MISSING_FRACTION] = ""
    return pd.DataFrame(cells, columns=[f"v{i}" for i in range(N_COLUMNS)])


def readers() -> dict[str, Callable[[Path], Any]]:
    """Return the readers by name, the yardstick first."""
    found: dict[str, Callable[[Path], Any]] = {
        "pandas.read_csv(dtype=str)": lambda path: pd.read_csv(path, dtype=str),
        "baytree": lambda path: open_file(path).native,
    }
    if importlib.util.find_spec("pyarrow"):
        from pyarrow import csv

        found["pyarrow.csv.read_csv"] = csv.read_csv
    return found


def main() -> None:
    """Print the median CPU seconds of every reader, and their ratio to those of pandas."""
    seconds: dict[str, list[float]] = {name: [] for name in readers()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        text_table().to_csv(path, index=False)
        for number in range(1 + N_ROUNDS):
            for name, read in readers().items():
                started = time.process_time()
                read(path)
                if number:  # the first round loads modules
                    seconds[name].append(time.process_time() - started)
    yardstick = statistics.median(next(iter(seconds.values())))
    print(f"{N_ROWS:,} rows x {N_COLUMNS} columns of text, {N_ROUNDS} rounds")
    for name, measured in seconds.items():
        median = statistics.median(measured)
        print(f"{name:28s} {median:6.3f} CPU s  {median / yardstick:5.2f} x pandas")


if __name__ == "__main__":
    main()
