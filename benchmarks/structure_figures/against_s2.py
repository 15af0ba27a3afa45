"""Figure 3: k-MAX against S2 and S2+."""

from __future__ import annotations

from collections.abc import Mapping

from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

from structure_figures.contests import TREEWIDTHS, Contest, search_seconds

TASKS = (
    "kdd.valid",
    "plants.test",
    "baudio.test",
    "jester.test",
    "bnetflix.test",
    "accidents.test",
    "tretail.test",
    "pumsb_star.test",
    "dna.test",
    "andes",
)
QUICK_TASKS = ("kdd.valid", "plants.test", "dna.test")
SMALLEST_TASKS = ("nltcs.valid", "nltcs.test", "nltcs.train", "msnbc.valid", "msnbc.test")
SMALLEST_QUICK_TASKS = ("nltcs.valid", "msnbc.valid")
MIN_DIFFERENCE = 10.0


def contests(settings: RunSettings) -> list[Contest]:
    """Return the contests with S2, then those with S2+ (at most 32 variables)."""
    tasks = settings.pick(full=TASKS, quick=QUICK_TASKS)
    small_tasks = settings.pick(full=SMALLEST_TASKS, quick=SMALLEST_QUICK_TASKS)
    widths = settings.pick(full=TREEWIDTHS, quick=(5,))
    small_widths = settings.pick(full=(2, 5), quick=(2,))
    return [
        *(Contest(3, task, k, "s2") for task in tasks for k in widths),
        *(Contest(3, task, k, "s2+") for task in small_tasks for k in small_widths),
    ]


def cells(settings: RunSettings) -> list[Cell]:
    return [contest.cell(settings) for contest in contests(settings)]


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("task", "k", "k-MAX", "rival", "difference")
    tables = {
        "s2": FigureTable("k-MAX and S2", (*header, "verdict")),
        "s2+": FigureTable("k-MAX and S2+ on the five smallest splits", header),
    }
    for contest in contests(settings):
        if found := contest.result(settings, figures):
            ours, theirs = found["k-max"], found[contest.rival]
            scores = [decimal(score, 1) for score in (ours, theirs, ours - theirs)]
            row = (contest.task, str(contest.max_treewidth), *scores)
            if contest.rival == "s2":
                row = (*row, verdict_at_least(ours - theirs, MIN_DIFFERENCE))
            tables[contest.rival].rows.append(row)
    notes = (
        f"{search_seconds(settings):g} s each on {settings.n_jobs} cores, same parent sets. The "
        "target is the result of [k-max]: a difference above 10 for every task and treewidth. S2+ "
        "takes at most 32 variables, fewer than these tasks have, and has no target."
    )
    return Report("Figure 3: k-MAX against S2 and S2+", notes, list(tables.values()))
