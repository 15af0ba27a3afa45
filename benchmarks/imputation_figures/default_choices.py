"""Figure 7: the effect of each default setting of the imputer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from bench_data import binary_table
from cells import Figures
from figure_tables import FigureTable, Report, decimal
from run_settings import Cell, RunSettings

from imputation_figures.masked_runs import hidden_mask, impute_by_baytree, measure_imputation

RATE = 0.05
SEED = 3  # a mask that has no target
SETS = ("plants.test", "bnetflix.test", "dna.test", "tmovie.test", "cwebkb.test", "ad.test")
CHANGES: dict[str, dict[str, object]] = {
    "default": {},
    "no regressions": {"regressions": False},
    "em_init chain": {"learner__em__em_init": "chain"},
    "criterion BIC": {"learner__criterion": "bic"},
    "criterion EBIC": {"learner__criterion": "ebic"},
    "criterion AIC": {"learner__criterion": "aic"},
    "equivalent_sample_size 1": {"learner__equivalent_sample_size": 1.0},
    "completion joint": {"completion": "joint"},
    "n_networks 5": {"n_networks": 5},
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
    return measure_imputation(partial(impute_by_baytree, seed=SEED, **CHANGES[change]), codes, mask)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    tables = [
        _table(settings, figures, "accuracy", "accuracy", 4),
        _table(settings, figures, "CPU seconds", "fill_cpu", 1),
    ]
    notes = (
        f"One setting changed at a time, {100 * RATE:g} % of the cells hidden by a mask that no "
        "other figure has. The defaults were chosen on tables of this kind."
    )
    return Report("Figure 7: effect of each default", notes, tables)


def _table(
    settings: RunSettings, figures: Mapping[str, Figures], title: str, what: str, digits: int
) -> FigureTable:
    table = FigureTable(title, ("data", *CHANGES))
    for name in names(settings):
        runs = [figures.get(_cell(name, change).name, {}) for change in CHANGES]
        table.rows.append((name, *(decimal(run.get(what), digits) for run in runs)))
    return table
