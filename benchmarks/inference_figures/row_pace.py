"""Figure 4: rows per second of scoring, imputation, sampling and EM."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from bench_data import binary_table
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

import baytree as bt

TABLE = "bnetflix.train"  # 100 binary variables
MAX_TREEWIDTH = 5
N_REPEATS = 3


class Task(NamedTuple):
    """A call that is timed on rows with a fraction of missing cells."""

    name: str
    rate: float
    target: float | None
    call: Callable[[bt.BayesianNetwork, np.ndarray, int], object]


def _fit(network: bt.BayesianNetwork, rows: np.ndarray, n_jobs: int) -> object:
    return bt.fit_parameters(network, rows, max_em_iterations=1, n_jobs=n_jobs)


TASKS = (
    Task("log_likelihood", 0.0, 1_000_000, lambda n, t, j: n.log_likelihood(t, n_jobs=j)),
    Task("log_likelihood", 0.05, 100_000, lambda n, t, j: n.log_likelihood(t, n_jobs=j)),
    Task("impute, joint", 0.05, 50_000, lambda n, t, j: n.impute(t, "joint", n_jobs=j)),
    Task("impute, independent", 0.05, 50_000, lambda n, t, j: n.impute(t, "independent", n_jobs=j)),
    Task("predict", 0.05, None, lambda n, t, j: n.predict(t, n.variables[0], n_jobs=j)),
    Task("one iteration of EM", 0.05, None, _fit),
    Task("log_likelihood", 0.5, None, lambda n, t, j: n.log_likelihood(t, n_jobs=j)),
    Task("impute, joint", 0.5, None, lambda n, t, j: n.impute(t, "joint", n_jobs=j)),
    Task("one iteration of EM", 0.5, None, _fit),
    Task("one iteration of EM", 0.7, None, _fit),
)


def cells(settings: RunSettings) -> list[Cell]:
    n_rows = settings.pick(full=1_000_000, quick=100_000)
    seconds = settings.seconds(full=20, quick=5)
    name = f"4: {TABLE}, k = {MAX_TREEWIDTH}, learned in {seconds:g} s, {n_rows:,} rows"
    return [Cell(f"{name}, {settings.n_jobs} threads", partial(measure, n_rows, seconds, settings))]


def measure(n_rows: int, seconds: float, settings: RunSettings) -> Figures:
    """Time public calls on arrays, encoding included; fewer rows where many cells are missing."""
    learner = bt.NetworkLearner(
        MAX_TREEWIDTH, time_limit=seconds, n_jobs=settings.n_jobs, random_state=0
    )
    network = learner.fit(binary_table(TABLE)).network_
    figures: Figures = {"treewidth": network.treewidth}
    started = time.perf_counter()
    rows = network.sample(n_rows, random_state=0, n_jobs=settings.n_jobs).to_numpy(np.int8)
    figures["sample"] = round(n_rows / (time.perf_counter() - started))
    for task in TASKS:
        table = _with_missing_cells(rows, task.rate)
        task.call(network, table[:100], settings.n_jobs)
        elapsed, cpu = _fastest(partial(task.call, network, table, settings.n_jobs))
        figures[_key(task)] = {
            "elapsed": round(len(table) / elapsed),
            "cpu": round(len(table) / cpu),
        }
    return figures


def _with_missing_cells(rows: np.ndarray, rate: float) -> np.ndarray:
    if rate == 0:
        return rows
    table = rows[: len(rows) // (4 if rate < 0.1 else 50)].astype(np.float32)
    table[np.random.default_rng(0).random(table.shape) < rate] = np.nan
    return table


def _fastest(call: Callable[[], object]) -> tuple[float, float]:
    """Return elapsed and CPU seconds, each the smallest of several runs."""
    times = []
    for _ in range(N_REPEATS):
        started, cpu_started = time.perf_counter(), time.process_time()
        call()
        times.append((time.perf_counter() - started, time.process_time() - cpu_started))
    return min(elapsed for elapsed, _ in times), min(cpu for _, cpu in times)


def _key(task: Task) -> str:
    return f"{task.name} {task.rate}"


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        f"{TABLE}, k = {MAX_TREEWIDTH}, {settings.n_jobs} threads",
        ("call", "missing", "rows per second", "rows per CPU second", "target", "verdict"),
    )
    found = figures.get(cells(settings)[0].name)
    for task in TASKS if found else ():
        pace = found[_key(task)]
        table.rows.append(
            (
                task.name,
                f"{task.rate:.0%}",
                decimal(pace["elapsed"]),
                decimal(pace["cpu"]),
                decimal(task.target),
                "" if task.target is None else verdict_at_least(pace["elapsed"], task.target, 0),
            )
        )
    drawn = f" Sampling drew {found['sample']:,} rows per second." if found else ""
    notes = (
        "Public calls on NumPy arrays, from labels to labels. Rows per CPU second depend less on "
        f"other work of the machine.{drawn}"
    )
    return Report("Figure 4: rows per second", notes, [table])
