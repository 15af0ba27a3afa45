"""Figure 2: k-MAX against k-greedy with the same parent sets and the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from anchors import binary_splits, published_k_trees
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

from structure_figures.contests import TREEWIDTHS, Contest, search_seconds

NETWORKS = ("andes", "diabetes", "pigs", "link", "munin", "random2000")
PUBLISHED_NAMES = {"random2000": "random2000-0"}  # one of five; ours is of the same kind
QUICK_TASKS = ("kdd.valid", "plants.test", "dna.test", "tmovie.test", "andes")

CLASSES = (  # of [k-max]: name, and the least difference
    ("extremely positive", 10.0),
    ("strongly positive", 6.0),
    ("positive", 2.0),
    ("neutral", -2.0),
    ("negative", -6.0),
    ("strongly negative", -10.0),
    ("very negative", float("-inf")),
)


def evidence_class(difference: float) -> str:
    return next(name for name, least in CLASSES if difference >= least)


def contests(settings: RunSettings) -> list[Contest]:
    tasks = settings.pick(full=(*binary_splits(), *NETWORKS), quick=QUICK_TASKS)
    return [Contest(2, task, k, "k-greedy") for task in tasks for k in TREEWIDTHS]


def cells(settings: RunSettings) -> list[Cell]:
    return [contest.cell(settings) for contest in contests(settings)]


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    ours: dict[int, Counter[str]] = {k: Counter() for k in TREEWIDTHS}
    published: dict[int, Counter[str]] = {k: Counter() for k in TREEWIDTHS}
    header = ("task", "k", "parent sets", "k-MAX", "k-greedy", "difference", "published difference")
    details = FigureTable("Scores by task", header)
    for contest in contests(settings):
        if found := contest.result(settings, figures):
            k, difference = contest.max_treewidth, found["k-max"] - found["k-greedy"]
            theirs = _published_difference(contest)
            ours[k][evidence_class(difference)] += 1
            published[k][evidence_class(theirs)] += 1
            scores = (found["k-max"], found["k-greedy"], difference)
            details.rows.append(
                (
                    contest.task,
                    str(k),
                    decimal(found["parent_sets"]),
                    *(decimal(score, 1) for score in scores),
                    decimal(theirs),
                )
            )
    notes = (
        f"Both searches run {search_seconds(settings):g} s on {settings.n_jobs} cores on the same "
        "parent sets. The published results are for the same tasks after one hour; random2000 is "
        "compared with the first of five published networks of that size. A win is a difference "
        "of at least 2."
    )
    tables = [_counts_table(ours, published), details]
    return Report("Figure 2: k-MAX against k-greedy", notes, tables)


def _published_difference(contest: Contest) -> float:
    scores = published_k_trees()[PUBLISHED_NAMES.get(contest.task, contest.task)]
    k = contest.max_treewidth
    return scores[f"kmax_tw{k}"] - scores[f"kgreedy_tw{k}"]


def _counts_table(ours: dict[int, Counter[str]], published: dict[int, Counter[str]]) -> FigureTable:
    columns = [f"k = {k}, {source}" for k in TREEWIDTHS for source in ("baytree", "published")]
    table = FigureTable(
        "Tasks by strength of evidence for k-MAX", ("evidence", *columns, "verdict")
    )
    for name, _ in CLASSES:
        counts = [str(c[k][name]) for k in TREEWIDTHS for c in (ours, published)]
        table.rows.append((name, *counts, ""))
    for k in TREEWIDTHS:
        wins = [sum(c[k][name] for name, _ in CLASSES[:3]) for c in (ours, published)]
        counts = [str(n) if at == k else "" for at in TREEWIDTHS for n in wins]
        verdict = verdict_at_least(wins[0], wins[1], 0) if ours[k].total() else ""
        table.rows.append((f"wins of {ours[k].total()} at k = {k}", *counts, verdict))
    return table
