"""Section 8: the figures of the error and the time of P(e) of five variables."""

from __future__ import annotations

from collections.abc import Mapping

from cells import Figures
from figure_tables import FigureTable, Report
from run_settings import Cell, RunSettings

from . import inference_times
from .contests import TREEWIDTHS
from .inference_times import found_queries

MODELS = ("chordalysis", *(f"k-max {k}" for k in TREEWIDTHS))


def cells(settings: RunSettings) -> list[Cell]:
    return inference_times.cells(settings)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    found = found_queries(settings, figures)
    errors = FigureTable("mean absolute error of P(e)", ("network", "truth by", *MODELS))
    times = FigureTable("milliseconds of P(e), median (slowest)", ("network", *MODELS))
    widths = FigureTable("treewidth", ("network", *MODELS))
    for name, run in found:
        own = [run[model] for model in MODELS]
        maes = ["-" if m["mae"] is None else f"{m['mae']:.2e}" for m in own]
        errors.rows.append((name, run["known"]["query engine"], *maes))
        times.rows.append((name, *map(_milliseconds, own)))
        widths.rows.append((name, *(str(model["treewidth"]) for model in own)))
    notes = (
        "Random states of five random variables, the same queries for all networks. Most of these "
        "have a probability near zero, so that small errors say little. Where the known network "
        "has no answer, there is no error."
    )
    return Report("8. Error and time of queries", notes, [errors, times, widths])


def _milliseconds(run: Figures) -> str:
    if run["query"] is None:
        return "-"
    return f"{1000 * run['query']:.3g} ({1000 * run['slowest query']:.3g})"
