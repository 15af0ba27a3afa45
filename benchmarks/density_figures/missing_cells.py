"""Figure 5: learning from tables with 30 % of the cells missing, beside one network and TSEM."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from anchors import published_incomplete
from bench_data import binary_table
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from imputation_figures.masked_runs import hidden_mask
from run_settings import Cell, RunSettings

import baytree as bt
from density_figures.likelihoods import (
    QUICK_SETS,
    budget,
    categorical,
    mixture_learner,
    table_of,
)

RATE = 0.3
SETS = ("nltcs", "plants", "baudio", "jester", "bnetflix", "accidents", "pumsb_star", "dna")
METHODS = ("mixture", "network")
RIVALS = ("TSEM", "SEM-kMAX")


def cells(settings: RunSettings) -> list[Cell]:
    return [_cell(method, name, settings) for name in _sets(settings) for method in METHODS]


def _sets(settings: RunSettings) -> tuple[str, ...]:
    return settings.pick(full=SETS, quick=QUICK_SETS)


def _cell(method: str, name: str, settings: RunSettings) -> Cell:
    own = {"mixture": budget(settings)}
    return Cell(
        f"5: {method} of {name}, {100 * RATE:g} % hidden, "
        + own.get(method, f"{settings.n_jobs} threads"),
        partial(measure, method, name, settings),
    )


def measure(method: str, name: str, settings: RunSettings) -> Figures:
    train = binary_table(f"{name}.train").astype(np.float64)
    incomplete = categorical(np.where(hidden_mask(train.shape, RATE, seed=0), np.nan, train))
    began = time.monotonic()
    model: Any
    if method == "mixture":
        model = mixture_learner(settings).fit(incomplete).mixture_
    else:
        learner = bt.NetworkLearner(n_jobs=settings.n_jobs, random_state=0)
        model = learner.fit(incomplete).network_
    seconds = time.monotonic() - began
    found = model.log_likelihood(table_of(name, "test"), n_jobs=settings.n_jobs)
    return {
        "log_likelihood": round(float(found.mean()), 4),
        "test_rows": len(found),
        "treewidth": model.treewidth,
        "learn_seconds": round(seconds, 1),
    }


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("data", "mixture", "one network", *RIVALS, "s", "s, network")
    table = FigureTable(
        "mean log-likelihood of complete test rows",
        (*header, "verdict, network", "verdict, published"),
    )
    for name in _sets(settings):
        mixture, network = (figures.get(_cell(m, name, settings).name) for m in METHODS)
        if mixture is None or network is None:
            continue
        value = mixture["log_likelihood"]
        sums = published_incomplete(RATE)[name]
        rivals = [sums[rival] / mixture["test_rows"] for rival in RIVALS]
        table.rows.append(
            (
                name,
                decimal(value, 3),
                decimal(network["log_likelihood"], 3),
                *(decimal(rival, 3) for rival in rivals),
                decimal(mixture["learn_seconds"], 1),
                decimal(network["learn_seconds"], 1),
                verdict_at_least(value, network["log_likelihood"], 3),
                verdict_at_least(value, max(rivals), 3),
            )
        )
    notes = (
        f"{100 * RATE:g} % of the cells of the train split are hidden at random, the same for "
        "both. `MixtureLearner()` and `NetworkLearner()`, without validation rows. "
        "TSEM and SEM-kMAX are published, with other masks: the best over treewidths 2 to 5, and "
        "of the two variants of TSEM. The target is a log-likelihood above all of them."
    )
    return Report("Figure 5: learning from 70 % of the cells", notes, [table])
