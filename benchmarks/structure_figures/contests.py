"""Comparisons of two searches on the same parent sets with the same time limit."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cells import Figures
from checked_searches import search_checked
from run_settings import Cell, RunSettings
from sampled_networks import task_table

import baytree as bt

TREEWIDTHS = (2, 5, 8)


@dataclass(frozen=True)
class Contest:
    """k-MAX and a rival on one task: a split ("plants.test") or a network to sample."""

    number: int  # of the figure
    task: str
    max_treewidth: int
    rival: str

    def cell(self, settings: RunSettings) -> Cell:
        name = (
            f"{self.number}: {self.task}, k = {self.max_treewidth}, "
            f"k-max and {self.rival} in {search_seconds(settings):g} s, "
            f"{settings.n_jobs} cores"
        )
        return Cell(name, partial(self._measure, settings))

    def result(self, settings: RunSettings, figures: Mapping[str, Figures]) -> Figures | None:
        return figures.get(self.cell(settings).name)

    def _measure(self, settings: RunSettings) -> Figures:
        cache = _scored_sets(self.task, settings)
        figures: Figures = {"parent_sets": len(cache)}
        for search in ("k-max", self.rival):
            run = search_checked(
                cache,
                self.max_treewidth,
                search=search,
                time_limit=search_seconds(settings),
                n_jobs=settings.n_jobs,
                random_state=0,
            )
            figures[search] = run["score"]
            figures[f"{search} networks"] = run["iterations"]
        return figures


def search_seconds(settings: RunSettings) -> float:
    return settings.seconds(full=10, quick=1)


def _scored_sets(task: str, settings: RunSettings) -> bt.ParentSetCache:
    """Return the parent sets of a task; scored once within a time limit, then kept."""
    seconds = settings.seconds(full=20, quick=2)
    path = settings.work_dir / f"{task}-{seconds:g}s-{settings.n_jobs}.pickle"
    if path.exists():
        return pickle.loads(path.read_bytes())
    table = task_table(task, settings.work_dir)
    cache = bt.score_parent_sets(
        table, max_parents=max(TREEWIDTHS), time_limit=seconds, n_jobs=settings.n_jobs
    )
    settings.work_dir.mkdir(parents=True, exist_ok=True)
    draft = Path(f"{path}.draft")
    draft.write_bytes(pickle.dumps(cache))
    draft.rename(path)
    return cache
