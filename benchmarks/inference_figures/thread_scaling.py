"""Figure 8: seconds of calls on whole tables by number of threads. It needs no data."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings, measured

import baytree as bt

THREADS = (1, 2, 4, 8, 16)
MAX_PARENTS = 3  # of a variable in the sampled networks
N_REPEATS = 3
RATE = 0.05  # of missing cells
Call = Callable[[int], object]


class Rows(NamedTuple):
    """A network, and a table of rows sampled from it."""

    network: bt.BayesianNetwork
    table: Any


class Task(NamedTuple):
    """Calls on one table, by name, with the speed-up that 16 threads should reach."""

    name: str
    target: float
    n_rows: int
    n_variables: int
    calls: Callable[[int, int], Mapping[str, Call]]


def _row_calls(container: str, rate: float, n_rows: int, n_variables: int) -> dict[str, Call]:
    network, table = sampled_rows(container, rate, n_rows, n_variables)
    target = network.variables[n_variables // 2]
    calls: dict[str, Call] = {
        "log_likelihood": lambda n: network.log_likelihood(table, n_jobs=n),
        "predict_proba": lambda n: network.predict_proba(table, target, n_jobs=n),
    }
    if rate > 0:
        calls["impute"] = lambda n: network.impute(table, n_jobs=n)
    return calls


def _imputer_calls(n_rows: int, n_variables: int) -> dict[str, Call]:
    _, table = sampled_rows("numbers", 0.1, n_rows, n_variables)

    def fit(n_jobs: int, **settings: object) -> object:
        imputer = bt.BayesianNetworkImputer(
            n_networks=16, n_jobs=n_jobs, random_state=0, **settings
        )
        return imputer.fit_transform(table)

    return {
        "imputer": fit,
        "imputer, no regressions": partial(fit, regressions=False),
    }


def _scoring_calls(n_rows: int, n_variables: int) -> dict[str, Call]:
    _, table = sampled_rows("numbers", 0.0, n_rows, n_variables)
    score = partial(bt.score_parent_sets, table, max_parents=3, max_parent_sets=20_000)
    return {"score_parent_sets": lambda n: score(n_jobs=n)}


TASKS = (
    Task("numbers, complete", 8, 1_000_000, 20, partial(_row_calls, "numbers", 0.0)),
    Task("numbers", 8, 1_000_000, 20, partial(_row_calls, "numbers", RATE)),
    Task("text", 8, 1_000_000, 20, partial(_row_calls, "text", RATE)),
    Task("categorical", 8, 1_000_000, 20, partial(_row_calls, "categorical", RATE)),
    Task("numbers", 8, 20_000, 100, partial(_row_calls, "numbers", RATE)),
    Task("imputer", 8, 5_000, 40, _imputer_calls),
    Task("parent sets", 12, 20_000, 100, _scoring_calls),
)


def sampled_rows(container: str, rate: float, n_rows: int, n_variables: int) -> Rows:
    """Return a random network of few parents, and rows with a fraction of missing cells."""
    random = np.random.default_rng(0)
    network = _random_network(n_variables, random, is_text=container != "numbers")
    table = network.sample(n_rows, random_state=0, n_jobs=os.cpu_count())
    if container == "numbers":
        table = table.astype(np.int64)
    elif container == "text":
        table = table.astype("str")
    return Rows(network, table.mask(random.random(table.shape) < rate) if rate else table)


def _random_network(
    n_variables: int, random: np.random.Generator, *, is_text: bool
) -> bt.BayesianNetwork:
    """Draw parents among the four variables before, so that the treewidth is at most four."""
    states = {
        f"x{i}": [f"state {code}" if is_text else code for code in range(random.integers(2, 5))]
        for i in range(n_variables)
    }
    names, arcs, cpts = [*states], [], {}
    for i, name in enumerate(names):
        before = names[max(i - 4, 0) : i]
        parents = [before[j] for j in sorted(random.permutation(len(before))[:MAX_PARENTS])]
        arcs += [(parent, name) for parent in parents]
        n_configurations = int(np.prod([len(states[parent]) for parent in parents]))
        draws = random.dirichlet(np.full(len(states[name]), 0.5), n_configurations)
        cpts[name] = 0.98 * draws + 0.02 / len(states[name])
    return bt.BayesianNetwork(states, arcs, cpts=cpts)


def cells(settings: RunSettings) -> list[Cell]:
    return [cell for _, cell in _cells(settings)]


def _cells(settings: RunSettings) -> list[tuple[Task, Cell]]:
    divisor = settings.pick(full=1, quick=20)
    tasks = [task._replace(n_rows=task.n_rows // divisor) for task in TASKS]
    n_cores = os.cpu_count()
    return [
        (
            task,
            Cell(
                f"8: {task.name}, {task.n_rows:,} x {task.n_variables}, {n_cores} cores",
                partial(measure, task),
            ),
        )
        for task in tasks
    ]


def measure(task: Task) -> Figures:
    """Return the seconds of each call by number of threads, up to the number of cores."""
    threads = [n for n in THREADS if n <= (os.cpu_count() or 1)]
    calls = task.calls(task.n_rows, task.n_variables)
    seconds = {name: [_seconds(call, n) for n in threads] for name, call in calls.items()}
    return {"threads": threads, "seconds": seconds}


def _seconds(call: Call, n_jobs: int) -> float:
    """Return the smallest time of several runs."""
    times = []
    for _ in range(N_REPEATS):
        started = time.perf_counter()
        call(n_jobs)
        times.append(time.perf_counter() - started)
    return round(min(times), 4)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    found = measured(_cells(settings), figures)
    threads = found[0][1]["threads"] if found else []
    table = FigureTable(
        "seconds by threads",
        ("table", "call", *map(str, threads), "speed-up", "target", "verdict"),
    )
    for task, own in found:
        for name, seconds in own["seconds"].items():
            speed_up = seconds[0] / seconds[-1]
            has_target = threads[-1] == THREADS[-1]
            table.rows.append(
                (
                    f"{task.name}, {task.n_rows:,} x {task.n_variables}",
                    name,
                    *(decimal(value, 3) for value in seconds),
                    decimal(speed_up, 1),
                    decimal(task.target),
                    verdict_at_least(speed_up, task.target) if has_target else "",
                )
            )
    notes = (
        f"Pandas frames sampled from random networks of treewidth at most four, {RATE:.0%} of the "
        "cells missing unless the table is complete; 10 % and 16 networks for the imputer. Public "
        "calls, reading and writing of the frame included; the smallest of "
        f"{N_REPEATS} times. The speed-up is that of the most threads, which are no more than "
        f"the machine has cores; the targets are for {THREADS[-1]}."
    )
    return Report("Figure 8: threads", notes, [table])
