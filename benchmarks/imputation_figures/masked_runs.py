"""Runs of imputers on tables with hidden cells: the same masks for all."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from bench_data import binary_table
from cells import Figures
from peers import PEERS
from run_settings import Cell

import baytree as bt
from baytree.exceptions import BaytreeWarning

N_REPEATS = 3  # of runs that take less CPU time than this
SECONDS_TO_REPEAT = 5.0
SMALL = np.array([[0, 0], [1, 1], [0, -1], [-1, 1], [1, 0]] * 4)

Fill: TypeAlias = Callable[[np.ndarray], np.ndarray]  # takes -1 for a missing cell

OURS = "ours"
AVERAGED = "ours, averaged"
TUNED = "ours, tuned and averaged"
SETTINGS: dict[str, dict] = {
    OURS: {},
    AVERAGED: {"n_networks": "auto"},
    TUNED: {"n_networks": 20, "tune": True},
}


def hidden_mask(shape: tuple[int, int], rate: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(shape) < rate


def accuracy(codes: np.ndarray, mask: np.ndarray, filled: np.ndarray) -> float:
    """Return the mean over rows with a hidden cell of the share of their hidden cells restored."""
    n_hidden = mask.sum(axis=1)
    n_right = ((filled == codes) & mask).sum(axis=1)
    rows = n_hidden > 0
    return float((n_right[rows] / n_hidden[rows]).mean())


def fill_by_us(codes: np.ndarray, seed: int, **settings: object) -> np.ndarray:
    holes = np.where(codes < 0, np.nan, codes).astype(np.float64)
    imputer = bt.BayesianNetworkImputer(random_state=seed, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BaytreeWarning)
        return imputer.fit_transform(holes)


def fill(method: str, codes: np.ndarray, seed: int) -> np.ndarray:
    if method in SETTINGS:
        return fill_by_us(codes, seed, **SETTINGS[method])
    return PEERS[method](codes, seed)


def measured(method: str, codes: np.ndarray, mask: np.ndarray, seed: int) -> Figures:
    return timed(partial(fill, method, seed=seed), codes, mask)


def timed(fill: Fill, codes: np.ndarray, mask: np.ndarray) -> Figures:
    """Hide cells, and return how well and how fast they are filled, modules loaded before.

    What takes little time is done three times, and the median counts.
    """
    fill(SMALL)
    seconds: list[tuple[float, float]] = []
    while not seconds or (len(seconds) < N_REPEATS and seconds[0][0] < SECONDS_TO_REPEAT):
        began, began_cpu = time.monotonic(), time.process_time()
        filled = fill(np.where(mask, -1, codes))
        seconds.append((time.process_time() - began_cpu, time.monotonic() - began))
    of_cpu, elapsed = np.median(seconds, axis=0).round(2).tolist()
    return {
        "accuracy": round(accuracy(codes, mask, filled), 5),
        "fill_cpu": of_cpu,
        "fill_seconds": elapsed,
    }


def measure_binary(method: str, name: str, rate: float, seed: int) -> Figures:
    codes = binary_table(name).astype(np.int64)
    return measured(method, codes, hidden_mask(codes.shape, rate, seed), seed)


def binary_cell(method: str, name: str, rate: float, seed: int) -> Cell:
    text = f"{method} on {name}, {100 * rate:g} % hidden, mask {seed}"
    return Cell(text, partial(measure_binary, method, name, rate, seed))
