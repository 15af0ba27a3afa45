"""Tables of the benchmarks, in the folder named by BAYTREE_BENCH_DIR."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd


def bench_dir() -> Path:
    folder = os.environ.get("BAYTREE_BENCH_DIR")
    if not folder:
        sys.exit("Set BAYTREE_BENCH_DIR to the folder that holds data/ (see benchmarks/README.md).")
    return Path(folder)


def binary_table(name: str) -> np.ndarray:
    """Return one split of a binary data set; the name is of the form "plants.train"."""
    table, split = name.rsplit(".", 1)
    with np.load(bench_dir() / "data" / "debd" / f"{table}.npz") as splits:
        return splits[split]


def uci_table(name: str) -> pd.DataFrame:
    """Return a table of text cells; "?" is read as a state."""
    path = bench_dir() / "data" / "uci" / f"{name}.csv.gz"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def cache_path(name: str) -> Path:
    return bench_dir() / "data" / "caches" / f"{name}.jkl.xz"
