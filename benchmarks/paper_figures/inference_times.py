"""Section 6: the paragraph on inference times."""

from __future__ import annotations

from collections.abc import Mapping

from cells import Figures
from figure_tables import FigureTable, Report
from run_settings import Cell, RunSettings, measured

from .contests import TREEWIDTHS
from .queries import networks, query_cell

COLUMNS = ("marginals", "marginals by ijgp", "query")


def cells(settings: RunSettings) -> list[Cell]:
    return [query_cell(name, settings) for name in networks(settings)]


def found_queries(
    settings: RunSettings, figures: Mapping[str, Figures]
) -> list[tuple[str, Figures]]:
    return measured(((name, query_cell(name, settings)) for name in networks(settings)), figures)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("network", "n", "model", "treewidth", "all marginals", "by IJGP", "P(e) of five")
    table = FigureTable("seconds; P(e) is the median of the queries", header)
    for name, found in found_queries(settings, figures):
        for model in ("known", *(f"k-max {k}" for k in TREEWIDTHS)):
            run = found[model]
            times = [_seconds(run[column]) for column in COLUMNS]
            width = str(run.get("treewidth", "-"))
            table.rows.append((name, f"{found['variables']:,}", model, width, *times))
    notes = (
        "A dash is no answer within the limit of a query, or within memory. Learned networks "
        "answer exactly. The paper computes all by IJGP: on its large known networks it had no "
        "answer after 30 minutes, on learned ones marginals within 0.1 s; P(e) of five variables "
        "took about 60 s on small known networks, and less than 5 s at k = 8."
    )
    return Report("6. Inference times", notes, [table])


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
