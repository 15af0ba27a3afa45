"""Figure 8: optima proved by exact search, and how long that takes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bench_data import cache_path
from cells import Figures
from checked_searches import search_checked
from figure_tables import FigureTable, Report, decimal, verdict_at_most
from run_settings import Cell, RunSettings
from sampled_networks import task_table

import baytree as bt

MAX_SECONDS = 600
PROBLEMS = (
    ("asia", (2, 3)),
    ("child", (2, 3)),
    ("bnslim-child-5000", (2, 3)),
    ("insurance", (2, 3)),
    ("nltcs.train", (2, 3, 4)),
)


def _tasks(settings: RunSettings) -> list[tuple[str, int]]:
    widest = settings.pick(full=4, quick=2)
    return [(name, k) for name, widths in PROBLEMS for k in widths if k <= widest]


def _cell(problem: str, max_treewidth: int, settings: RunSettings) -> Cell:
    seconds = settings.scaled(MAX_SECONDS)
    name = f"8: {problem}, k = {max_treewidth}, up to {seconds:g} s, {settings.n_jobs} cores"
    return Cell(name, partial(measure, problem, max_treewidth, seconds, settings))


def cells(settings: RunSettings) -> list[Cell]:
    return [_cell(*task, settings) for task in _tasks(settings)]


def measure(problem: str, max_treewidth: int, seconds: float, settings: RunSettings) -> Figures:
    cache = _cache(problem, max_treewidth, settings.work_dir)
    figures = search_checked(
        cache, max_treewidth, search="exact", time_limit=seconds, n_jobs=settings.n_jobs
    )
    kept = {key: figures[key] for key in ("score", "gap", "seconds")}
    return {"variables": len(cache.variables), "parent_sets": len(cache), **kept}


def _cache(problem: str, max_parents: int, work_dir: Path) -> bt.ParentSetCache:
    if problem.startswith("bnslim-"):
        return bt.ParentSetCache.read(cache_path(problem))
    return bt.score_parent_sets(task_table(problem, work_dir), max_parents=max_parents)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("problem", "k", "variables", "parent sets", "best score", "gap", "seconds", "verdict")
    table = FigureTable("search_structure with the exact search", header)
    for problem, k in _tasks(settings):
        found = figures.get(_cell(problem, k, settings).name)
        if found is None:
            continue
        counts = (f"{found[key]:,}" for key in ("variables", "parent_sets"))
        score, gap, seconds = (found[key] for key in ("score", "gap", "seconds"))
        verdict = verdict_at_most(gap, 0, 3)
        row = (problem, str(k), *counts, decimal(score, 2), decimal(gap, 3), decimal(seconds, 1))
        table.rows.append((*row, verdict))
    notes = (
        "Rows of networks are sampled; all sets of at most k parents are scored beforehand. A gap "
        "of 0 is a proof that no network of treewidth k has a higher score."
    )
    return Report("Figure 8: proofs of the optimum", notes, [table])
