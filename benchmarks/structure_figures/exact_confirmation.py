"""Figure 7: annealing against exact search on small problems."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from cells import Figures
from checked_searches import learn_checked
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings
from sampled_networks import random_network

TREEWIDTHS = (2, 3)
N_PROBLEMS = 25  # per treewidth
MIN_FOUND = 49  # of all
N_ROWS = 500
VARIABLES = (5, 10)  # smallest and largest number


def cells(settings: RunSettings) -> list[Cell]:
    return [_cell(k) for k in TREEWIDTHS]


def _cell(max_treewidth: int) -> Cell:
    name = f"7: {N_PROBLEMS} problems, k = {max_treewidth}"
    return Cell(name, partial(measure, max_treewidth))


def measure(max_treewidth: int) -> Figures:
    losses = []
    for seed in range(N_PROBLEMS):
        table = _small_table(np.random.default_rng([max_treewidth, seed]))
        exact, found = (
            learn_checked(table, max_treewidth, search=search)["score"]
            for search in ("exact", "anneal")
        )
        assert found <= exact + 0.01, "annealing cannot beat the optimum"
        losses.append(round(exact - found, 2))
    n_found = sum(loss <= 0.01 for loss in losses)
    return {"problems": N_PROBLEMS, "optimum_found": n_found, "largest_loss": max(losses)}


def _small_table(rng: np.random.Generator) -> np.ndarray:
    n_variables = int(rng.integers(VARIABLES[0], VARIABLES[1] + 1))
    return random_network(n_variables, rng).sample(N_ROWS, rng)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("treewidth", "problems", "optimum found", "largest loss", "verdict")
    table = FigureTable("Annealing against exact search", header)
    found = {k: figures[_cell(k).name] for k in TREEWIDTHS if _cell(k).name in figures}
    for k, counts in found.items():
        problems, optima = (str(counts[key]) for key in ("problems", "optimum_found"))
        table.rows.append((str(k), problems, optima, decimal(counts["largest_loss"], 2), ""))
    if len(found) == len(TREEWIDTHS):
        total = sum(counts["optimum_found"] for counts in found.values())
        n_problems = sum(counts["problems"] for counts in found.values())
        row = ("both", str(n_problems), str(total), "", verdict_at_least(total, MIN_FOUND, 0))
        table.rows.append(row)
    notes = (
        f"Random networks of {VARIABLES[0]} to {VARIABLES[1]} variables, {N_ROWS} rows; both "
        "searches with default settings and no limits."
    )
    return Report("Figure 7: optimum of small problems", notes, [table])
