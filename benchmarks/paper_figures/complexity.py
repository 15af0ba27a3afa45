"""Section 11: growth of SEM-kMAX with variables and rows, and threads."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from cells import Figures
from figure_tables import FigureTable, Report, decimal
from imputation_figures.masked_runs import hidden_mask, measure_imputation
from run_settings import Cell, RunSettings

import baytree as bt

from .imputation import impute_by_sem

RATE = 0.05
N_ROUNDS = 5
MAX_EXPONENT = 1.1
STEPS = ("parent sets", "k-MAX", "imputation")


def cells(settings: RunSettings) -> list[Cell]:
    sizes = settings.pick(full=(100, 200, 400, 800, 1600), quick=(50, 100, 200))
    lengths = settings.pick(full=(1000, 4000, 16_000, 64_000), quick=(500, 1000, 2000))
    effort = settings.seconds(full=0.1, quick=0.01)
    threads = settings.pick(full=(1, 2, 4, 8, 16), quick=(1, 2))
    n_cores = os.cpu_count() or 1
    return [
        *(_cell("variables", n, 1000, effort) for n in sizes),
        *(_cell("rows", 100, n, effort) for n in lengths),
        Cell(f"complexity: {max(threads)} threads", partial(measure_threads, threads, n_cores)),
    ]


def _cell(what: str, n_variables: int, n_rows: int, effort: float) -> Cell:
    text = f"complexity: {what}, {n_variables} x {n_rows}, SEM_{effort:g}"
    return Cell(text, partial(measure, n_variables, n_rows, effort))


def rows_of(n_variables: int, n_rows: int) -> np.ndarray:
    """Return rows of a random network of bounded degree; a block of rows for every size."""
    network = bt.random_network(n_variables, max_degree=4, max_states=2, random_state=0)
    return network.sample(n_rows, random_state=1).to_numpy().astype(np.int64)


def measure(n_variables: int, n_rows: int, effort: float) -> Figures:
    codes = rows_of(n_variables, n_rows)
    hidden = hidden_mask(codes.shape, RATE, 0)
    run = partial(impute_by_sem, seed=0, seconds=effort)
    return {"variables": n_variables, "rows": n_rows} | measure_imputation(run, codes, hidden)


def measure_threads(threads: tuple[int, ...], n_cores: int) -> Figures:
    """Return medians of the seconds of the three steps, by number of threads."""
    codes = rows_of(100, 20_000)
    cache = bt.score_parent_sets(codes, max_parents=3, max_parent_sets=2000, random_state=0)
    network = bt.NetworkLearner(6, search="hill-climb", random_state=0).fit(codes).network_
    incomplete = np.where(hidden_mask(codes.shape, 0.3, 0), np.nan, codes)
    steps: dict[str, Callable[[int], object]] = {
        "parent sets": lambda n: bt.score_parent_sets(
            codes, max_parents=3, max_parent_sets=20_000, random_state=0, n_jobs=n
        ),
        "k-MAX": lambda n: bt.search_structure(
            cache, max_treewidth=6, search="k-max", max_iterations=8000, random_state=0, n_jobs=n
        ),
        "imputation": lambda n: network.impute(incomplete, completion="joint", n_jobs=n),
    }
    usable = [n for n in threads if n <= n_cores]
    figures: Figures = {"threads": usable}
    for name, step in steps.items():
        seconds: dict[int, list[float]] = {n: [] for n in usable}
        for _ in range(N_ROUNDS):
            for n in usable:
                began = time.perf_counter()
                step(n)
                seconds[n].append(time.perf_counter() - began)
        figures[name] = [round(statistics.median(seconds[n]), 3) for n in usable]
    return figures


def exponent(runs: list[Figures], key: str) -> float:
    """Return the slope of log seconds by log size."""
    sizes = [run[key] for run in runs]
    seconds = [max(run["fill_seconds"], 0.01) for run in runs]
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def growth(settings: RunSettings, figures: Mapping[str, Figures], what: str) -> list[Figures]:
    names = [own.name for own in cells(settings) if own.name.startswith(f"complexity: {what}")]
    return [figures[name] for name in names if name in figures]


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("by", "variables", "rows", "seconds", "accuracy")
    sizes = FigureTable("one thread, the same effort for all", header)
    exponents = FigureTable("exponents", ("by", "exponent"))
    for what in ("variables", "rows"):
        runs = growth(settings, figures, what)
        for run in runs:
            shape = (decimal(run["variables"]), decimal(run["rows"]))
            times = (decimal(run["fill_seconds"], 2), decimal(run["accuracy"], 4))
            sizes.rows.append((what, *shape, *times))
        if len(runs) > 1:
            exponents.rows.append((what, decimal(exponent(runs, what), 2)))
    tables = [sizes, exponents]
    threads = figures.get(cells(settings)[-1].name)
    if threads:
        tables.append(_speed_ups(threads))
    notes = (
        f"Rows of random networks, {100 * RATE:g} % hidden. The paper's steps are linear in the "
        "number of variables and of rows; scores of all pairs of variables, which come before "
        "larger sets, are not, but stay within the time for parent sets."
    )
    return Report("11. Complexity and parallelization", notes, tables)


def _speed_ups(threads: Figures) -> FigureTable:
    counts = threads["threads"]
    table = FigureTable(
        f"seconds and speed-up by threads, medians of {N_ROUNDS}",
        ("step", *(f"{n}" for n in counts)),
    )
    for step in STEPS:
        first, *_ = own = threads[step]
        table.rows.append((step, *(f"{s:.2f} s, {first / s:.1f}" for s in own)))
    return table
