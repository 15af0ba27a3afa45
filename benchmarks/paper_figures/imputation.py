"""Section 9: SEM-kMAX itself against random forests (mRF), as accuracy and time."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from functools import partial

import numpy as np
from cells import Figures
from figure_tables import FigureTable, Report, decimal
from imputation_figures.masked_runs import (
    hidden_mask,
    impute_by_baytree,
    measure_imputation,
    measure_method,
)
from peers import PEERS
from run_settings import Cell, RunSettings, measured

import baytree as bt

from .pictures import box_plots, scatter
from .tasks import codes_of, has_stand_ins, real_sets, splits_of

FOREST, MODE = "mRF_0.25", "mode"
RATES = (0.01, 0.02, 0.03, 0.05, 0.08, 0.10, 0.12, 0.15)
FIRST_RATE = 0.05  # so that an interrupted run has a result
N_MASKS = 5
QUICK_SETS = ("plants", "dna")
QUICK_EFFORT = 0.02
# Structure updates that the effort for a tenth of the time of mRF allows for.
EXPECTED_UPDATES = 3
METHODS = {
    "sem": "SEM-kMAX",
    "tenth": "SEM-kMAX in a tenth of the time of mRF",
    "default": "baytree",
    "forest": FOREST,
    "mode": "mode",
}


def tasks(settings: RunSettings) -> list[tuple[str, float, int]]:
    """Return sets, rates and masks, those of the first rate and mask first."""
    is_quick = settings.mode == "quick" and not has_stand_ins(settings)
    names = QUICK_SETS if is_quick else real_sets(settings)
    rates = settings.pick(full=RATES, quick=(FIRST_RATE,))
    found = [
        (name, rate, mask)
        for rate in rates
        for mask in range(settings.pick(full=N_MASKS, quick=1))
        for name in names
    ]
    return sorted(found, key=lambda task: (task[2], task[1] != FIRST_RATE, task[1]))


def effort(settings: RunSettings) -> float:
    return settings.seconds(full=1.0, quick=QUICK_EFFORT)


def cell(name: str, rate: float, mask: int, settings: RunSettings) -> Cell:
    seconds = effort(settings)
    text = f"imputation: {name}, {100 * rate:g} % hidden, mask {mask}, SEM_{seconds:g}"
    return Cell(text, partial(measure, name, rate, mask, seconds))


def cells(settings: RunSettings) -> list[Cell]:
    return [cell(*task, settings) for task in tasks(settings)]


def table_of(name: str) -> np.ndarray:
    """Return the test split, which the paper's numbers of rows are those of, or another one."""
    split = "test" if "test" in splits_of(name) else splits_of(name)[-1]
    return codes_of(f"{name}.{split}").astype(np.int64)


def impute_by_sem(codes: np.ndarray, seed: int, seconds: float, **settings: object) -> np.ndarray:
    preset = bt.BayesianNetworkImputer.preset("sem-kmax").get_params(deep=False)
    own = {key: preset[key] for key in ("completion", "learner", "n_networks", "regressions")}
    return impute_by_baytree(codes, seed, **own, learner__em__effort=seconds, **settings)


def measure(name: str, rate: float, mask: int, seconds: float) -> Figures:
    codes = table_of(name)
    hidden = hidden_mask(codes.shape, rate, mask)
    figures: Figures = {"variables": codes.shape[1], "rows": len(codes)}
    figures["sem"] = measure_imputation(
        partial(impute_by_sem, seed=mask, seconds=seconds), codes, hidden
    )
    figures["default"] = measure_imputation(
        partial(impute_by_baytree, seed=mask, n_networks=5), codes, hidden
    )
    figures["forest"] = measure_method(FOREST, codes, hidden, mask)
    figures["mode"] = measure_imputation(partial(PEERS[MODE], seed=mask), codes, hidden)
    tenth = figures["forest"]["fill_cpu"] / 10
    short = tenth / (1.1 * EXPECTED_UPDATES * codes.shape[1])
    figures["tenth"] = measure_imputation(
        partial(impute_by_sem, seed=mask, seconds=short), codes, hidden
    ) | {"effort": round(short, 5)}
    return figures


