"""Figure 7: does `inference_cost` tell the time that marginals take?"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial

from cells import Figures
from run_settings import Cell, RunSettings
from structure_tables import FigureTable, Report, text_of, verdict_at_most

from .questions import known_network

NETWORKS = ("alarm", "hailfinder", "pathfinder", "andes", "pigs", "diabetes", "link", "munin1")
MOST_FACTOR = 3.0
N_RUNS = 3


def cells(settings: RunSettings) -> list[Cell]:
    names = settings.pick(full=NETWORKS, quick=("alarm", "andes", "pigs"))
    return [Cell(f"7: {name}", partial(measure, name)) for name in names]


def measure(name: str) -> Figures:
    """Return the seconds that were foretold and those of the processor, on a network just read."""
    seconds = []
    for _ in range(N_RUNS):
        network = known_network(name)
        cost = network.inference_cost()
        started = time.process_time()  # of one thread; other programs do not count
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
                    text_of(found["entries"]),
                    text_of(1000 * found["estimate"], 2),
                    text_of(1000 * found["seconds"], 2),
                    text_of(factor, 1),
                    verdict_at_most(factor, MOST_FACTOR),
                )
            )
    notes = (
        f"Seconds of the processor, the least of {N_RUNS} networks that were just read. The "
        "estimate comes from the numbers of cliques and table entries alone. It means a processor "
        "of today; on others, all factors move together."
    )
    return Report("7. Times foretold", notes, [table])
