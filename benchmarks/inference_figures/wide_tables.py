"""Figure 3: time of queries on learned networks of more than 1000 variables."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from functools import partial

import pandas as pd
from bench_data import binary_table
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_most
from run_settings import Cell, RunSettings

from .known_queries import likely_evidence
from .learned_networks import learned_network

TABLES = ("bbc.train", "ad.test")
MAX_TREEWIDTH = 8
N_OBSERVED = 5
MAX_MS = {"all marginals": 20.0, "P(e)": 1.0}
PAPER = {"all marginals": "100", "P(e)": "up to 5000"}


def cells(settings: RunSettings) -> list[Cell]:
    seconds = settings.seconds(full=120, quick=10)
    n_queries = settings.pick(full=100, quick=10)
    names = settings.pick(full=TABLES, quick=TABLES[:1])
    return [
        Cell(
            f"3: {name}, k = {MAX_TREEWIDTH}, learned in {seconds:g} s, {n_queries} queries",
            partial(measure, name, seconds, n_queries, settings),
        )
        for name in names
    ]


def measure(name: str, seconds: float, n_queries: int, settings: RunSettings) -> Figures:
    table = pd.DataFrame(binary_table(name))
    network = learned_network(name, table, MAX_TREEWIDTH, seconds, settings)
    times: dict[str, list[float]] = {what: [] for what in MAX_MS}
    for evidence in likely_evidence(network, n_queries + 1, N_OBSERVED, seed=3):
        started = time.perf_counter()
        network.marginals(evidence)
        between = time.perf_counter()
        network.probability(evidence)
        times["all marginals"].append(between - started)
        times["P(e)"].append(time.perf_counter() - between)
    figures: Figures = {"variables": len(network.variables), "treewidth": network.treewidth}
    for what, seconds_each in times.items():
        kept = seconds_each[1:]  # the first query computes orders that later ones reuse
        figures[f"{what} ms"] = round(1000 * statistics.median(kept), 4)
        figures[f"{what} first ms"] = round(1000 * seconds_each[0], 2)
    return figures


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        f"{N_OBSERVED} variables observed, medians",
        ("table", "variables", "treewidth", "query", "ms", "first, ms", "[k-max], ms", "verdict"),
    )
    for name, cell in zip(TABLES, cells(settings), strict=False):
        found = figures.get(cell.name)
        for what, most in MAX_MS.items() if found else ():
            table.rows.append(
                (
                    name,
                    decimal(found["variables"]),
                    decimal(found["treewidth"]),
                    what,
                    decimal(found[f"{what} ms"], 3),
                    decimal(found[f"{what} first ms"], 1),
                    PAPER[what],
                    verdict_at_most(found[f"{what} ms"], most, 2),
                )
            )
    notes = (
        "Medians without the first query, which computes orders that later ones reuse. The times "
        "of [k-max] are for other networks of this size, another engine and another machine."
    )
    return Report("Figure 3: learned networks of more than 1000 variables", notes, [table])
