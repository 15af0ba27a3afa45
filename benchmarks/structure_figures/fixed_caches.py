"""Figure 5: the default search on the parent-set caches of BN-SLIM."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from anchors import best_on_caches
from bench_data import cache_path
from cells import Figures
from checked_searches import search_checked
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

import baytree as bt

NETWORKS = ("child", "alarm", "pathfinder", "munin1", "diabetes", "pigs", "link")
MAX_TREEWIDTH = 8
SHORT_FRACTION = 0.1  # of the time limit, tried first
ROUNDING = 0.05  # scores in the caches have few decimals


def _tasks(settings: RunSettings) -> list[tuple[str, int]]:
    networks = settings.pick(full=NETWORKS, quick=NETWORKS[:4])
    widths = settings.pick(full=range(1, MAX_TREEWIDTH + 1), quick=(3, 7))
    return [(n, k) for n in networks for k in widths if (n, k) in best_on_caches()]


def _cell(network: str, max_treewidth: int, settings: RunSettings) -> Cell:
    seconds = settings.seconds(full=60, quick=4)
    name = f"5: {network}, k = {max_treewidth}, up to {seconds:g} s, {settings.n_jobs} cores"
    return Cell(name, partial(measure, network, max_treewidth, seconds, settings.n_jobs))


def cells(settings: RunSettings) -> list[Cell]:
    return [_cell(*task, settings) for task in _tasks(settings)]


def measure(network: str, max_treewidth: int, seconds: float, n_jobs: int) -> Figures:
    """Search for a tenth of the time limit and, if that is too little, for all of it."""
    cache = bt.ParentSetCache.read(cache_path(f"bnslim-{network}-5000"))
    before = 0.0
    for allowed in (SHORT_FRACTION * seconds, seconds):
        figures = search_checked(
            cache, max_treewidth, time_limit=allowed, n_jobs=n_jobs, random_state=0
        )
        figures["seconds_to_best"] = round(before + figures.pop("history")[-1][0], 3)
        if _reaches(figures["score"], network, max_treewidth):
            break
        before += allowed
    return figures


def _reaches(score: float, network: str, max_treewidth: int) -> bool:
    return score >= best_on_caches()[network, max_treewidth] - ROUNDING


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("cache", "k", "baytree", "after s", "best known", "difference", "verdict")
    table = FigureTable("search_structure with the default search", header)
    for network, k in _tasks(settings):
        if found := figures.get(_cell(network, k, settings).name):
            best = best_on_caches()[network, k]
            table.rows.append(
                (
                    network,
                    str(k),
                    decimal(found["score"], 2),
                    decimal(found["seconds_to_best"], 1),
                    decimal(best, 2),
                    decimal(found["score"] - best, 2),
                    verdict_at_least(found["score"], best - ROUNDING, 2),
                )
            )
    notes = (
        f"A tenth of {settings.seconds(full=60, quick=4):g} s on {settings.n_jobs} cores, and a "
        "second run of the full time where that was too little. The best known score is the best "
        "of at most this treewidth, of all methods that the authors of BN-SLIM ran on the cache."
    )
    return Report("Figure 5: fixed parent-set caches", notes, [table])
