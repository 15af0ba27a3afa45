"""Scoring: families per second, and parent sets found within a time limit.

Run with BAYTREE_BENCH_DIR set; see benchmarks/README.md. `--methods` compares the three ways of
counting on families of many shapes; the cost model in core/data/family_counter.cpp is fitted to it.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from bench_data import binary_table, cache_path, uci_table
from cells import CellFile, Figures
from numpy_scores import family_bic
from rich.console import Console
from rich.table import Table

import baytree as bt
from baytree import _core, _core_testing

OUTPUT = Path("build/benchmarks/scoring.jsonl")
ADULT_NUMBERS = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]


def core_scorer(codes: np.ndarray, arities: np.ndarray) -> _core.FamilyScorer:
    dataset = _core.Dataset(np.asfortranarray(codes, np.int32), arities.astype(np.int32))
    return _core.FamilyScorer(dataset, score="bic", equivalent_sample_size=1.0)


def random_families(
    n_variables: int, n_parents: int, n_families: int, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    members = np.argsort(rng.random((n_families, n_variables)), axis=1)[:, : n_parents + 1]
    children = np.ascontiguousarray(members[:, 0], np.uint32)
    return children, np.ascontiguousarray(np.sort(members[:, 1:], axis=1), np.uint32)


def families_per_second(scorer, children, parents, method="automatic", repeats: int = 5) -> float:
    """Return the median rate over repeats of the whole list."""
    rates = []
    for _ in range(repeats):
        started = time.perf_counter()
        _core_testing.evaluate_families(
            scorer, children, parents, method=getattr(_core_testing.CountingMethod, method)
        )
        rates.append(len(children) / (time.perf_counter() - started))
    return statistics.median(rates)


def binary_rate(name: str, n_parents: int) -> Figures:
    codes = binary_table(name)
    arities = codes.max(axis=0) + 1
    codes, arities = codes[:, arities == 2], arities[arities == 2]
    scorer = core_scorer(codes, arities)
    children, parents = random_families(codes.shape[1], n_parents, 50_000)
    rate = families_per_second(scorer, children, parents)
    return {"rows": len(codes), "families_per_second": round(rate)}


def adult_ratio(n_parents: int) -> Figures:
    """Score the same families with baytree and with NumPy's bincount, alternately."""
    table = uci_table("adult").drop(columns=ADULT_NUMBERS)
    codes = np.stack([np.unique(table[name], return_inverse=True)[1] for name in table], axis=1)
    codes = np.asfortranarray(codes)
    arities = codes.max(axis=0) + 1
    scorer = core_scorer(codes, arities)
    ours, theirs = [], []
    for seed in range(7):
        children, parents = random_families(codes.shape[1], n_parents, 100, seed)
        ours.append(families_per_second(scorer, children, parents, repeats=1))
        started = time.perf_counter()
        expected = [
            family_bic(codes, arities, *family) for family in zip(children, parents, strict=True)
        ]
        theirs.append(len(children) / (time.perf_counter() - started))
        scores = _core_testing.evaluate_families(
            scorer, children, parents, method=_core_testing.CountingMethod.automatic
        )
        np.testing.assert_allclose(scores, expected, rtol=1e-9)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    return {
        "rows": len(codes),
        "families_per_second": round(statistics.median(ours)),
        "numpy_families_per_second": round(statistics.median(theirs)),
        "ratio": round(ratio, 1),
    }


def all_single_parents(n_variables: int, n_rows: int, n_jobs: int) -> Figures:
    """Score all pairs of a table in which every variable depends on the previous one."""
    rng = np.random.default_rng(0)
    table = rng.random((n_rows, n_variables)) < 0.3
    table[:, 1:] ^= table[:, :-1] & (rng.random((n_rows, n_variables - 1)) < 0.5)
    started = time.perf_counter()
    cache = bt.score_parent_sets(table, max_parents=1, n_jobs=n_jobs)
    seconds = time.perf_counter() - started
    summary = cache.summary()
    assert summary.n_complete == n_variables
    return {"seconds": round(seconds, 2), "families": summary.n_evaluated}


def plants_against_blip(seconds: float) -> Figures:
    """Compare the best exact scores with those of BLIP, the program of [k-max]."""
    table = binary_table("plants.train")
    scorer = bt.FamilyScorer(table)
    theirs = bt.ParentSetCache.read(cache_path("blip-plants-train"))
    rescored = sum(
        max(scorer.score(variable, parents) for parents in theirs[variable].parent_sets)
        for variable in theirs.variables
    )
    started = time.process_time()
    summary = bt.score_parent_sets(table, max_parents=5, time_limit=seconds).summary()
    return {
        "search_cpu_seconds": round(time.process_time() - started, 1),
        "families": summary.n_evaluated,
        "kept": summary.n_parent_sets,
        "sum_of_best": round(summary.best_score, 1),
        "blip_sum_of_best": round(rescored, 1),
    }


