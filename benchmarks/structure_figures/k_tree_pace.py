"""Figure 1: speed of k-MAX and k-greedy, and the median score of their networks."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from functools import partial

from bench_data import cache_path
from cells import Figures
from checked_searches import search_checked, seconds_until
from figure_tables import FigureTable, Report, decimal, verdict_at_most, verdict_between
from prototype_runs import KTreePrototype
from run_settings import Cell, RunSettings

import baytree as bt

CACHE = "blip-tmovie-test"
MAX_TREEWIDTH = 5
SEARCHES = ("k-max", "k-greedy")
BLIP_BEST = -36_248.9  # of 60 seconds
MAX_MS_PER_DAG = 3.0
MAX_SECONDS_TO_BLIP_BEST = 3.0
MEDIANS = {"k-max": (-36_950.0, -36_700.0), "k-greedy": (-37_600.0, -37_400.0)}
BLIP_MS = {"k-max": 545.0, "k-greedy": 60_000 / 6063}
PAPER_MEDIANS = {"k-max": -36_937.0, "k-greedy": -37_489.0}


def cells(settings: RunSettings) -> list[Cell]:
    n_rounds = settings.pick(full=5, quick=3)
    n_seeds = settings.pick(full=501, quick=101)
    seconds = settings.seconds(full=5, quick=2)
    long_seconds = settings.seconds(full=10, quick=3)
    return [
        Cell(f"1: pace in {n_rounds} x {seconds:g} s", partial(measure_pace, n_rounds, seconds)),
        Cell(f"1: medians of {n_seeds} seeds", partial(measure_medians, n_seeds)),
        Cell(
            f"1: BLIP's best in {n_rounds} x {long_seconds:g} s",
            partial(measure_seconds_to_best, n_rounds, long_seconds),
        ),
    ]


def measure_pace(n_rounds: int, seconds: float) -> Figures:
    """Run the searches of baytree and of the prototype alternately."""
    cache = bt.ParentSetCache.read(cache_path(CACHE))
    ours: dict[str, list[float]] = {search: [] for search in SEARCHES}
    theirs: dict[str, list[float]] = {search: [] for search in SEARCHES}
    figures: Figures = {}
    with KTreePrototype(CACHE) as prototype:
        for seed in range(n_rounds):
            for search in SEARCHES:
                run = search_checked(
                    cache, MAX_TREEWIDTH, search=search, time_limit=seconds, random_state=seed
                )
                ours[search].append(1000 * run["seconds"] / run["iterations"])
            grown = prototype.run(MAX_TREEWIDTH, seconds)
            for search in SEARCHES:
                theirs[search].append(grown[search].ms_per_dag)
                figures[f"{search} prototype median"] = grown[search].median
    for search in SEARCHES:
        figures[f"{search} ms"] = round(statistics.median(ours[search]), 3)
        figures[f"{search} prototype ms"] = round(statistics.median(theirs[search]), 3)
    return figures


def measure_medians(n_seeds: int) -> Figures:
    """Return the median score of one network per seed."""
    cache = bt.ParentSetCache.read(cache_path(CACHE))
    figures: Figures = {}
    for search in SEARCHES:
        scores = [
            bt.search_structure(
                cache,
                max_treewidth=MAX_TREEWIDTH,
                search=search,
                max_iterations=1,
                random_state=seed,
            ).score
            for seed in range(n_seeds)
        ]
        figures[search] = round(statistics.median(scores), 1)
    return figures


def measure_seconds_to_best(n_seeds: int, seconds: float) -> Figures:
    cache = bt.ParentSetCache.read(cache_path(CACHE))
    runs = [
        search_checked(cache, MAX_TREEWIDTH, search="k-max", time_limit=seconds, random_state=seed)
        for seed in range(n_seeds)
    ]
    passed = [seconds_until(run["history"], BLIP_BEST) for run in runs]
    return {"seconds": passed, "best": [run["score"] for run in runs], "limit": seconds}


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    pace, medians, passing = (figures.get(cell.name) for cell in cells(settings))
    table = FigureTable(
        f"{CACHE}, k = {MAX_TREEWIDTH}, one core",
        ("measure", "baytree", "prototype", "BLIP", "[k-max]", "target", "verdict"),
    )
    if pace:
        table.rows.extend(_pace_row(search, pace) for search in SEARCHES)
    if medians:
        table.rows.extend(_median_row(search, medians, pace) for search in SEARCHES)
    if passing:
        table.rows.append(_passing_row(passing))
    notes = (
        "BLIP and [k-max] were measured on other machines, the prototype in the same run. A "
        "median is over networks of one iteration with different seeds."
    )
    return Report("Figure 1: speed of k-MAX and k-greedy", notes, [table])


def _pace_row(search: str, pace: Figures) -> tuple[str, ...]:
    ms, prototype_ms = pace[f"{search} ms"], pace[f"{search} prototype ms"]
    is_bound = search == "k-max"
    return (
        f"{search}: ms per network",
        decimal(ms, 2),
        decimal(prototype_ms, 2),
        decimal(BLIP_MS[search], 1),
        "-",
        "at most 3" if is_bound else "-",
        verdict_at_most(ms, MAX_MS_PER_DAG, 2) if is_bound else "",
    )


def _median_row(search: str, medians: Figures, pace: Figures | None) -> tuple[str, ...]:
    low, high = MEDIANS[search]
    prototype_median = pace[f"{search} prototype median"] if pace else None
    return (
        f"{search}: median score",
        decimal(medians[search], 1),
        decimal(prototype_median, 1),
        "-",
        decimal(PAPER_MEDIANS[search]),
        f"{low:,.0f} to {high:,.0f}",
        verdict_between(medians[search], low, high),
    )


def _passing_row(passing: Figures) -> tuple[str, ...]:
    """Count a run that never got there as infinitely long."""
    forever = float("inf")
    median = statistics.median(forever if s is None else s for s in passing["seconds"])
    shown = None if median == forever else median
    return (
        f"k-max: seconds to {BLIP_BEST:,}, median of {len(passing['seconds'])} seeds",
        decimal(shown, 2),
        "-",
        "60",
        "-",
        "at most 3",
        verdict_at_most(shown, MAX_SECONDS_TO_BLIP_BEST, 2),
    )
