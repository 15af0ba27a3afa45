"""Figure 1: accuracy and time compared with mRF, the experiment of [k-max]."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from cells import Figures
from figure_tables import (
    REACHED,
    FigureTable,
    Report,
    decimal,
    verdict_at_least,
    verdict_at_most,
)
from run_settings import Cell, RunSettings

from imputation_figures.masked_runs import BAYTREE, binary_cell

FOREST = "mRF_0.25"
METHODS = (BAYTREE, FOREST)
MAX_TIME = 1 / 20
# Accuracy of randomForestSRC's mRF at 5 %, measured on another machine.
RANDOM_FOREST_SRC = {
    "plants.test": 0.939,
    "bnetflix.test": 0.706,
    "dna.test": 0.780,
    "tmovie.test": 0.956,
}
SETS = (
    "plants.test", "baudio.test", "jester.test", "bnetflix.test", "accidents.test",
    "tretail.test", "pumsb_star.test", "dna.test", "kosarek.test", "msweb.test", "book.test",
    "tmovie.test", "cwebkb.test", "cr52.test", "bbc.test", "ad.test",
)  # fmt: skip
RATES = (0.01, 0.02, 0.03, 0.05, 0.08, 0.10, 0.12, 0.15)
RATE_OF_TARGETS = 0.05
N_MASKS = 3  # at the rate of the targets; one at others


def tasks(settings: RunSettings) -> list[tuple[str, float]]:
    names = settings.pick(full=SETS, quick=("dna.test",))
    rates = settings.pick(full=RATES, quick=(RATE_OF_TARGETS,))
    # The rate of the targets first, so that an interrupted run has a result.
    ordered = sorted(rates, key=lambda rate: (rate != RATE_OF_TARGETS, rate))
    return [(name, rate) for rate in ordered for name in names]


def masks(settings: RunSettings, rate: float) -> range:
    return range(settings.pick(full=N_MASKS, quick=1) if rate == RATE_OF_TARGETS else 1)


def cells(settings: RunSettings) -> list[Cell]:
    return [
        binary_cell(method, name, rate, mask)
        for name, rate in tasks(settings)
        for mask in masks(settings, rate)
        for method in METHODS
    ]


def pairs(
    name: str, rate: float, settings: RunSettings, figures: Mapping[str, Figures]
) -> list[tuple[Figures, Figures]]:
    """Return the figures of baytree and mRF for each mask that has both."""
    found = [
        [figures.get(binary_cell(method, name, rate, mask).name) for method in METHODS]
        for mask in masks(settings, rate)
    ]
    return [(ours, theirs) for ours, theirs in found if ours and theirs]


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    notes = (
        "The target is at least the accuracy of mRF in a twentieth of its CPU time. mRF is built "
        "on scikit-learn's forests of 100 trees, one forest per quarter of the variables. The "
        "accuracy of randomForestSRC was measured on another machine; the verdict takes the higher "
        "one. Figures are means over masks."
    )
    return Report("Figure 1: random forests (mRF)", notes, [_table(settings, figures)])


def _table(settings: RunSettings, figures: Mapping[str, Figures]) -> FigureTable:
    columns = ("data", "hidden", "masks", *METHODS, "randomForestSRC", f"{BAYTREE}, s")
    rows, ratios = [], []
    for name, rate in tasks(settings):
        found = pairs(name, rate, settings, figures)
        if not found:
            continue
        ours, theirs, our_time, their_time = (
            statistics.fmean(pair[i][key] for pair in found)
            for key in ("accuracy", "fill_cpu")
            for i in (0, 1)
        )
        ratios.append(our_time / their_time)
        published = RANDOM_FOREST_SRC.get(name) if rate == RATE_OF_TARGETS else None
        verdict = verdict_at_least(ours, max(theirs, published or 0.0), 4)
        if verdict == REACHED:
            verdict = verdict_at_most(ratios[-1], MAX_TIME, 3)
        rows.append(
            (
                name,
                f"{100 * rate:g} %",
                str(len(found)),
                decimal(ours, 4),
                decimal(theirs, 4),
                decimal(published, 3),
                decimal(our_time, 1),
                decimal(their_time, 1),
                decimal(ratios[-1], 4),
                verdict,
            )
        )
    median = decimal(statistics.median(ratios) if ratios else None, 4)
    caption = f"accuracy and CPU seconds; median ratio of times {median}"
    return FigureTable(caption, (*columns, f"{FOREST}, s", "time ratio", "verdict"), rows)
