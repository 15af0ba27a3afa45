"""Figure 4: the default search against the prototype, hc-ET and published k-MAX."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from anchors import (
    HC_ET_NAMES,
    binary_splits,
    constant_column_bonus,
    hill_climbs,
    published_k_trees,
    published_unbounded,
)
from bench_data import binary_table
from cells import Figures
from checked_searches import learn_checked
from figure_tables import REACHED, FigureTable, Report, decimal, verdict_at_least
from prototype_runs import HAND_SETTINGS, anneal_by_hand
from run_settings import Cell, RunSettings
from score_curves import ScoreCurve

TREEWIDTHS = (3, 5, 7)
K_MAX_TREEWIDTHS = (5, 8)
LARGE = 500  # variables; larger tables get three times the seconds
QUICK_TRAIN_TABLES = ("nltcs.train", "plants.train", "dna.train")
QUICK_SPLITS = ("plants.test", "tmovie.test")
CURVE_TABLES = ("plants.train", "bnetflix.train", "dna.train", "cr52.train")
CURVE_SECONDS = (1, 2, 5, 10, 20, 60)
MARGIN, WIDE_MARGIN = 10.0, 260.0  # over published k-MAX; the wide one covers its prior
SPLIT_FRACTION = 0.1  # of the time limit: enough to exceed k-MAX
MIN_WINS_TWO_WIDTHS_UP = 9 / 11
# Runs of baytree and prototype that differ less than two runs of either: three of each.
CLOSE = {
    ("bnetflix.train", 5),
    ("bnetflix.train", 7),
    ("jester.train", 5),
    *(("dna.train", k) for k in TREEWIDTHS),
}
N_CLOSE_RUNS = 3


@dataclass(frozen=True)
class Run:
    """A run of the default search or of the prototype with a time limit."""

    table: str
    max_treewidth: int
    seconds: float
    number: int = 0  # of a repetition with another seed

    def cell(self, settings: RunSettings) -> Cell:
        return Cell(f"4: baytree, {self}, {settings.n_jobs} cores", partial(_learn, self, settings))

    def prototype_cell(self) -> Cell:
        options = (self.table, self.max_treewidth, self.seconds, 1 + self.number)
        return Cell(f"4: prototype, {self}", partial(anneal_by_hand, *options))

    def score(self, settings: RunSettings, figures: Mapping[str, Figures]) -> float | None:
        found = figures.get(self.cell(settings).name)
        return found["score"] if found else None

    def __str__(self) -> str:
        again = f", run {1 + self.number}" if self.number else ""
        return f"{self.table}, k = {self.max_treewidth}, {self.seconds:g} s{again}"


def _learn(run: Run, settings: RunSettings) -> Figures:
    table = binary_table(run.table)
    figures = learn_checked(
        table,
        run.max_treewidth,
        time_limit=run.seconds,
        n_jobs=settings.n_jobs,
        random_state=run.number,
    )
    del figures["history"]  # of one annealing schedule, so no curve for shorter limits
    return figures


def _long_run(table: str, max_treewidth: int, settings: RunSettings) -> Run:
    is_large = binary_table(table).shape[1] > LARGE
    seconds = settings.seconds(full=180, quick=20) if is_large else None
    return Run(table, max_treewidth, seconds or settings.seconds(full=60, quick=8))


def _train_tables(settings: RunSettings) -> tuple[str, ...]:
    return settings.pick(full=tuple(HC_ET_NAMES), quick=QUICK_TRAIN_TABLES)


def _train_runs(settings: RunSettings) -> list[Run]:
    widths = settings.pick(full=TREEWIDTHS, quick=(5,))
    return [_long_run(table, k, settings) for table in _train_tables(settings) for k in widths]


def _prototype_runs(settings: RunSettings) -> list[Run]:
    extra = [table for table in HAND_SETTINGS if table not in HC_ET_NAMES]
    more = settings.pick(full=[_long_run(table, 5, settings) for table in extra], quick=[])
    return _train_runs(settings) + more


def _repeated(run: Run, settings: RunSettings) -> list[Run]:
    """Return the run, with two other seeds where the comparison is close."""
    is_close = settings.mode == "full" and (run.table, run.max_treewidth) in CLOSE
    return [replace(run, number=i) for i in range(N_CLOSE_RUNS if is_close else 1)]


def _timed_run(long_run: Run, settings: RunSettings, times: float) -> Run:
    """Return a run in a multiple of the seconds of hc-ET, at most the long run."""
    anchor = hill_climbs()[long_run.table, long_run.max_treewidth]
    seconds = float(f"{max(1.0, times * anchor.seconds):.3g}")
    if seconds >= long_run.seconds:
        return long_run
    return Run(long_run.table, long_run.max_treewidth, seconds)


def _split_runs(settings: RunSettings) -> list[Run]:
    splits = settings.pick(full=binary_splits(), quick=QUICK_SPLITS)
    scale = settings.scale * settings.pick(full=SPLIT_FRACTION, quick=1.0)
    own = replace(settings, scale=scale)
    return [_long_run(table, k, own) for table in splits for k in K_MAX_TREEWIDTHS]


def _curves(settings: RunSettings) -> dict[str, list[Run]]:
    tables = settings.pick(full=CURVE_TABLES, quick=("plants.train",))
    limits = settings.pick(full=CURVE_SECONDS, quick=CURVE_SECONDS[:3])
    return {t: [Run(t, 5, settings.scaled(seconds)) for seconds in limits] for t in tables}


def cells(settings: RunSettings) -> list[Cell]:
    """Return the cells of baytree and prototype alternately, then the other cells of baytree."""
    alternating = [
        cell
        for first in _prototype_runs(settings)
        for run in _repeated(first, settings)
        for cell in (run.cell(settings), run.prototype_cell())
    ]
    train_runs = _train_runs(settings)
    others = [
        *(_timed_run(run, settings, times) for run in train_runs for times in (1, 2)),
        *_split_runs(settings),
        *(run for runs in _curves(settings).values() for run in runs),
    ]
    return [*alternating, *(run.cell(settings) for run in others)]


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    tables = [
        _prototype_table(settings, figures),
        _hill_climb_table(settings, figures),
        _pace_table(settings, figures),
        _two_widths_up_table(settings, figures),
        _k_max_table(settings, figures),
        _curve_table(settings, figures),
    ]
    notes = (
        f"NetworkLearner with default settings on {settings.n_jobs} cores; exact BIC on the "
        "states that occur. Published scores count two states of a constant column, so log(N)/2 "
        "per constant column is added to them. The prototype runs alone on one core, with "
        "temperatures tuned by hand for k = 5. Close comparisons use medians of "
        f"{N_CLOSE_RUNS} runs. In full mode, the comparison with k-MAX uses a tenth of the time "
        "limit of the target."
    )
    curves = _score_curves(settings, figures)
    return Report("Figure 4: the default search", notes, tables, curves)


def _score_curves(settings: RunSettings, figures: Mapping[str, Figures]) -> list[ScoreCurve]:
    """Return the curves with at least two measured points; the reference is hc-ET."""
    curves = []
    for name, runs in _curves(settings).items():
        scores = [(run.seconds, run.score(settings, figures)) for run in runs]
        points = [(seconds, score) for seconds, score in scores if score is not None]
        if len(points) > 1:
            curves.append(ScoreCurve(name, points, _hill_climb_score(name, 5), "hc-ET"))
    return curves


def _prototype_table(settings: RunSettings, figures: Mapping[str, Figures]) -> FigureTable:
    header = ("table", "k", "seconds", "runs", "baytree", "prototype", "difference", "verdict")
    table = FigureTable("Against the prototype, same time limit", header)
    for first in _prototype_runs(settings):
        runs = _repeated(first, settings)
        ours = [run.score(settings, figures) for run in runs]
        theirs = [figures.get(run.prototype_cell().name, {}).get("score") for run in runs]
        if None in ours or None in theirs:
            continue
        scores = (statistics.median(ours), statistics.median(theirs))
        table.rows.append(
            (
                first.table,
                str(first.max_treewidth),
                f"{first.seconds:g}",
                str(len(runs)),
                *(decimal(score, 1) for score in (*scores, scores[0] - scores[1])),
                verdict_at_least(*scores),
            )
        )
    return table


def _hill_climb_score(table: str, max_treewidth: int) -> float:
    return hill_climbs()[table, max_treewidth].score + constant_column_bonus(table)


def _hill_climb_table(settings: RunSettings, figures: Mapping[str, Figures]) -> FigureTable:
    header = ("table", "k", "seconds", "baytree", "hc-ET", "difference", "verdict")
    table = FigureTable("Against hc-ET", header)
    for run in _train_runs(settings):
        ours = run.score(settings, figures)
        if ours is not None:
            theirs = _hill_climb_score(run.table, run.max_treewidth)
            scores = [decimal(score, 1) for score in (ours, theirs, ours - theirs)]
            row = (run.table, str(run.max_treewidth), f"{run.seconds:g}", *scores)
            table.rows.append((*row, verdict_at_least(ours, theirs)))
    return table


def _pace_table(settings: RunSettings, figures: Mapping[str, Figures]) -> FigureTable:
    header = ("table", "k", "hc-ET", "its seconds", "same seconds", "twice the seconds", "verdict")
    table = FigureTable(
        "Against hc-ET in its own seconds (at least 1 s) and in twice these", header
    )
    for run in _train_runs(settings):
        runs = [_timed_run(run, settings, times) for times in (1, 2)]
        scores = [timed.score(settings, figures) for timed in runs]
        if all(score is None for score in scores):
            continue
        target = _hill_climb_score(run.table, run.max_treewidth)
        seconds = hill_climbs()[run.table, run.max_treewidth].seconds
        table.rows.append(
            (
                run.table,
                str(run.max_treewidth),
                decimal(target, 1),
                f"{seconds:g}",
                *(f"{decimal(s, 1)} ({r.seconds:g} s)" for s, r in zip(scores, runs, strict=True)),
                _pace_verdict(scores, target),
            )
        )
    return table


def _pace_verdict(scores: list[float | None], target: float) -> str:
    in_time, in_twice = (score is not None and score >= target for score in scores)
    if in_time:
        return REACHED
    return f"{REACHED} in twice" if in_twice else verdict_at_least(scores[1], target)


def _two_widths_up_table(settings: RunSettings, figures: Mapping[str, Figures]) -> FigureTable:
    header = ("table", "baytree, k = 5", "hc-ET, k = 7", "difference", "verdict")
    table = FigureTable("baytree at k = 5 against hc-ET at k = 7", header)
    n_above = 0
    for name in _train_tables(settings):
        ours = _long_run(name, 5, settings).score(settings, figures)
        if ours is not None:
            theirs = _hill_climb_score(name, 7)
            n_above += ours > theirs
            scores = (ours, theirs, ours - theirs)
            table.rows.append((name, *(decimal(score, 1) for score in scores), ""))
    n_tables = len(table.rows)
    least = round(MIN_WINS_TWO_WIDTHS_UP * n_tables)
    if n_tables:
        counts = (f"{n_above} of {n_tables} above", f"at least {least}")
        table.rows.append((*counts, "", "", verdict_at_least(n_above, least, 0)))
    return table


def _k_max_table(settings: RunSettings, figures: Mapping[str, Figures]) -> FigureTable:
    header = ("table", "k", "seconds", "baytree", "k-MAX", "margin", "difference", "verdict")
    table = FigureTable("Against published k-MAX (one hour)", header)
    for run in _split_runs(settings):
        ours = run.score(settings, figures)
        if ours is not None:
            published = published_k_trees()[run.table][f"kmax_tw{run.max_treewidth}"]
            room = published_unbounded()[run.table] - published
            margin = WIDE_MARGIN if room > WIDE_MARGIN else MARGIN
            theirs = published + constant_column_bonus(run.table)
            table.rows.append(
                (
                    run.table,
                    str(run.max_treewidth),
                    f"{run.seconds:g}",
                    decimal(ours, 1),
                    decimal(theirs, 1),
                    decimal(margin),
                    decimal(ours - theirs, 1),
                    verdict_at_least(ours - theirs, margin),
                )
            )
    return table


def _curve_table(settings: RunSettings, figures: Mapping[str, Figures]) -> FigureTable:
    curves = _curves(settings)
    limits = [run.seconds for run in next(iter(curves.values()))]
    header = ("table", *(f"{seconds:g} s" for seconds in limits))
    table = FigureTable("Score by time limit, k = 5, one run per cell", header)
    for name, runs in curves.items():
        scores = [run.score(settings, figures) for run in runs]
        if any(score is not None for score in scores):
            table.rows.append((name, *(decimal(score, 1) for score in scores)))
    return table
