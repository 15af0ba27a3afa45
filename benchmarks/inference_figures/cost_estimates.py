"""Figure 7: time of marginals estimated by `inference_cost`, and measured."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial

from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_most
from run_settings import Cell, RunSettings

from .known_queries import known_network

NETWORKS = ("alarm", "hailfinder", "pathfinder", "andes", "pigs", "diabetes", "link", "munin1")
MAX_FACTOR = 3.0
N_RUNS = 3


def cells(settings: RunSettings) -> list[Cell]:
    names = settings.pick(full=NETWORKS, quick=("alarm", "andes", "pigs"))
    return [Cell(f"7: {name}", partial(measure, name)) for name in names]


def measure(name: str) -> Figures:
    """Return estimated and measured CPU seconds of the first query on a network."""
    seconds = []
    for _ in range(N_RUNS):
        network = known_network(name)
        cost = network.inference_cost()
        started = time.process_time()  # CPU time: other programs do not count
        network.marginals()
        seconds.append(time.process_time() - started)
    return {"entries": cost.table_entries, "estimate": cost.seconds, "seconds": min(seconds)}


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        "all marginals without evidence, the first query on a network",
        ("network", "table entries", "estimate, ms", "measured, ms", "factor", "verdict"),
    )
    for cell in cells(settings):
        found = figures.get(cell.name)
        if found:
            ratio = found["seconds"] / found["estimate"]
            factor = max(ratio, 1 / ratio)
            table.rows.append(
                (
                    cell.name.removeprefix("7: "),
                    decimal(found["entries"]),
                    decimal(1000 * found["estimate"], 2),
                    decimal(1000 * found["seconds"], 2),
                    decimal(factor, 1),
                    verdict_at_most(factor, MAX_FACTOR),
                )
            )
    notes = (
        f"CPU seconds, the smallest of {N_RUNS} runs on a network just read. The estimate depends "
        "on the numbers of cliques and table entries only; on a slower processor all factors "
        "change alike."
    )
    return Report("Figure 7: estimated and measured time", notes, [table])
