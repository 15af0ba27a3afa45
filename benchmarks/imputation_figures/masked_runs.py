"""Runs of imputers on tables with hidden cells, with the same masks for all."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np
import pandas as pd
from bench_data import binary_table
from cells import Figures
from peers import PEERS
from run_settings import Cell

import baytree as bt
from baytree.exceptions import BaytreeWarning

N_REPEATS = 3  # of runs shorter than SECONDS_TO_REPEAT of CPU time
SECONDS_TO_REPEAT = 5.0
SMALL = np.array([[0, 0], [1, 1], [0, -1], [-1, 1], [1, 0]] * 4)

Impute: TypeAlias = Callable[[np.ndarray], np.ndarray]  # takes -1 for a missing cell
Filled = TypeVar("Filled")

BAYTREE = "baytree"  # with one network, and default settings else


def hidden_mask(shape: tuple[int, int], rate: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(shape) < rate


def accuracy(codes: np.ndarray, mask: np.ndarray, filled: np.ndarray) -> float:
    """Return the fraction of restored cells per row, averaged over rows with a hidden cell."""
    n_hidden = mask.sum(axis=1)
    n_restored = ((filled == codes) & mask).sum(axis=1)
    rows = n_hidden > 0
    return float((n_restored[rows] / n_hidden[rows]).mean())


def impute_by_baytree(codes: np.ndarray, seed: int, **settings: object) -> np.ndarray:
    """Impute codes of states; more than 10 different integers would be numbers to baytree."""
    incomplete = np.where(codes < 0, np.nan, codes).astype(np.float64)
    table = pd.DataFrame(incomplete).astype("category") if codes.max() >= 10 else incomplete
    imputer = bt.BayesianNetworkImputer(n_networks=1, random_state=seed).set_params(**settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BaytreeWarning)
        return np.asarray(imputer.fit_transform(table), dtype=np.float64)


def impute(method: str, codes: np.ndarray, seed: int) -> np.ndarray:
    return (impute_by_baytree if method == BAYTREE else PEERS[method])(codes, seed)


def measure_method(method: str, codes: np.ndarray, mask: np.ndarray, seed: int) -> Figures:
    return measure_imputation(partial(impute, method, seed=seed), codes, mask)


def measure_imputation(run: Impute, codes: np.ndarray, mask: np.ndarray) -> Figures:
    """Hide cells and return accuracy and time of the imputation, with all modules imported."""
    run(SMALL)
    filled, seconds = timed(partial(run, np.where(mask, -1, codes)))
    return {"accuracy": round(accuracy(codes, mask, filled), 5), **seconds}


def timed(run: Callable[[], Filled]) -> tuple[Filled, Figures]:
    """Return the result of a run and its time; short runs are repeated, and their median counts."""
    seconds: list[tuple[float, float]] = []
    while not seconds or (len(seconds) < N_REPEATS and seconds[0][0] < SECONDS_TO_REPEAT):
        began, began_cpu = time.monotonic(), time.process_time()
        filled = run()
        seconds.append((time.process_time() - began_cpu, time.monotonic() - began))
    of_cpu, elapsed = np.median(seconds, axis=0).round(2).tolist()
    return filled, {"fill_cpu": of_cpu, "fill_seconds": elapsed}


def measure_binary(method: str, name: str, rate: float, seed: int) -> Figures:
    codes = binary_table(name).astype(np.int64)
    return measure_method(method, codes, hidden_mask(codes.shape, rate, seed), seed)


def binary_cell(method: str, name: str, rate: float, seed: int) -> Cell:
    text = f"{method} on {name}, {100 * rate:g} % hidden, mask {seed}"
    return Cell(text, partial(measure_binary, method, name, rate, seed))
