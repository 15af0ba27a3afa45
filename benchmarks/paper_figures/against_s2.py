"""Section 4: the paragraph on S2."""

from __future__ import annotations

from collections.abc import Mapping

from cells import Figures
from figure_tables import FigureTable, Report, decimal
from run_settings import Cell, RunSettings

from .contests import TREEWIDTHS, Budgets, contest_cells, found_contests

MIN_DIFFERENCE = 10.0


def cells(settings: RunSettings) -> list[Cell]:
    return contest_cells(settings)


def difference(found: Figures, k: int) -> float:
    return float(found[f"k-max {k}"]["score"] - found[f"s2 {k}"]["score"])


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    contests = found_contests(settings, figures)
    header = ("k", "tasks", "ΔBIC above 10", "smallest ΔBIC", "of")
    table = FigureTable("k-MAX less S2", header)
    for k in TREEWIDTHS:
        found = {name: difference(contest, k) for name, contest in contests}
        if found:
            smallest = min(found, key=found.__getitem__)
            n_above = sum(d > MIN_DIFFERENCE for d in found.values())
            row = (str(k), str(len(found)), str(n_above), decimal(found[smallest], 1), smallest)
            table.rows.append(row)
    notes = (
        f"The contests of section 2: same parent sets, {Budgets.of(settings).search:g} s each. The "
        "paper has a difference above 10 for every task and treewidth."
    )
    return Report("4. Comparison with S2", notes, [table])
