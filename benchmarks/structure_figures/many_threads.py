"""Figure 11: the default search on many threads."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping
from functools import partial

from bench_data import binary_table
from cells import Figures
from checked_searches import learn_checked
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

MAX_TREEWIDTH = 5
N_THREADS, FULL_SECONDS = 16, 30
N_RUNS = 3
# Scores of the search of 0.2.0 with two chains, on two threads: the median of eight seeds in 30 s,
# the best of these, and one run of 240 s.
TWO_CHAINS = {
    "plants.train": (-233_343, -232_611, -231_780),
    "bnetflix.train": (-866_318, -866_078, -866_221),
    "pumsb_star.train": (-282_368, -281_956, -281_290),
    "accidents.train": (-351_236, -351_039, -350_984),
    "tmovie.test": (-34_305, -34_280, -34_219),
    "msweb.train": (-291_760, -291_740, -291_709),
}
QUICK_TABLES = ("plants.train", "msweb.train")


def cells(settings: RunSettings) -> list[Cell]:
    tables = settings.pick(full=tuple(TWO_CHAINS), quick=QUICK_TABLES)
    return [_cell(name, run, settings) for run in _runs(settings) for name in tables]


def _runs(settings: RunSettings) -> range:
    return range(settings.pick(full=N_RUNS, quick=1))


def _threads() -> int:
    return min(N_THREADS, os.cpu_count() or 1)


def _cell(name: str, run: int, settings: RunSettings) -> Cell:
    seconds = settings.seconds(full=FULL_SECONDS, quick=5)
    text = f"11: {name}, {seconds:g} s, {_threads()} threads, run {1 + run}"
    return Cell(text, partial(measure, name, run, seconds))


def measure(name: str, run: int, seconds: float) -> Figures:
    table = binary_table(name)
    options = {"time_limit": seconds, "n_jobs": _threads(), "random_state": run}
    figures = learn_checked(table, MAX_TREEWIDTH, **options)
    return {"score": figures["score"], "iterations": figures["iterations"]}


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("table", "runs", "median", "median of 8", "best of 8", "240 s", "verdict")
    table = FigureTable(f"score of {_threads()} threads, beside two chains on two", header)
    for name, others in TWO_CHAINS.items():
        found = [figures.get(_cell(name, run, settings).name) for run in _runs(settings)]
        scores = [run["score"] for run in found if run]
        if scores:
            middle = statistics.median(scores)
            texts = (decimal(score, 1) for score in (middle, *others))
            row = (name, decimal(len(scores)), *texts, verdict_at_least(middle, others[-1]))
            table.rows.append(row)
    seconds = settings.seconds(full=FULL_SECONDS, quick=5)
    notes = (
        f"k = {MAX_TREEWIDTH}, {seconds:g} s. The other columns are those of the search with two "
        f"chains on two threads, in {FULL_SECONDS} s or 240 s: eight seeds of the one, or one run "
        f"of the other, are as much work as {FULL_SECONDS} s on {N_THREADS} threads."
    )
    return Report("Figure 11: many threads", notes, [table])
