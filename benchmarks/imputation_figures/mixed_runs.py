"""Runs of imputers on frames of numbers and text with hidden cells, the same cells for all."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from bench_data import bench_dir
from cells import Figures
from peers.mixed_columns import is_number
from peers.mixed_tables import MIXED_PEERS, ImputeFrame
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

import baytree as bt
from baytree.exceptions import BaytreeWarning
from imputation_figures.masked_runs import hidden_mask, timed

BAYTREE = "baytree"  # with one network, and default settings else
AVERAGED = "baytree, averaged"
N_NETWORKS = 5  # that are averaged, the default
RATE = 0.15

NUMBERS = {
    "penguins": ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"),
    "credit-screening": ("A2", "A3", "A8", "A11", "A14", "A15"),
    "hepatitis": ("AGE", "BILIRUBIN", "ALK_PHOSPHATE", "SGOT", "ALBUMIN", "PROTIME"),
    "adult": (
        "age",
        "fnlwgt",
        "education-num",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
    ),
    "titanic": ("age", "fare"),
}
DROPPED = {"titanic": ["name", "ticket", "cabin"]}  # identifiers, as a user would drop them
MAX_ROWS = 10_000  # of adult, whose 48,842 rows take missForest and KNN many hours
SMALL = pd.DataFrame({"number": [0.5, 1.5, None, 2.5] * 5, "text": ["a", None, "b", "a"] * 5})


def read_table(name: str) -> pd.DataFrame:
    """Return numbers as numbers and text as text, of at most `MAX_ROWS` rows drawn at random."""
    table = _LOADERS[name]() if name in _LOADERS else _read_uci(name)
    if len(table) <= MAX_ROWS:
        return table
    rows = np.random.default_rng(0).permutation(len(table))[:MAX_ROWS]
    return table.iloc[rows].reset_index(drop=True)


def _read_uci(name: str) -> pd.DataFrame:
    path = bench_dir() / "data" / "uci" / f"{name}.csv.gz"
    table = pd.read_csv(path, na_values=["?", ""], keep_default_na=False)
    table = table.drop(columns=DROPPED.get(name, []))
    coded = [n for n in table if is_number(table[n]) and n not in NUMBERS[name]]
    return table.astype(dict.fromkeys(coded, str))  # codes such as those of survived; all observed


def _wine() -> pd.DataFrame:
    wine = load_wine(as_frame=True)
    return wine.data.assign(cultivar=wine.target_names[wine.target])


_LOADERS: dict[str, Callable[[], pd.DataFrame]] = {
    "wine": _wine,
    "breast_cancer": lambda: load_breast_cancer(as_frame=True).data,
    "diabetes": lambda: load_diabetes(as_frame=True).data,
}


def measure(method: str, name: str, seed: int) -> Figures:
    """Hide observed cells and return the errors and times of one imputation."""
    table = read_table(name)
    hidden = hidden_mask(table.shape, RATE, seed) & table.notna().to_numpy()
    run = partial(_imputer(method), seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BaytreeWarning)
        run(SMALL)
        filled, seconds = timed(partial(run, table.mask(hidden)))
    return {**errors(table, hidden, filled), **seconds}


def _imputer(method: str) -> ImputeFrame:
    if method in MIXED_PEERS:
        return MIXED_PEERS[method]
    return partial(impute_by_baytree, n_networks=N_NETWORKS if method == AVERAGED else 1)


def impute_by_baytree(table: pd.DataFrame, seed: int, *, n_networks: int) -> pd.DataFrame:
    imputer = bt.BayesianNetworkImputer(n_networks=n_networks, random_state=seed)
    return imputer.fit_transform(table)


def errors(table: pd.DataFrame, hidden: np.ndarray, filled: pd.DataFrame) -> Figures:
    """Return the normalized RMSE of hidden numbers and the accuracy of hidden states.

    The error of a column is divided by the standard deviation of its observed cells; columns count
    alike. The accuracy is the fraction of all hidden states that are restored.
    """
    rmse: list[float] = []
    restored: list[np.ndarray] = []
    for name, rows in zip(table, hidden.T, strict=True):
        truth, found = table[name][rows].to_numpy(), filled[name][rows].to_numpy()
        if not is_number(table[name]):
            restored.append(found == truth)
        elif rows.any():
            error = np.sqrt(np.mean((found.astype(np.float64) - truth) ** 2))
            rmse.append(float(error / table[name].std(ddof=0)))
    return {
        "rmse": round(float(np.mean(rmse)), 5),
        "accuracy": round(float(np.concatenate(restored).mean()), 5) if restored else None,
        "n_left": int(filled.isna().to_numpy().sum()),
    }
