"""Figure 7: what is each default of the imputer worth?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from bench_data import binary_table
from cells import Figures
from figure_tables import FigureTable, Report, text_of
from run_settings import Cell, RunSettings

from imputation_figures.masked_runs import fill_by_us, hidden_mask, timed

RATE = 0.05
SEED = 3  # not a mask of the targets
SETS = ("plants.test", "bnetflix.test", "dna.test", "tmovie.test", "cwebkb.test", "ad.test")
CHANGES: dict[str, dict[str, object]] = {
    "as it is": {},
    "no regressions": {"regressions": False},
    "initialization chain": {"initialization": "chain"},
    "score BIC": {"criterion": "bic"},
    "score EBIC": {"criterion": "ebic"},
    "score AIC": {"criterion": "aic"},
    "prior of one row": {"equivalent_sample_size": 1.0},
    "method joint": {"method": "joint"},
    "five networks": {"n_networks": 5},
}


def names(settings: RunSettings) -> tuple[str, ...]:
    return settings.pick(full=SETS, quick=("dna.test",))


def cells(settings: RunSettings) -> list[Cell]:
    return [_cell(name, change) for name in names(settings) for change in CHANGES]


def _cell(name: str, change: str) -> Cell:
    return Cell(f"7: {name}, {change}", partial(measure, name, change))


def measure(name: str, change: str) -> Figures:
    codes = binary_table(name).astype(np.int64)
    mask = hidden_mask(codes.shape, RATE, SEED)
    return timed(partial(fill_by_us, seed=SEED, **CHANGES[change]), codes, mask)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    tables = [
        _table(settings, figures, "accuracy", "accuracy", 4),
        _table(settings, figures, "CPU seconds", "fill_cpu", 1),
    ]
    notes = (
        f"One setting changed at a time; {100 * RATE:g} % hidden, one mask, another than that of "
        "the other figures. The defaults were chosen on tables of this kind."
    )
    return Report("Figure 7: what each default is worth", notes, tables)


def _table(
    settings: RunSettings, figures: Mapping[str, Figures], title: str, what: str, digits: int
) -> FigureTable:
    table = FigureTable(title, ("data", *CHANGES))
    for name in names(settings):
        runs = [figures.get(_cell(name, change).name, {}) for change in CHANGES]
        table.rows.append((name, *(text_of(run.get(what), digits) for run in runs)))
    return table