def dna_memory(seconds: float) -> Figures:
    summary = bt.score_parent_sets(
        binary_table("dna.train"), max_parents=5, time_limit=seconds
    ).summary()
    return {"families": summary.n_evaluated, "kept": summary.n_parent_sets}


def cache_size(n_sets: int, n_parents: int, n_variables: int = 200) -> Figures:
    """Measure memory and .jkl files of random parent sets."""
    rng = np.random.default_rng(0)
    n_each = n_sets // n_variables
    order = rng.permuted(np.tile(np.arange(n_variables - 1), (n_each, 1)), axis=1)
    picks = np.sort(order[:, :n_parents], axis=1)
    starts = np.arange(0, picks.size + 1, n_parents, dtype=np.uint32)
    of_variable = []
    for variable in range(n_variables):
        others = picks + (picks >= variable)  # without the variable itself
        members = others.ravel().astype(np.uint32)
        of_variable.append((rng.normal(size=n_each), members, starts))
    # Straight into the core: ten million sets as Python objects would need the memory themselves.
    core = _core.ParentSetCache(of_variable)
    cache = bt.ParentSetCache._from_core(core, range(n_variables))
    del of_variable
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cache.jkl"
        started = time.perf_counter()
        cache.write(path)
        written = time.perf_counter()
        size = path.stat().st_size
        again = bt.ParentSetCache.read(path)
        read = time.perf_counter()
    assert len(again) == len(cache)
    return {
        "sets": len(cache),
        "mb_in_memory": cache._core.n_bytes // 1_000_000,
        "mb_in_file": size // 1_000_000,
        "write_seconds": round(written - started, 1),
        "read_seconds": round(read - written, 1),
    }


CELLS = [
    ("plants.train, 3 binary parents", partial(binary_rate, "plants.train", 3)),
    ("tmovie.test, 3 binary parents", partial(binary_rate, "tmovie.test", 3)),
    ("plants.train, 5 binary parents", partial(binary_rate, "plants.train", 5)),
    ("adult, 2 parents of mixed arity", partial(adult_ratio, 2)),
    ("adult, 3 parents of mixed arity", partial(adult_ratio, 3)),
    ("10,000 variables x 5,000 rows, 2 cores", partial(all_single_parents, 10_000, 5_000, 2)),
    ("plants.train, parent sets in 38 s", partial(plants_against_blip, 38.0)),
    ("dna.train, parent sets in 60 s", partial(dna_memory, 60.0)),
    ("a cache of sets with 8 parents", partial(cache_size, 10_000_000, 8)),
]


def show(cells: CellFile) -> None:
    table = Table("cell", "figures", "CPU s", "peak MB")
    for name, _ in CELLS:
        figures = dict(cells.figures[name])
        cpu_seconds, peak_mb = figures.pop("cpu_seconds"), figures.pop("peak_mb")
        del figures["cell"]
        text = ", ".join(
            f"{figure.replace('_', ' ')} {value:,}" for figure, value in figures.items()
        )
        table.add_row(name, text, f"{cpu_seconds:,}", f"{peak_mb:,}")
    Console(width=160).print(table)


def show_methods() -> None:
    """Print microseconds per family by method, instruction set, rows, arity and parents."""
    table = Table("set", "rows", "arity", "parents", "cells", "planes", "rows", "sorting", "chosen")
    rng = np.random.default_rng(0)
    for n_rows in (500, 5_000, 50_000):
        for arity in (2, 3, 5, 10):
            codes = rng.integers(0, arity, (n_rows, 12))
            arities = np.full(12, arity)
            for name in _core_testing.instruction_sets():
                dataset = _core.Dataset(np.asfortranarray(codes, np.int32), arities.astype("i4"))
                scorer = _core.FamilyScorer(
                    dataset, score="bic", equivalent_sample_size=1.0, instruction_set=name
                )
                for n_parents in (1, 2, 3, 4, 5, 6, 7):
                    children, parents = random_families(12, n_parents, 40)
                    cells = arity ** (n_parents + 1)
                    times = []
                    for method in ("planes", "rows", "sorting", "automatic"):
                        try:
                            rate = families_per_second(scorer, children, parents, method, 3)
                            times.append(f"{1e6 / rate:.2f}")
                        except ValueError:  # the method cannot count this family
                            times.append("-")
                    row = (name, n_rows, arity, n_parents, cells)
                    table.add_row(*map(str, row), *times)
    Console(width=120).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="forget finished cells first")
    parser.add_argument(
        "--methods", action="store_true", help="compare the ways of counting instead"
    )
    options = parser.parse_args()
    if options.methods:
        show_methods()
        return
    cells = CellFile(OUTPUT, fresh=options.fresh)
    cells.run(CELLS)
    show(cells)


if __name__ == "__main__":
    main()
