"""Section 10: SEM_1, SEM_5 and SEM_10: time by number of variables, and accuracy."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from functools import partial

from cells import Figures
from figure_tables import FigureTable, Report, decimal
from imputation_figures.masked_runs import hidden_mask, measure_imputation
from run_settings import Cell, RunSettings, measured

from . import imputation
from .imputation import FIRST_RATE, QUICK_SETS, impute_by_sem, table_of
from .pictures import box_plots, scatter
from .tasks import has_stand_ins, real_sets

EFFORTS = (0.1, 0.5, 1, 5, 10)  # those of the paper, and a tenth of the first two
QUICK_SCALE = 0.004


def sets(settings: RunSettings) -> tuple[str, ...]:
    is_quick = settings.mode == "quick" and not has_stand_ins(settings)
    return QUICK_SETS if is_quick else real_sets(settings)


def effort(times: float, settings: RunSettings) -> float:
    return settings.scaled(times * settings.pick(full=1.0, quick=QUICK_SCALE))


def shares_its_run(times: float, settings: RunSettings) -> bool:
    """Return True if section 9 runs SEM-kMAX with the same effort."""
    return effort(times, settings) == imputation.effort(settings)


def cell(name: str, times: float, settings: RunSettings) -> Cell:
    seconds = effort(times, settings)
    if shares_its_run(times, settings):
        return imputation.cell(name, FIRST_RATE, 0, settings)
    text = f"effort: {name}, {100 * FIRST_RATE:g} % hidden, SEM_{seconds:g}"
    return Cell(text, partial(measure, name, seconds))


def cells(settings: RunSettings) -> list[Cell]:
    return [cell(name, times, settings) for times in EFFORTS for name in sets(settings)]


def measure(name: str, seconds: float) -> Figures:
    codes = table_of(name)
    hidden = hidden_mask(codes.shape, FIRST_RATE, 0)
    run = partial(impute_by_sem, seed=0, seconds=seconds)
    return {"variables": codes.shape[1], "rows": len(codes)} | measure_imputation(
        run, codes, hidden
    )


def found_runs(
    settings: RunSettings, figures: Mapping[str, Figures]
) -> dict[tuple[str, float], Figures]:
    keys = [(name, times) for name in sets(settings) for times in EFFORTS]
    found = dict(measured(((key, cell(*key, settings)) for key in keys), figures))
    return {
        key: {**run, **run["sem"]} if shares_its_run(key[1], settings) else run
        for key, run in found.items()
    }


def ratios(
    found: Mapping[tuple[str, float], Figures], times: float, base: float = 1
) -> list[float]:
    """Return the accuracy of SEM_times divided by that of SEM_base, for sets that have both."""
    return [
        run["accuracy"] / found[name, base]["accuracy"]
        for (name, own), run in found.items()
        if own == times and (name, base) in found
    ]


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    found = found_runs(settings, figures)
    header = ["data", "n", "rows"]
    header += [f"SEM_{effort(t, settings):g}{unit}" for t in EFFORTS for unit in ("", ", s")]
    table = FigureTable("accuracy and seconds", tuple(header))
    for name in sets(settings):
        runs = [found.get((name, times)) for times in EFFORTS]
        sizes = next((run for run in runs if run), None)
        if sizes is None:
            continue
        row = [name, decimal(sizes["variables"]), decimal(sizes["rows"])]
        for run in runs:
            row.append(decimal(run["accuracy"] if run else None, 4))
            row.append(decimal(run["fill_seconds"] if run else None, 1))
        table.rows.append(tuple(row))
    pictures = {}
    if found:
        series = {
            f"SEM_{effort(t, settings):g}": [
                (run["variables"], run["fill_seconds"]) for (_, o), run in found.items() if o == t
            ]
            for t in EFFORTS
        }
        series = {name: points for name, points in series.items() if points}
        pictures["time_by_n"] = scatter(
            "seconds by number of variables", series, ("variables", "seconds")
        )
    groups = {f"SEM_{t} / SEM_1": ratios(found, t) for t in (5, 10)}
    groups["SEM_0.5 / SEM_0.1"] = ratios(found, 0.5, 0.1)
    groups = {name: values for name, values in groups.items() if values}
    if groups:
        pictures["effort"] = box_plots("ratio of accuracies", groups, "ratio")
    medians = ", ".join(
        f"{name} {statistics.median(values):.4f}" for name, values in groups.items()
    )
    notes = (
        f"The test split, {100 * FIRST_RATE:g} % hidden, one mask, one core. Medians of the ratios "
        f"of accuracies: {medians or 'not measured'}. Time is a multiple of the number of "
        "variables by construction; the multiple is the number of structure updates."
    )
    return Report("10. SEM_1, SEM_5 and SEM_10", notes, [table], pictures=pictures)