def found_runs(
    settings: RunSettings, figures: Mapping[str, Figures]
) -> list[tuple[str, float, Figures]]:
    found = measured(((task, cell(*task, settings)) for task in tasks(settings)), figures)
    return [(name, rate, run) for (name, rate, _), run in found]


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    found = found_runs(settings, figures)
    notes = (
        f"SEM_{effort(settings):g} is SEM-kMAX with {effort(settings):g} s per variable for parent "
        "sets, and a tenth of that for k-MAX, in each structure update; the paper has 1 s. mRF is "
        "built on scikit-learn's forests of 100 trees. Its effort for a tenth of mRF's time allows "
        f"for {EXPECTED_UPDATES} structure updates; the ratio says what came out. `baytree` is the "
        "default imputer. Seconds are CPU seconds of one core, all methods in the same process, "
        "with the same cells hidden. Figures are means over masks."
    )
    pictures = {}
    if found:
        pictures = {
            "accuracy": _scatter("accuracy", "accuracy", found),
            "seconds": _scatter("CPU seconds", "fill_cpu", found),
            "accuracy_ratios": _ratios("accuracy: SEM-kMAX / mRF", "accuracy", found),
            "time_ratios": _ratios("CPU seconds: SEM-kMAX / mRF", "fill_cpu", found),
        }
    tables = [_by_rate(found), _details(found)]
    return Report("9. Imputation: SEM-kMAX against mRF", notes, tables, pictures=pictures)


def ratio(run: Figures, method: str, key: str) -> float:
    return float(run[method][key]) / max(float(run["forest"][key]), 0.01)


def _scatter(title: str, key: str, found: list[tuple[str, float, Figures]]) -> str:
    series = {
        METHODS[m]: [(max(run["forest"][key], 0.01), max(run[m][key], 0.01)) for *_, run in found]
        for m in ("sem", "tenth", "default")
    }
    return scatter(f"{title} of mRF and of others", series, ("mRF", "others"))


def _ratios(title: str, key: str, found: list[tuple[str, float, Figures]]) -> str:
    rates = sorted({rate for _, rate, _ in found})
    groups = {
        f"{100 * rate:g} %": [ratio(run, "sem", key) for _, own, run in found if own == rate]
        for rate in rates
    }
    return box_plots(title, groups, "ratio")


def _by_rate(found: list[tuple[str, float, Figures]]) -> FigureTable:
    header = ("hidden", "runs", *(f"accuracy, {text}" for text in METHODS.values()))
    times = tuple(f"time / mRF, {METHODS[m]}" for m in ("sem", "tenth", "default"))
    table = FigureTable("means of accuracies, medians of ratios of CPU seconds", header + times)
    for rate in sorted({rate for _, rate, _ in found}):
        runs = [run for _, own, run in found if own == rate]
        means = (statistics.fmean(run[m]["accuracy"] for run in runs) for m in METHODS)
        medians = (
            statistics.median(ratio(run, m, "fill_cpu") for run in runs)
            for m in ("sem", "tenth", "default")
        )
        row = (f"{100 * rate:g} %", str(len(runs)), *(decimal(mean, 4) for mean in means))
        table.rows.append((*row, *(decimal(median, 3) for median in medians)))
    return table


def _details(found: list[tuple[str, float, Figures]]) -> FigureTable:
    header = ["data", "n", "rows", "hidden", "masks"]
    header += [f"{text}{unit}" for text in METHODS.values() for unit in ("", ", s")]
    table = FigureTable("accuracy and CPU seconds", tuple(header))
    for name, rate in dict.fromkeys((name, rate) for name, rate, _ in found):
        runs = [run for *own, run in found if tuple(own) == (name, rate)]
        row = [name, decimal(runs[0]["variables"]), decimal(runs[0]["rows"])]
        row += [f"{100 * rate:g} %", str(len(runs))]
        for method in METHODS:
            row.append(decimal(statistics.fmean(run[method]["accuracy"] for run in runs), 4))
            row.append(decimal(statistics.fmean(run[method]["fill_cpu"] for run in runs), 1))
        table.rows.append(tuple(row))
    return table
