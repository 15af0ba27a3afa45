"""Measurements that several sections share: searches on the same parent sets, and Chordalysis."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd
from anchors import published_k_trees, published_likelihoods
from cells import Figures
from checked_searches import check_result
from run_settings import Cell, RunSettings, measured

import baytree as bt
from baytree.exceptions import BaytreeWarning

from .tasks import (
    Task,
    all_networks,
    all_splits,
    has_folder,
    has_stand_ins,
    log_likelihoods,
    per_row,
)

TREEWIDTHS = (2, 5, 8)
LONG_TREEWIDTHS = (5, 8)
# [k-max] reports 1,111 iterations of k-MAX and 96,226 of k-greedy in the same time.
N_ITERATIONS, PUBLISHED_RATIO = 12, 96_226 / 1_111
N_ITERATIONS_OF_LARGE, LARGE = 3, 2000  # variables
QUICK_TASKS = ("plants.valid", "plants.test", "dna.valid", "dna.test", "tmovie.test", "andes")
NO_PRIOR = 1e-9
# Of the sets scored for a task. On real data, independence selection spends the time on large sets
# that score less than their parts, and leaves out most sets of two and three parents.
MAX_PARENTS = {"split": 5, "network": 8}


@dataclass(frozen=True)
class Budgets:
    """Seconds of the searches of a task, on one core."""

    sets: float
    search: float

    @classmethod
    def of(cls, settings: RunSettings, n_variables: int = 0) -> Budgets:
        sets = settings.pick(full=max(15.0, 0.01 * n_variables), quick=3.0)
        return cls(settings.scaled(sets), settings.seconds(full=5, quick=1))

    @classmethod
    def long(cls, settings: RunSettings) -> Budgets:
        return cls(settings.seconds(full=60, quick=3), settings.seconds(full=200, quick=2))


def tasks(settings: RunSettings) -> list[str]:
    chosen = all_splits(settings) + all_networks(settings)
    if settings.mode == "full" or has_stand_ins(settings):
        return chosen
    return [name for name in chosen if name in QUICK_TASKS]


def max_parents(name: str) -> int:
    return MAX_PARENTS["network" if Task(name).is_network else "split"]


def contest_cell(name: str, settings: RunSettings) -> Cell:
    budgets = Budgets.of(settings)
    text = f"contest: {name}, {budgets.search:g} s a search, {max_parents(name)} parents"
    return Cell(text, partial(measure_contest, name, settings))


def chordalysis_cell(name: str, settings: RunSettings) -> Cell:
    return Cell(f"chordalysis: {name}", partial(measure_chordalysis, name, settings))


def default_cell(name: str, settings: RunSettings) -> Cell:
    text = f"default search: {name}, {Budgets.of(settings).search:g} s"
    return Cell(text, partial(measure_default, name, settings))


def long_cell(name: str, settings: RunSettings) -> Cell:
    budgets = Budgets.long(settings)
    text = f"k-MAX at length: {name}, {budgets.sets:g} s of parent sets, {budgets.search:g} s"
    return Cell(text, partial(measure_at_length, name, settings))


def contest_cells(settings: RunSettings) -> list[Cell]:
    return [contest_cell(name, settings) for name in tasks(settings)]


def found_contests(
    settings: RunSettings, figures: Mapping[str, Figures]
) -> list[tuple[str, Figures]]:
    """Return the contests that have been measured, by task."""
    return measured(((name, contest_cell(name, settings)) for name in tasks(settings)), figures)


def measure_contest(name: str, settings: RunSettings) -> Figures:
    """Run k-MAX and k-greedy on the same parent sets, and test their networks."""
    task = Task(name)
    table = task.learning_rows()
    n_variables = len(table.columns)
    budgets = Budgets.of(settings, n_variables)
    cache = scored_sets(table, max_parents(name), budgets.sets)
    figures: Figures = {
        "variables": n_variables,
        "rows": len(table),
        "parent sets": len(cache),
        "published": published_differences(name),
    }
    for k in TREEWIDTHS:
        for search in ("k-max", "k-greedy"):
            result, run = run_search(cache, k, search, time_limit=budgets.search)
            figures[f"{search} {k}"] = run
            run |= likelihoods_of(bt.fit_parameters(result, table), table, task)
        n = N_ITERATIONS if n_variables < LARGE else N_ITERATIONS_OF_LARGE
        for search, n_iterations in (("k-max", n), ("k-greedy", round(n * PUBLISHED_RATIO))):
            _, run = run_search(cache, k, search, max_iterations=n_iterations)
            figures[f"{search} {k} by iterations"] = run
    return figures


def published_differences(name: str) -> dict[str, float]:
    """Return published differences in BIC by treewidth; none for random networks of our own."""
    scores = published_k_trees().get(name) if has_folder() else None
    if scores is None:
        return {}
    return {str(k): scores[f"kmax_tw{k}"] - scores[f"kgreedy_tw{k}"] for k in TREEWIDTHS}


def scored_sets(table: pd.DataFrame, n_parents: int, seconds: float) -> bt.ParentSetCache:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BaytreeWarning)
        return bt.score_parent_sets(table, max_parents=n_parents, time_limit=seconds)


def run_search(
    cache: bt.ParentSetCache, k: int, search: str, **budget: float
) -> tuple[bt.SearchResult, Figures]:
    """Return a checked structure, with its score, iterations and seconds."""
    began = time.perf_counter()
    result = bt.search_structure(cache, max_treewidth=k, search=search, random_state=0, **budget)
    seconds = time.perf_counter() - began
    check_result(result, cache, k)
    return result, {
        "score": round(result.score, 2),
        "iterations": result.n_iterations,
        "seconds": round(seconds, 2),
    }


def likelihoods_of(network: bt.BayesianNetwork, table: pd.DataFrame, task: Task) -> Figures:
    """Return log-likelihoods per row: of learning rows by plain counts, and of test rows."""
    plain = bt.fit_parameters(network, table, equivalent_sample_size=NO_PRIOR)
    return {
        "learning": round(float(plain.log_likelihood(table).mean()), 4),
        "test": log_likelihoods(network, task),
    }


def test_likelihood(run: Figures) -> float:
    return per_row(run["test"])


def measure_at_length(name: str, settings: RunSettings) -> Figures:
    """Run k-MAX on the parent sets of a longer time, for a longer time."""
    task = Task(name)
    table = task.learning_rows()
    budgets = Budgets.long(settings)
    cache = scored_sets(table, max_parents(name), budgets.sets)
    figures: Figures = {"parent sets at length": len(cache)}
    for k in LONG_TREEWIDTHS:
        result, run = run_search(cache, k, "k-max", time_limit=budgets.search)
        network = bt.fit_parameters(result, table)
        figures[f"k-max at length {k}"] = run | likelihoods_of(network, table, task)
    return figures


def measure_default(name: str, settings: RunSettings) -> Figures:
    """Learn by the default search of baytree, which is not of the paper."""
    task = Task(name)
    table = task.learning_rows()
    figures: Figures = {}
    for k in TREEWIDTHS:
        learner = bt.NetworkLearner(k, time_limit=Budgets.of(settings).search, random_state=0)
        network = learner.fit(table).network_
        score = round(learner.score_, 2)
        figures[f"anneal {k}"] = {"score": score, **likelihoods_of(network, table, task)}
    return figures


def measure_chordalysis(name: str, settings: RunSettings) -> Figures:
    """Learn by Chordalysis with true arities, and as its program does."""
    task = Task(name)
    table = task.learning_rows()
    figures: Figures = {"variables": len(table.columns), "rows": len(table)}
    figures["published"] = published_likelihoods().get(name, {}) if has_folder() else {}
    searches = {
        "true arities": bt.Chordalysis(),
        "phantom state": bt.Chordalysis(phantom_state=True, rounded_p_values=True),
    }
    for key, search in searches.items():
        began = time.perf_counter()
        limit = settings.seconds(full=150, quick=60)
        learner = bt.NetworkLearner(None, search=search, time_limit=limit).fit(table)
        seconds = time.perf_counter() - began
        figures[key] = {
            "edges": len(learner.p_values_),
            "treewidth": learner.treewidth_,
            "seconds": round(seconds, 2),
            "smoothed learning": round(learner.score(table), 4),
            **likelihoods_of(learner.network_, table, task),
        }
    return figures
