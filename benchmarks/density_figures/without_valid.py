"""Figure 2: mixtures that hold out rows of their own, beside those with validation rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

from density_figures.against_published import mixture_cell
from density_figures.likelihoods import budget, measure_mixture, sets

MAX_LOSS = 0.003  # relative to the log-likelihood with validation rows


def cells(settings: RunSettings) -> list[Cell]:
    return [_cell(name, settings) for name in sets(settings)]


def _cell(name: str, settings: RunSettings) -> Cell:
    return Cell(
        f"2: mixture of {name}, {budget(settings)}",
        partial(measure_mixture, name, False, settings),
    )


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        "mean log-likelihood of test rows",
        ("data", "with validation", "without", "difference", "seconds", "peak MB", "verdict"),
    )
    for name in sets(settings):
        own = figures.get(_cell(name, settings).name)
        other = figures.get(mixture_cell(name, settings).name)
        if own is None or other is None:
            continue
        value, target = own["log_likelihood"], other["log_likelihood"]
        table.rows.append(
            (
                name,
                decimal(target, 3),
                decimal(value, 3),
                f"{100 * (value - target) / abs(target):+.2f} %",
                decimal(own["learn_seconds"], 1),
                decimal(own["peak_mb"]),
                verdict_at_least(value, target - MAX_LOSS * abs(target), 3),
            )
        )
    notes = (
        "The learner of figure 1 without the valid split: each mixture holds out a tenth of the "
        f"train split. The target is a log-likelihood at most {100 * MAX_LOSS:g} % below figure 1."
    )
    return Report("Figure 2: without validation rows", notes, [table])
