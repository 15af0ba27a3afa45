"""Section 3: Table 4, iterations and scores of single networks."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from functools import partial

import numpy as np
from cells import Figures
from figure_tables import FigureTable, Report, decimal
from run_settings import Cell, RunSettings

import baytree as bt

from .contests import scored_sets
from .pictures import box_plots
from .tasks import Task, has_stand_ins

K = 5
PUBLISHED = {"k-max": (1_111, -36_937.0), "k-greedy": (96_226, -37_489.0)}
QUANTILES = tuple(range(0, 101, 2))  # of the scores, for the picture


def task(settings: RunSettings) -> str:
    return "digits.test" if has_stand_ins(settings) else "tmovie.test"


def cells(settings: RunSettings) -> list[Cell]:
    share = settings.pick(full=1.0, quick=0.05)
    seconds = settings.seconds(full=60, quick=10)
    name = f"iterations: {task(settings)}, {share:g} of the published, sets in {seconds:g} s"
    return [Cell(name, partial(measure, task(settings), share, seconds))]


def measure(name: str, share: float, seconds: float) -> Figures:
    cache = scored_sets(Task(name).learning_rows(), K, seconds)
    figures: Figures = {"task": name, "parent sets": len(cache)}
    for search, (n_published, _) in PUBLISHED.items():
        result = bt.search_structure(
            cache,
            max_treewidth=K,
            search=search,
            max_iterations=round(share * n_published),
            random_state=0,
            keep_scores=True,
        )
        scores = result.iteration_scores
        figures[search] = {
            "iterations": result.n_iterations,
            "best": round(result.score, 1),
            "median": round(statistics.median(scores), 1),
            "quantiles": np.percentile(scores, QUANTILES).round(1).tolist(),
        }
    return figures


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = (
        "search",
        "iterations",
        "median",
        "best",
        "iterations, published",
        "median, published",
    )
    found = [figures[cell.name] for cell in cells(settings) if cell.name in figures]
    tables, pictures = [], {}
    for run in found:
        table = FigureTable(f"{run['task']}, k = {K}, {run['parent sets']:,} parent sets", header)
        for search, (n, median) in PUBLISHED.items():
            own = run[search]
            table.rows.append(
                (
                    search,
                    *(decimal(own[key]) for key in ("iterations", "median", "best")),
                    decimal(n),
                    decimal(median),
                )
            )
        tables.append(table)
        scores = {search: run[search]["quantiles"] for search in PUBLISHED}
        pictures["iterations"] = box_plots("BIC of single networks", scores, "BIC")
    notes = (
        "The published numbers of iterations on parent sets of our own. The program of the paper "
        "smooths the counts in its BIC, which lowers its scores, and has other parent sets."
    )
    return Report("3. Table 4: iterations", notes, tables, pictures=pictures)
