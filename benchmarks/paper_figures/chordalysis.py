"""Section 7: both panels of the figure of log-likelihoods, k-MAX less Chordalysis."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from itertools import product

from cells import Figures
from figure_tables import FigureTable, Report, decimal
from run_settings import Cell, RunSettings

from .contests import (
    TREEWIDTHS,
    Budgets,
    chordalysis_cell,
    contest_cells,
    default_cell,
    found_contests,
    long_cell,
    tasks,
    test_likelihood,
)
from .pictures import box_plots
from .tasks import Task

ARITIES = ("true arities", "phantom state")
AT_LENGTH = "k-max at length"
SEARCHES = {"k-max": "k-MAX", AT_LENGTH: "k-MAX at length", "anneal": "baytree's default"}
PANELS = {"real data": False, "networks": True}


def cells(settings: RunSettings) -> list[Cell]:
    others = [
        of(name, settings) for of in (chordalysis_cell, default_cell) for name in tasks(settings)
    ]
    return contest_cells(settings) + others + long_cells(settings)


def long_cells(settings: RunSettings) -> list[Cell]:
    """Return the longer runs of the paper's real data; quick mode has none."""
    if settings.mode == "quick":
        return []
    return [long_cell(name, settings) for name in tasks(settings) if not Task(name).is_network]


def pairs(
    settings: RunSettings, figures: Mapping[str, Figures]
) -> list[tuple[str, Figures, Figures]]:
    """Return the contest and the run of Chordalysis of each task that has both.

    The contest has the networks of the default search and of longer runs too, if they have been
    measured.
    """
    found = []
    for name, contest in found_contests(settings, figures):
        theirs = figures.get(chordalysis_cell(name, settings).name)
        others = (default_cell(name, settings), long_cell(name, settings))
        ours = dict(contest)
        for other in others:
            ours |= figures.get(other.name, {})
        if theirs:
            found.append((name, ours, theirs))
    return found


def differences(
    found: list[tuple[str, Figures, Figures]],
    k: int,
    arities: str,
    kind: str,
    search: str = "k-max",
) -> list[float]:
    """Return a search less Chordalysis, per row: of the rows learned from, or of the others."""
    values = []
    for _, contest, theirs in found:
        ours, other = contest.get(f"{search} {k}"), theirs[arities]
        if ours is None:
            continue
        if kind == "learning":
            values.append(ours["learning"] - other["learning"])
        elif ours["test"]:
            values.append(test_likelihood(ours) - test_likelihood(other))
    return values


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    found = pairs(settings, figures)
    tables, pictures = [], {}
    for panel, is_network in PANELS.items():
        own = [pair for pair in found if ("." not in pair[0]) == is_network]
        if not own:
            continue
        tables.append(_counts(panel, own))
        boxes = {
            f"k = {k}, {arities}": differences(own, k, arities, "test")
            for k in TREEWIDTHS
            for arities in ARITIES
        }
        if any(boxes.values()):
            pictures[f"ll_{panel.split()[-1]}"] = box_plots(
                f"ΔLL of test rows, k-MAX less Chordalysis: {panel}", boxes, "nats per row"
            )
    tables.append(_details(found))
    n_equal, n_published = _reproduced(found)
    long = Budgets.long(settings)
    at_length = (
        f"k-MAX at length has {long.search:g} s on parent sets of {long.sets:g} s, on the real "
        "data where section 2 leaves it below Chordalysis at k = 5. "
        if long_cells(settings)
        else ""
    )
    notes = (
        "Learned on one split and tested on the other two; networks: 5,000 rows to learn from, "
        f"50,000 to test on. k-MAX is that of section 2. {at_length}"
        "baytree's default is an annealed search of as many seconds as that of section 2, without "
        "parent sets. Chordalysis has its subfamilywise tests "
        "with alpha 0.05 and no bound on the treewidth, with the true arities or, as its program, "
        "with one phantom state per variable and rounded p values. Likelihoods of learning rows "
        "are by unsmoothed counts. The published figures of Chordalysis are not of test rows: they "
        "are the likelihoods of the rows that it learned from, with a phantom state and BDeu "
        f"counts of equivalent sample size 1 (`as published`): {n_equal} of {n_published} agree "
        "within 0.01. A state that no learning row has counts as missing in test rows."
    )
    return Report("7. Log-likelihood against Chordalysis", notes, tables, pictures=pictures)


def _counts(panel: str, found: list[tuple[str, Figures, Figures]]) -> FigureTable:
    header = (
        "search",
        "k",
        "Chordalysis",
        "rows",
        "tasks",
        "above",
        "smallest",
        "median",
        "largest",
    )
    table = FigureTable(f"ΔLL per row, search less Chordalysis, {panel}", header)
    for search, k, arities in product(SEARCHES, TREEWIDTHS, ARITIES):
        for kind in ("learning", "test"):
            values = sorted(differences(found, k, arities, kind, search))
            if values:
                three = (values[0], statistics.median(values), values[-1])
                spread = (decimal(v, 3) for v in three)
                counts = (str(len(values)), str(sum(v > 0 for v in values)))
                table.rows.append((SEARCHES[search], str(k), arities, kind, *counts, *spread))
    return table


def _details(found: list[tuple[str, Figures, Figures]]) -> FigureTable:
    header = ["task", "edges", "treewidth", "s", "learning", "test", "as published"]
    header.append("Chordalysis, published")
    for k in TREEWIDTHS:
        header += [f"k-MAX, k = {k}, learning", f"test, k = {k}", f"published, k = {k}"]
    table = FigureTable("log-likelihood per row", tuple(header))
    for name, contest, theirs in found:
        true, phantom = theirs[ARITIES[0]], theirs[ARITIES[1]]
        row = [
            name,
            decimal(true["edges"]),
            decimal(true["treewidth"]),
            decimal(true["seconds"], 1),
        ]
        row += [decimal(true["learning"], 3), _test(true), decimal(phantom["smoothed learning"], 2)]
        published = theirs["published"]
        row.append(decimal(published.get("chordalysis"), 2))
        for k in TREEWIDTHS:
            ours = contest[f"k-max {k}"]
            row += [decimal(ours["learning"], 3), _test(ours)]
            row.append(decimal(published.get(f"kmax_tw{k}"), 2))
        table.rows.append(tuple(row))
    return table


def _reproduced(found: list[tuple[str, Figures, Figures]]) -> tuple[int, int]:
    """Return how many published figures of Chordalysis ours are equal to, and of how many."""
    pairs = [
        (theirs["phantom state"]["smoothed learning"], theirs["published"]["chordalysis"])
        for _, _, theirs in found
        if theirs["published"]
    ]
    return sum(abs(ours - published) < 0.01 for ours, published in pairs), len(pairs)


def _test(run: Figures) -> str:
    return decimal(test_likelihood(run), 3) if run["test"] else "-"
