"""Figure 3: rows drawn from a mixture, beside one network and synthesisers: pairs, and boosting."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from bench_data import uci_table
from cells import Figures
from figure_tables import (
    FigureTable,
    Report,
    decimal,
    verdict_at_least,
    verdict_at_most,
)
from peers.classifiers import Boosting
from peers.synthesisers import SYNTHESISERS
from run_settings import Cell, RunSettings

import baytree as bt
from density_figures.likelihoods import budget, mixture_learner

TARGETS = {"adult": "income", "mushroom": "class"}
NUMBERS = {
    "adult": (
        "age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week",
    ),
    "mushroom": (),
}  # fmt: skip
MISSING = "unknown"  # for "?", which a table of drawn rows has to hold too
N_DRAWN = 20_000
N_BINS = 10
MIXTURE, NETWORK, REAL = "mixture", "network", "real rows"
METHODS = (MIXTURE, NETWORK, *SYNTHESISERS, REAL)
RIVALS = (NETWORK, *SYNTHESISERS)


def cells(settings: RunSettings) -> list[Cell]:
    return [_cell(method, name, settings) for name in _names(settings) for method in METHODS]


def _names(settings: RunSettings) -> tuple[str, ...]:
    return settings.pick(full=tuple(TARGETS), quick=("mushroom",))


def _cell(method: str, name: str, settings: RunSettings) -> Cell:
    learned = {MIXTURE: f", {budget(settings)}", NETWORK: f", {settings.n_jobs} threads"}
    n = settings.pick(full=N_DRAWN, quick=2_000)
    drawn = "" if method == REAL else f", {n:,} rows"
    return Cell(
        f"3: {method} of {name}{drawn}{learned.get(method, '')}",
        partial(measure, method, name, n, settings),
    )


def measure(method: str, name: str, n: int, settings: RunSettings) -> Figures:
    half, held_out = halves(read_table(name))
    began = time.monotonic()
    drawn = as_read(_drawn(method, half, n, settings), half)
    seconds = time.monotonic() - began
    target = TARGETS[name]
    model = Boosting().fit(drawn.drop(columns=target), drawn[target])
    predicted = model.predict(held_out.drop(columns=target))
    return {
        "distance": round(mean_distance(drawn, held_out, half), 5),
        "accuracy": round(float((predicted == held_out[target].to_numpy()).mean()), 5),
        "draw_seconds": round(seconds, 1),
    }


def read_table(name: str) -> pd.DataFrame:
    """Return a table of text and numbers; missing cells are a state of their own."""
    table = uci_table(name).replace("?", MISSING)
    return table.astype(dict.fromkeys(NUMBERS[name], np.int64))


def halves(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a random half of the rows, to learn from, and the other one."""
    order = np.random.default_rng(0).permutation(len(table))
    parts = order[: len(order) // 2], order[len(order) // 2 :]
    half, held_out = (table.iloc[part].reset_index(drop=True) for part in parts)
    return half, held_out


def as_read(drawn: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Return drawn rows with the columns and types of a table."""
    return pd.DataFrame(
        {name: drawn[name].astype(np.float64 if is_number(table[name]) else str) for name in table}
    )


def is_number(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column))


def _drawn(method: str, half: pd.DataFrame, n: int, settings: RunSettings) -> pd.DataFrame:
    if method == REAL:
        return half
    if method in SYNTHESISERS:
        return SYNTHESISERS[method](half, n, 0)
    if method == MIXTURE:
        mixture = mixture_learner(settings).fit(half).mixture_
        return mixture.sample(n, random_state=0, n_jobs=settings.n_jobs)
    learner = bt.NetworkLearner(5, n_jobs=settings.n_jobs, random_state=0)
    return learner.fit(half).network_.sample(n, random_state=0, n_jobs=settings.n_jobs)


def mean_distance(first: pd.DataFrame, second: pd.DataFrame, binned: pd.DataFrame) -> float:
    """Return the mean total variation distance of the joint distributions of all pairs of columns.

    Numbers are cut at quantiles of `binned`.
    """
    codes = [_codes(first[name], second[name], binned[name]) for name in first]
    distances = [
        _distance(a[0] * size + b[0], a[1] * size + b[1])
        for a, b in combinations(codes, 2)
        for size in [max(b[0].max(), b[1].max()) + 1]
    ]
    return float(np.mean(distances))


def _codes(first: pd.Series, second: pd.Series, binned: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of states, or of bins of numbers, that are the same in both columns."""
    if is_number(binned):
        edges = np.unique(binned.quantile(np.arange(1, N_BINS) / N_BINS))
        return np.searchsorted(edges, first), np.searchsorted(edges, second)
    codes, _ = pd.factorize(pd.concat([first, second], ignore_index=True))
    return codes[: len(first)], codes[len(first) :]


def _distance(first: np.ndarray, second: np.ndarray) -> float:
    n = max(first.max(), second.max()) + 1
    shares = [np.bincount(own, minlength=n) / len(own) for own in (first, second)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    tables = [
        _table("mean total variation distance of all pairs of columns", "distance", settings),
        _table("accuracy of boosting on held-out rows", "accuracy", settings),
        _table("seconds to learn and draw", "draw_seconds", settings),
    ]
    for table, key in zip(tables, ("distance", "accuracy", "draw_seconds"), strict=True):
        table.rows.extend(_rows(key, settings, figures))
    n = settings.pick(full=N_DRAWN, quick=2_000)
    notes = (
        f"{n:,} rows, drawn after learning from a random half of the table, are compared with the "
        f"other half: total variation distance of the joint distributions of two columns, numbers "
        f"cut at {N_BINS} quantiles of the first half. Boosting (HistGradientBoostingClassifier) "
        "learns the income of adult and the edibility of mushroom from the drawn rows. Missing "
        "cells are a state of their own. One network is `NetworkLearner(5)`. synthpop-py draws "
        "each column by a tree on those before it, with its default settings. Independent columns "
        "keep each column's own distribution only. Real rows are the first half itself: the "
        "distance that is left by chance. Targets: distance at most, and accuracy at least, that "
        "of one network and of the synthesisers."
    )
    return Report("Figure 3: drawn rows", notes, tables)


def _table(caption: str, key: str, settings: RunSettings) -> FigureTable:
    verdict = () if key == "draw_seconds" else ("verdict",)
    return FigureTable(caption, ("data", *METHODS, *verdict))


def _rows(key: str, settings: RunSettings, figures: Mapping[str, Figures]) -> list[tuple[str, ...]]:
    rows = []
    for name in _names(settings):
        found = {method: figures.get(_cell(method, name, settings).name) for method in METHODS}
        values = {method: own[key] for method, own in found.items() if own is not None}
        if MIXTURE in values and all(rival in values for rival in RIVALS):
            digits = 1 if key == "draw_seconds" else 4
            shown = (decimal(values.get(method), digits) for method in METHODS)
            rows.append((name, *shown, *_verdict(key, values)))
    return rows


def _verdict(key: str, values: Mapping[str, float]) -> tuple[str, ...]:
    rivals = [values[rival] for rival in RIVALS]
    if key == "distance":
        return (verdict_at_most(values[MIXTURE], min(rivals), 4),)
    if key == "accuracy":
        return (verdict_at_least(values[MIXTURE], max(rivals), 4),)
    return ()
