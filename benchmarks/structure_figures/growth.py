"""Figure 6: time and memory of the default search by number of variables."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from cells import Figures
from checked_searches import learn_checked, seconds_until
from figure_tables import FigureTable, Report, decimal, verdict_at_least, verdict_at_most
from run_settings import Cell, RunSettings
from sampled_networks import sampled_table

import baytree as bt

SIZES = (250, 500, 1000, 2000, 4000, 10_000)
LARGEST = SIZES[-1]
MAX_TREEWIDTH = 5
ITERATIONS_PER_VARIABLE = 1000
PLATEAU = 0.001  # largest gain of a doubled time limit, as a fraction of the score
MAX_EXPONENT = 1.2
MAX_MB = 4000


def cells(settings: RunSettings) -> list[Cell]:
    sizes = settings.pick(full=SIZES, quick=SIZES[:3])
    found = [cell for n in sizes for cell in _size_cells(n, settings).values()]
    if settings.mode == "full":
        found.append(_largest_cell(settings))
    return found


def _size_cells(n_variables: int, settings: RunSettings) -> dict[str, Cell]:
    most = settings.seconds(full=640, quick=8)
    options = (n_variables, settings)
    return {
        "table": Cell(f"6: table, n = {n_variables}", partial(make_table, *options)),
        "forest": Cell(
            f"6: Chow-Liu, n = {n_variables}, {settings.n_jobs} cores",
            partial(measure_forest, *options),
        ),
        "pace": Cell(f"6: pace, n = {n_variables}", partial(measure_pace, *options)),
        "plateau": Cell(
            f"6: plateau, n = {n_variables}, up to {most:g} s, {settings.n_jobs} cores",
            partial(measure_plateau, *options, most),
        ),
    }


def _largest_cell(settings: RunSettings) -> Cell:
    seconds = settings.scaled(600)
    name = f"6: n = {LARGEST}, {seconds:g} s, {settings.n_jobs} cores"
    return Cell(name, partial(measure_largest, settings, seconds))


def _table(n_variables: int, settings: RunSettings) -> np.ndarray:
    return sampled_table(f"generated{n_variables}", settings.work_dir)


def make_table(n_variables: int, settings: RunSettings) -> Figures:
    """Draw the table in its own process, so that its memory is not counted."""
    return {"rows": len(_table(n_variables, settings))}


def measure_forest(n_variables: int, settings: RunSettings) -> Figures:
    table = _table(n_variables, settings)
    return learn_checked(table, MAX_TREEWIDTH, search="chow-liu", n_jobs=settings.n_jobs)


def measure_pace(n_variables: int, settings: RunSettings) -> Figures:
    """Time annealing on one core without the start before its first iteration."""
    table = _table(n_variables, settings)
    n_iterations = ITERATIONS_PER_VARIABLE * n_variables
    bt.NetworkLearner(MAX_TREEWIDTH, max_iterations=1).fit(table[:, :2])  # imports all modules
    seconds, n_accepted = [], []
    for budget in (1, n_iterations):
        started = time.perf_counter()
        learner = bt.NetworkLearner(MAX_TREEWIDTH, max_iterations=budget, random_state=0)
        n_accepted.append(learner.fit(table).n_accepted_)
        seconds.append(time.perf_counter() - started)
    milliseconds = 1e3 * (seconds[1] - seconds[0])
    return {
        "start_seconds": round(seconds[0], 3),
        "ms_per_thousand": round(1000 * milliseconds / (n_accepted[1] - n_accepted[0]), 3),
        "accepted_share": round(n_accepted[1] / n_iterations, 4),
    }


def measure_plateau(n_variables: int, settings: RunSettings, most: float) -> Figures:
    """Double the time limit until the gain over a run above the Chow-Liu tree is small."""
    table = _table(n_variables, settings)
    forest = measure_forest(n_variables, settings)["score"]
    runs: list[tuple[float, float]] = []
    limit, plateau = settings.scaled(1.0), None
    while plateau is None and limit <= most:
        run = learn_checked(table, MAX_TREEWIDTH, time_limit=limit, n_jobs=settings.n_jobs)
        if (
            runs
            and runs[-1][1] > forest
            and run["score"] - runs[-1][1] < PLATEAU * abs(runs[-1][1])
        ):
            plateau = runs[-1][0]
        runs.append((limit, run["score"]))
        limit *= 2
    return {"plateau_seconds": plateau, "runs": runs}


def measure_largest(settings: RunSettings, seconds: float) -> Figures:
    table = _table(LARGEST, settings)
    return learn_checked(table, MAX_TREEWIDTH, time_limit=seconds, n_jobs=settings.n_jobs)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """Return the slope of log values by log sizes, fitted by least squares."""
    if len(sizes) < 2 or min(values) <= 0:
        return None
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    notes = (
        "Generated networks like random2000, 5000 rows, k = 5. The time per accepted move is "
        f"that of {ITERATIONS_PER_VARIABLE} iterations per variable on one core, without the "
        "start before the first one (start s). The plateau is the smallest time limit of 1, 2, "
        "4 ... s whose score is above the Chow-Liu tree and whose double gains less than 0.1 % "
        f"of the score, on {settings.n_jobs} cores; another series of runs may end some "
        "doublings sooner or later. Exponents are of power laws fitted by least squares."
    )
    tables = [_size_table(settings, figures), *_largest_tables(settings, figures)]
    return Report("Figure 6: growth with the number of variables", notes, tables)


def _size_table(settings: RunSettings, figures: Mapping[str, Figures]) -> FigureTable:
    header = ("variables", "Chow-Liu s", "start s", "ms per 1000 accepted", "plateau s", "verdict")
    table = FigureTable("By number of variables", header)
    found = {
        n: {what: figures.get(cell.name, {}) for what, cell in _size_cells(n, settings).items()}
        for n in settings.pick(full=SIZES, quick=SIZES[:3])
    }
    pace = {n: of_size["pace"].get("ms_per_thousand") for n, of_size in found.items()}
    plateau = {n: of_size["plateau"].get("plateau_seconds") for n, of_size in found.items()}
    for n, of_size in found.items():
        table.rows.append(
            (
                f"{n:,}",
                decimal(of_size["forest"].get("seconds"), 2),
                decimal(of_size["pace"].get("start_seconds"), 2),
                decimal(pace[n], 2),
                f"{plateau[n]:g}" if plateau[n] else "-",
                "",
            )
        )
    slope, verdict = _exponent_texts(pace)
    table.rows.append(("exponent, accepted moves", "", "", slope, "", verdict))
    slope, verdict = _exponent_texts(plateau)
    if endless := [n for n, of_size in found.items() if of_size["plateau"] and not plateau[n]]:
        verdict = f"not reached: no plateau at n = {', '.join(map(str, endless))}"
    table.rows.append(("exponent, plateau", "", "", "", slope, verdict))
    return table


def _exponent_texts(values: Mapping[int, float | None]) -> tuple[str, str]:
    """Return the exponent of the measured sizes and its verdict."""
    known = {n: value for n, value in values.items() if value}
    slope = exponent(list(known), list(known.values()))
    return decimal(slope, 2), verdict_at_most(slope, MAX_EXPONENT, 2) if known else ""


def _largest_tables(settings: RunSettings, figures: Mapping[str, Figures]) -> list[FigureTable]:
    found = figures.get(_largest_cell(settings).name)
    forest = figures.get(_size_cells(LARGEST, settings)["forest"].name)
    if not found or not forest:
        return []
    when = seconds_until(found["history"], forest["score"] + 0.01)
    table = FigureTable(
        f"{LARGEST:,} variables, {found['seconds']:,.0f} s",
        ("measure", "baytree", "target", "verdict"),
    )
    rows = [
        (
            "score, above the Chow-Liu tree",
            decimal(found["score"], 1),
            decimal(forest["score"], 1),
            verdict_at_least(found["score"], forest["score"] + 0.01),
        ),
        ("seconds until above it", decimal(when, 1), "600", verdict_at_most(when, 600)),
        (
            "peak MB",
            decimal(found["peak_mb"]),
            "4,000",
            verdict_at_most(found["peak_mb"], MAX_MB),
        ),
    ]
    table.rows.extend(rows)
    return [table]
