"""Figure 6: time by variables and rows, effort of structural EM, and two threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from bench_data import binary_table
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_most
from run_settings import Cell, RunSettings
from sampled_networks import random_network

import baytree as bt
from imputation_figures.masked_runs import hidden_mask, impute_by_baytree, measure_imputation

RATE = 0.05
REAL = ("plants.test", "accidents.test", "dna.test", "tmovie.test", "cwebkb.test", "ad.test")
N_ROWS = 1000  # of generated tables of more and more variables
N_VARIABLES = 50  # of generated tables of more and more rows
ALONE = "variables, no regressions"
MAX_EXPONENT = 1.25
EFFORT_SET = "nltcs.test"  # 16 variables: at ten seconds each, an iteration takes minutes


def cells(settings: RunSettings) -> list[Cell]:
    sizes = settings.pick(full=(500, 1000, 2000, 5000, 10_000), quick=(100, 200))
    lengths = settings.pick(full=(10_000, 100_000, 1_000_000), quick=(2000, 10_000))
    real = settings.pick(full=REAL, quick=("dna.test",))
    efforts = settings.pick(full=(1.0, 5.0, 10.0), quick=(0.02,))
    found = [Cell(f"6: {name}", partial(measure_real, name)) for name in real]
    found += [Cell(f"6: {n} variables", partial(measure_generated, n, N_ROWS)) for n in sizes]
    found += [
        Cell(f"6: {n} {ALONE}", partial(measure_generated, n, N_ROWS, regressions=False))
        for n in sizes
    ]
    found += [Cell(f"6: {n} rows", partial(measure_generated, N_VARIABLES, n)) for n in lengths]
    found += [Cell(f"6: SEM_{e:g}", partial(measure_effort, e)) for e in efforts]
    return [*found, Cell("6: two threads", measure_threads)]


def measure_real(name: str) -> Figures:
    return _measure(binary_table(name).astype(np.int64))


def measure_generated(n_variables: int, n_rows: int, **settings: object) -> Figures:
    random = np.random.default_rng(n_variables)
    codes = random_network(n_variables, random).sample(n_rows, random).astype(np.int64)
    return _measure(codes, **settings)


def measure_effort(effort: float) -> Figures:
    """Measure structural EM with the search and the effort of [k-max]."""
    codes = binary_table(EFFORT_SET).astype(np.int64)
    return _measure(
        codes,
        learner__search="k-max",
        learner__em=bt.StructuralEM(em_init="chain", effort=effort),
        completion="joint",
        regressions=False,
        n_jobs=2,
    )


def _measure(codes: np.ndarray, **settings: object) -> Figures:
    mask = hidden_mask(codes.shape, RATE, seed=0)
    found = measure_imputation(partial(impute_by_baytree, seed=0, **settings), codes, mask)
    return {"variables": codes.shape[1], "rows": len(codes)} | found


def measure_threads() -> Figures:
    """Return the seconds of three steps on one thread and on two."""
    codes = binary_table("plants.train")
    cache = bt.score_parent_sets(codes, max_parents=3, max_parent_sets=2000, random_state=0)
    network = bt.NetworkLearner(6, search="hill-climb", random_state=0).fit(codes).network_
    long = np.tile(codes, (5, 1))
    incomplete = np.where(hidden_mask(long.shape, 0.3, 0), np.nan, long)
    steps: dict[str, Callable[[int], object]] = {
        "parent sets": lambda n: bt.score_parent_sets(
            codes, max_parents=3, max_parent_sets=20_000, random_state=0, n_jobs=n
        ),
        "search": lambda n: bt.search_structure(
            cache, max_treewidth=5, search="k-max", max_iterations=3000, random_state=0, n_jobs=n
        ),
        "completion": lambda n: network.impute(incomplete, n_jobs=n),
    }
    return {
        f"{name}, {n}": round(_seconds(step, n), 3) for name, step in steps.items() for n in (1, 2)
    }


def _seconds(step: Callable[[int], object], n_jobs: int) -> float:
    began = time.monotonic()
    step(n_jobs)
    return time.monotonic() - began


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    runs = {c.name: figures[c.name] for c in cells(settings) if c.name in figures}
    sizes = FigureTable(
        f"{100 * RATE:g} % hidden, one thread",
        ("data", "variables", "rows", "CPU s", "CPU ms per variable", "accuracy"),
    )
    for name, run in runs.items():
        if "variables" in run and "SEM" not in name:
            sizes.rows.append(_size_row(name, run))
    tables = [sizes, _exponents(runs), _efforts(runs)]
    if threads := runs.get("6: two threads"):
        tables.append(_speed_ups(threads))
    notes = (
        "Time should grow in proportion to the number of rows and, except for the scores of all "
        "pairs, to the number of variables. An exponent is the slope of log seconds by log size. "
        "The cost of regressions is constant beyond 2,000 indicators of states, so the exponent "
        "with regressions is lower than that of networks alone."
    )
    return Report("Figure 6: growth with variables and rows", notes, tables)


def _size_row(name: str, run: Figures) -> tuple[str, ...]:
    n_variables = run["variables"]
    return (
        name.removeprefix("6: "),
        decimal(n_variables),
        decimal(run["rows"]),
        decimal(run["fill_cpu"], 1),
        decimal(1000 * run["fill_cpu"] / n_variables, 1),
        decimal(run["accuracy"], 4),
    )


def _exponents(runs: Mapping[str, Figures]) -> FigureTable:
    table = FigureTable("exponents", ("by", "sizes", "exponent", "verdict"))
    for key in ("variables", ALONE, "rows"):
        chosen = [run for name, run in runs.items() if name.endswith(f" {key}")]
        if len(chosen) < 2:
            continue
        what = "rows" if key == "rows" else "variables"
        sizes, seconds = [r[what] for r in chosen], [max(r["fill_cpu"], 0.01) for r in chosen]
        slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        is_telling = max(sizes) >= 10 * min(sizes)  # otherwise start-up dominates
        verdict = verdict_at_most(slope, MAX_EXPONENT, 2) if is_telling else ""
        table.rows.append((key, ", ".join(map(decimal, sizes)), decimal(slope, 2), verdict))
    return table


def _efforts(runs: Mapping[str, Figures]) -> FigureTable:
    table = FigureTable(
        f"effort of structural EM, {EFFORT_SET}", ("setting", "seconds", "accuracy")
    )
    for name, run in runs.items():
        if "SEM_" in name:
            row = (name.removeprefix("6: "), decimal(run["fill_seconds"], 1))
            table.rows.append((*row, decimal(run["accuracy"], 4)))
    return table


def _speed_ups(threads: Figures) -> FigureTable:
    table = FigureTable("two threads, plants.train", ("step", "one, s", "two, s", "speed-up"))
    for step in ("parent sets", "search", "completion"):
        one, two = threads[f"{step}, 1"], threads[f"{step}, 2"]
        table.rows.append((step, decimal(one, 2), decimal(two, 2), decimal(one / two, 2)))
    return table
