"""Figure 4: 1000 rows of alarm with 10 % hidden, beside the best of R's bnlearn."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from functools import partial

import numpy as np
from bench_data import bench_dir
from cells import Figures
from figure_tables import FigureTable, Report, text_of, verdict, verdict_at_most
from run_settings import Cell, RunSettings
from sampled_networks import read_bif

from imputation_figures.masked_runs import OURS, TUNED, hidden_mask, measured

N_ROWS = 1000
N_SAMPLES = 5
RATE = 0.1
LEAST_ACCURACY = 0.935
MOST_SECONDS = 3.0


def cells(settings: RunSettings) -> list[Cell]:
    return [
        Cell(f"4: {method}, sample {seed}", partial(measure, method, seed))
        for method in (OURS, TUNED)
        for seed in range(N_SAMPLES)  # in quick mode too: samples differ by a hundredth
    ]


def measure(method: str, seed: int) -> Figures:
    network = read_bif(bench_dir() / "data" / "networks" / "alarm.bif.gz")
    codes = network.sample(N_ROWS, np.random.default_rng(seed)).astype(np.int64)
    return measured(method, codes, hidden_mask(codes.shape, RATE, seed), seed)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        "means over samples and masks", ("method", "samples", "accuracy", "most seconds", "verdict")
    )
    for method in (OURS, TUNED):
        runs = [
            figures[cell.name]
            for cell in cells(settings)
            if cell.name.startswith(f"4: {method}, sample") and cell.name in figures
        ]
        if not runs:
            continue
        mean = statistics.mean(run["accuracy"] for run in runs)
        most = max(run["fill_seconds"] for run in runs)
        said = verdict(mean, LEAST_ACCURACY, 4)
        if said == "reached" and method == OURS:
            said = verdict_at_most(most, MOST_SECONDS, 2)
        row = (method, str(len(runs)), text_of(mean, 4), text_of(most, 2))
        table.rows.append((*row, said if method == OURS else ""))
    notes = (
        "bnlearn's best had 0.939 on one sample, in 74 s. The target: a mean of at least 0.935, "
        "each in under 3 s."
    )
    return Report("Figure 4: alarm", notes, [table])
