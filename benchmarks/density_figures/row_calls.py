"""Figure 4: posteriors of the missing cells of many rows, by a mixture and by one network."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from bench_data import binary_table
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_most
from imputation_figures.masked_runs import hidden_mask
from run_settings import Cell, RunSettings

import baytree as bt
from density_figures.likelihoods import budget, categorical, mixture_learner, table_of

NAME = "bnetflix"
N_COMPONENTS = 20
MAX_TREEWIDTH = 5
RATE = 0.05
MAX_RATIO = 25
N_ROUNDS = 3


def cells(settings: RunSettings) -> list[Cell]:
    n_rows = settings.pick(full=100_000, quick=5_000)
    seconds = settings.seconds(full=20, quick=2)
    name = (
        f"4: {n_rows:,} rows of {NAME}, {100 * RATE:g} % hidden, {N_COMPONENTS} components, "
        f"{budget(settings)}, network in {seconds:g} s"
    )
    return [Cell(name, partial(measure, n_rows, seconds, settings))]


def measure(n_rows: int, seconds: float, settings: RunSettings) -> Figures:
    """Time both models in turns on the same rows; the fastest of three rounds counts."""
    train = table_of(NAME, "train")
    mixture = mixture_learner(settings, n_components=N_COMPONENTS, max_treewidth=MAX_TREEWIDTH).fit(
        train
    )
    learner = bt.NetworkLearner(
        MAX_TREEWIDTH, time_limit=seconds, n_jobs=settings.n_jobs, random_state=0
    )
    models = {"mixture": mixture.mixture_, "network": learner.fit(train).network_}
    rows = _rows(n_rows)
    times: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(N_ROUNDS):
        for name, model in models.items():
            began = time.monotonic()
            model.impute(rows, completion="independent", n_jobs=settings.n_jobs)
            times[name].append(time.monotonic() - began)
    return {
        "mixture_treewidth": models["mixture"].treewidth,
        "network_treewidth": models["network"].treewidth,
        **{f"{name}_seconds": round(min(own), 3) for name, own in times.items()},
    }


def _rows(n: int) -> pd.DataFrame:
    train = binary_table(f"{NAME}.train").astype(np.float64)
    rows = train[np.random.default_rng(0).integers(len(train), size=n)]
    return categorical(np.where(hidden_mask(rows.shape, RATE, seed=1), np.nan, rows))


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        f"{NAME}, {100 * RATE:g} % of the cells hidden, {settings.n_jobs} threads",
        ("model", "treewidth", "seconds", "ratio", "verdict"),
    )
    if found := figures.get(cells(settings)[0].name):
        ratio = found["mixture_seconds"] / found["network_seconds"]
        mixture = (str(found["mixture_treewidth"]), decimal(found["mixture_seconds"], 2))
        network = (str(found["network_treewidth"]), decimal(found["network_seconds"], 2))
        table.rows.extend(
            [
                ("one network", *network, "", ""),
                (
                    f"{N_COMPONENTS} components",
                    *mixture,
                    decimal(ratio, 1),
                    verdict_at_most(ratio, MAX_RATIO),
                ),
            ]
        )
    n_rows = settings.pick(full=100_000, quick=5_000)
    notes = (
        f"{n_rows:,} rows, drawn with repetition from the train split. The call is "
        '`impute(rows, completion="independent")`, which computes the posterior of each missing '
        "cell, from labels to labels. The target is a mixture of "
        f"{N_COMPONENTS} components in at most {MAX_RATIO} times the time of one network."
    )
    return Report("Figure 4: row calls", notes, [table])
