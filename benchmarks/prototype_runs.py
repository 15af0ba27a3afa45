"""The two C++ prototypes in prototype/ of the benchmark folder: build and run."""

from __future__ import annotations

import lzma
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from bench_data import bench_dir, binary_table, cache_path
from cells import Figures
from numpy_scores import structure_bic

BUILD = Path("build/benchmarks")


class HandSettings(NamedTuple):
    """Settings tuned by hand for one data set at treewidth 5."""

    start_temperature: float
    end_temperature: float
    n_candidates: int
    rebuild_probability: float


HAND_SETTINGS = {
    "nltcs.train": HandSettings(60, 1, 40, 0.3),
    "plants.train": HandSettings(100, 2, 30, 0.2),
    "baudio.train": HandSettings(60, 2, 40, 0.1),
    "jester.train": HandSettings(60, 2, 40, 0.1),
    "bnetflix.train": HandSettings(60, 2, 40, 0.1),
    "accidents.train": HandSettings(100, 2, 40, 0.1),
    "pumsb_star.train": HandSettings(1000, 2, 80, 0.05),
    "dna.train": HandSettings(30, 0.5, 60, 0.05),
    "msweb.train": HandSettings(60, 1, 40, 0.03),
    "tmovie.test": HandSettings(20, 0.5, 60, 0.02),
    "cr52.train": HandSettings(40, 1, 40, 0.01),
    "bbc.train": HandSettings(20, 0.7, 40, 0.01),
}

_K_TREE_LINE = re.compile(
    r"(?P<search>kmax|kgreedy) .*iters=(?P<dags>\d+) \((?P<ms>[\d.]+) ms/it\) "
    r"median (?P<median>[-\d.]+) best (?P<best>[-\d.]+)"
)


def build_program(name: str) -> Path:
    """Compile a program of one file if it changed since the last build."""
    source = bench_dir() / "prototype" / f"{name}.cpp"
    program = BUILD / name
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        BUILD.mkdir(parents=True, exist_ok=True)
        flags = ["-O3", "-march=native", "-std=c++20", "-w"]
        subprocess.run(["g++", *flags, str(source), "-o", str(program)], check=True)
    return program.resolve()


def anneal_by_hand(name: str, max_treewidth: int, seconds: float, seed: int = 1) -> Figures:
    """Run the annealing prototype on one core and score its network exactly."""
    program, hand = build_program("anneal"), HAND_SETTINGS[name]
    table = binary_table(name)
    with tempfile.TemporaryDirectory() as folder:
        rows, parents = Path(folder) / "rows.csv", Path(folder) / "parents.txt"
        np.savetxt(rows, table, fmt="%d", delimiter=",")
        options = (max_treewidth, seconds, hand.start_temperature, hand.end_temperature)
        more_options = (hand.n_candidates, seed, hand.rebuild_probability, parents)
        command = [str(part) for part in (program, rows, *options, *more_options)]
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        elapsed = time.perf_counter() - started
        found = [[int(p) for p in line.split()] for line in parents.read_text().splitlines()]
    return {"score": round(structure_bic(table, found), 2), "seconds": round(elapsed, 2)}


class GrownTrees(NamedTuple):
    """Figures of one search of the k-tree prototype."""

    ms_per_dag: float
    median: float
    best: float


class KTreePrototype:
    """The k-tree prototype on a cache; the context manager owns the unpacked file."""

    def __init__(self, cache_name: str) -> None:
        self._program = build_program("kmax_on_jkl")
        self._folder = tempfile.TemporaryDirectory()
        self._cache = Path(self._folder.name) / "cache.jkl"
        self._cache.write_bytes(lzma.decompress(cache_path(cache_name).read_bytes()))

    def __enter__(self) -> KTreePrototype:
        return self

    def __exit__(self, *exception: object) -> None:
        self._folder.cleanup()

    def run(self, max_treewidth: int, seconds: float) -> dict[str, GrownTrees]:
        """Return the figures of "k-max" and "k-greedy" after the given seconds each."""
        options = map(str, (self._cache, max_treewidth, seconds, max_treewidth))
        text = subprocess.run(
            [str(self._program), *options], check=True, capture_output=True, text=True
        ).stdout
        names = {"kmax": "k-max", "kgreedy": "k-greedy"}
        return {
            names[line["search"]]: GrownTrees(
                float(line["ms"]), float(line["median"]), float(line["best"])
            )
            for line in _K_TREE_LINE.finditer(text)
        }
