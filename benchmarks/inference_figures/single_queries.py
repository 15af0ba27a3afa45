"""Figure 2: time of single queries compared with pyAgrum's LazyPropagation."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial

from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

from .agrum_engine import AgrumEngine
from .known_queries import known_network, likely_evidence, unobserved

NETWORKS = ("alarm", "andes", "pigs")
N_OBSERVED = 5
MIN_RATIO = {"one target": 5.0, "all marginals": 3.0}


def cells(settings: RunSettings) -> list[Cell]:
    n_queries = settings.pick(full=50, quick=5)
    return [
        Cell(f"2: {name}, {n_queries} queries in turn", partial(measure, name, n_queries))
        for name in NETWORKS
    ]


def measure(name: str, n_queries: int) -> Figures:
    """Run the same queries alternately; return medians of milliseconds and of ratios."""
    network = known_network(name)
    theirs = AgrumEngine(network)
    queries = likely_evidence(network, n_queries + 1, N_OBSERVED, seed=2)
    targets = [unobserved(network, evidence, seed) for seed, evidence in enumerate(queries)]
    pairs: dict[str, list[tuple[float, float]]] = {what: [] for what in MIN_RATIO}
    for evidence, target in zip(queries, targets, strict=True):
        pairs["one target"].append(
            (
                _milliseconds(partial(network.posterior, target, evidence)),
                _milliseconds(partial(theirs.posterior, target, evidence)),
            )
        )
        pairs["all marginals"].append(
            (
                _milliseconds(partial(network.marginals, evidence)),
                _milliseconds(partial(theirs.marginals, evidence)),
            )
        )
    figures: Figures = {}
    for what, timed in pairs.items():
        kept = timed[1:]  # the first query computes orders that later ones reuse
        figures[f"{what} ms"] = round(statistics.median(ours for ours, _ in kept), 4)
        figures[f"{what} pyAgrum ms"] = round(statistics.median(other for _, other in kept), 4)
        figures[f"{what} ratio"] = round(statistics.median(b / a for a, b in kept), 2)
    return figures


def _milliseconds(query: Callable[[], object]) -> float:
    started = time.perf_counter()
    query()
    return 1000 * (time.perf_counter() - started)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        f"{N_OBSERVED} variables observed",
        ("network", "query", "baytree, ms", "pyAgrum, ms", "ratio", "target", "verdict"),
    )
    for name, cell in zip(NETWORKS, cells(settings), strict=True):
        found = figures.get(cell.name)
        for what, least in MIN_RATIO.items() if found else ():
            table.rows.append(
                (
                    name,
                    what,
                    decimal(found[f"{what} ms"], 3),
                    decimal(found[f"{what} pyAgrum ms"], 3),
                    decimal(found[f"{what} ratio"], 1),
                    f"at least {least:g}",
                    verdict_at_least(found[f"{what} ratio"], least),
                )
            )
    notes = (
        "Both programs run the same queries alternately; medians without the first query. pyAgrum "
        "reuses its engine and returns arrays. baytree returns labels: a Series for one target, "
        "and for all marginals an object that makes the Series of a variable on access."
    )
    return Report("Figure 2: single queries, pyAgrum", notes, [table])
