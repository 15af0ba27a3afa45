"""Searches of baytree whose results are checked by independent code."""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from cells import Figures
from numpy_scores import structure_bic

import baytree as bt


def _load_checker() -> ModuleType:
    path = Path(__file__).parent.parent / "tests" / "oracles" / "structure_checker.py"
    spec = importlib.util.spec_from_file_location("structure_checker", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_structure = _load_checker().check_structure


def learn_checked(
    table: np.ndarray | pd.DataFrame,
    max_treewidth: int,
    *,
    random_state: int = 0,
    **settings: Any,
) -> Figures:
    """Learn a network and check its treewidth and score independently."""
    learner = bt.NetworkLearner(max_treewidth, random_state=random_state, **settings)
    started = time.perf_counter()
    learner.fit(table)
    seconds = time.perf_counter() - started
    bags = learner.network_.decomposition.bags
    edges = learner.network_.decomposition.edges
    check_structure(learner.parents_, bags, edges, max_treewidth)
    position = {name: number for number, name in enumerate(learner.parents_)}
    parents = [[position[name] for name in names] for names in learner.parents_.values()]
    np.testing.assert_allclose(learner.score_, structure_bic(np.asarray(table), parents), rtol=1e-9)
    n_iterations, history = learner.n_iterations_, learner.history_
    return _figures(learner.score_, learner.treewidth_, seconds, n_iterations, history)


def search_checked(cache: bt.ParentSetCache, max_treewidth: int, **settings: Any) -> Figures:
    """Search a cache and check treewidth and score of the structure independently."""
    search = bt.search_structure  # imports its module before the clock starts
    started = time.perf_counter()
    result = search(cache, max_treewidth=max_treewidth, **settings)
    seconds = time.perf_counter() - started
    check_result(result, cache, max_treewidth)
    figures = _figures(result.score, result.treewidth, seconds, result.n_iterations, result.history)
    if math.isfinite(result.score_bound):
        figures["gap"] = round(result.score_bound - result.score, 3)
    return figures


def check_result(result: bt.SearchResult, cache: bt.ParentSetCache, max_treewidth: int) -> None:
    """Check treewidth and score of a structure independently."""
    decomposition = result.decomposition
    parents = dict(zip(result.variables, result.parents, strict=True))
    check_structure(parents, decomposition.bags, decomposition.edges, max_treewidth)
    np.testing.assert_allclose(result.score, _cached_score(cache, result.parents), rtol=1e-9)


def _figures(
    score: float, treewidth: int, seconds: float, n_iterations: int, history: pd.DataFrame
) -> Figures:
    steps = zip(history["seconds"], history["score"], strict=True)
    return {
        "score": round(score, 2),
        "treewidth": treewidth,
        "seconds": round(seconds, 2),
        "iterations": n_iterations,
        "history": [[round(float(when), 3), round(float(best), 2)] for when, best in steps],
    }


def _cached_score(cache: bt.ParentSetCache, parents: Sequence[tuple[Any, ...]]) -> float:
    total = 0.0
    for variable, chosen in zip(cache.variables, parents, strict=True):
        scores, parent_sets = cache[variable]
        wanted = set(chosen)
        total += next(s for s, kept in zip(scores, parent_sets, strict=True) if set(kept) == wanted)
    return total


def seconds_until(history: list[list[float]], target: float) -> float | None:
    """Return the seconds until a score was reached, or None."""
    return next((seconds for seconds, score in history if score >= target), None)
