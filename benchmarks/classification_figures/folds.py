"""Stratified folds of a table: accuracy and log loss of a classifier on each held-out part."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from bench_data import bench_dir
from cells import Figures
from peers.classifiers import CLASSIFIERS
from sklearn.model_selection import StratifiedKFold

import baytree as bt
from baytree.exceptions import BaytreeWarning

BAYTREE = "baytree"
TARGETS = {
    "adult": "income",
    "mushroom": "class",
    "house-votes-84": "Class",
    "credit-screening": "class",
    "soybean-large": "class",
    "titanic": "survived",
    "nursery": "class",
    "kr-vs-kp": "class",
    "splice": "Class",
    "audiology": "class",
    "breast-cancer": "Class",
    "primary-tumor": "class",
    "hepatitis": "Class",
}
DROPPED = {"titanic": ["name", "ticket", "cabin"]}  # identifiers, as a user would drop them
N_FOLDS = 5
HIDDEN_RATE = 0.2
MIN_PROBABILITY = 1e-15  # of a class that is not in the other folds


def measure(method: str, name: str, repeat: int) -> Figures:
    """Return the means over the held-out folds of one repeat, and the CPU seconds of all."""
    table, classes = read_table(name)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=repeat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BaytreeWarning)
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer rows than folds
        found = [
            _measure_fold(method, table, classes, train, test, N_FOLDS * repeat + number)
            for number, (train, test) in enumerate(folds.split(table, classes))
        ]
    return {key: float(np.mean([one[key] for one in found])) for key in found[0]}


def _measure_fold(
    method: str,
    table: pd.DataFrame,
    classes: pd.Series,
    train: np.ndarray,
    test: np.ndarray,
    seed: int,
) -> Figures:
    began = time.process_time()
    model = _classifier(method).fit(table.iloc[train], classes.iloc[train])
    proba = model.predict_proba(table.iloc[test])
    seconds = time.process_time() - began
    hidden = np.random.default_rng(seed).random((len(test), table.shape[1])) < HIDDEN_RATE
    incomplete = table.iloc[test].mask(hidden)
    hidden_proba = model.predict_proba(incomplete)
    return {
        "accuracy": _accuracy(model, table.iloc[test], classes.iloc[test]),
        "log_loss": _log_loss(proba, model.classes_, classes.iloc[test]),
        "hidden_accuracy": _accuracy(model, incomplete, classes.iloc[test]),
        "hidden_log_loss": _log_loss(hidden_proba, model.classes_, classes.iloc[test]),
        "fold_cpu": seconds,
    }


def _classifier(method: str) -> Any:
    if method == BAYTREE:
        return bt.BayesianNetworkClassifier(random_state=0)
    return CLASSIFIERS[method]()


def _accuracy(model: Any, table: pd.DataFrame, classes: pd.Series) -> float:
    return float((model.predict(table) == classes.to_numpy()).mean())


def _log_loss(proba: np.ndarray, labels: np.ndarray, classes: pd.Series) -> float:
    own = pd.Index(labels).get_indexer(classes)  # -1 for a class that training has not seen
    chances = np.where(own >= 0, proba[np.arange(len(own)), own], 0.0)
    return float(-np.log(np.clip(chances, MIN_PROBABILITY, 1.0)).mean())


def read_table(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the features and the classes of a table."""
    path = bench_dir() / "data" / "uci" / f"{name}.csv.gz"
    table = pd.read_csv(path, na_values=["?", ""], keep_default_na=False)
    table = table.drop(columns=DROPPED.get(name, []))
    return table, table.pop(TARGETS[name])
