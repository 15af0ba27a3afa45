"""Published figures, read from anchors/ in the benchmark folder."""

from __future__ import annotations

import csv
from functools import cache
from typing import NamedTuple

import numpy as np
from bench_data import bench_dir, binary_table

# Training splits by the names in the paper on hc-ET.
HC_ET_NAMES = {
    "nltcs.train": "NLTCS",
    "plants.train": "Plants",
    "baudio.train": "Audio",
    "jester.train": "Jester",
    "bnetflix.train": "Netflix",
    "accidents.train": "Accidents",
    "pumsb_star.train": "Pumsb-star",
    "dna.train": "DNA",
    "msweb.train": "MSWeb",
    "cr52.train": "Reuters-521",
    "bbc.train": "BBC",
}


class HillClimb(NamedTuple):
    """Score of hc-ET and its seconds."""

    score: float
    seconds: float


def _rows(name: str) -> list[dict[str, str]]:
    with (bench_dir() / "anchors" / name).open(newline="") as file:
        return list(csv.DictReader(file))


@cache
def published_k_trees() -> dict[str, dict[str, float]]:
    """Return the scores of [k-max] by task ("plants.train") and column ("kmax_tw5")."""
    return {
        _task_name(row["dataset"]): {
            column: float(score) for column, score in row.items() if column.startswith("k")
        }
        for row in _rows("ijar_kmax_kgreedy_bic.csv")
    }


@cache
def published_unbounded() -> dict[str, float]:
    """Return the best published score per task without a bound on the treewidth."""
    columns = ("asobs", "asobs_ent", "obs", "gobnilp")
    best = {}
    for row in _rows("ml17_unbounded_bic.csv"):
        found = [float(row[column]) for column in columns if row[column] and row[column] != "0"]
        best[_task_name(row["dataset"])] = max(found)  # 0 stands for no result
    return best


@cache
def hill_climbs() -> dict[tuple[str, int], HillClimb]:
    """Return the results of hc-ET by table and treewidth."""
    table_of = {name: table for table, name in HC_ET_NAMES.items()}
    return {
        (table_of[row["dataset"]], int(row["tw_bound"])): HillClimb(
            float(row["bic_train"]), float(row["seconds"])
        )
        for row in _rows("etl_vs_kmax_bic.csv")
        if row["method"] == "hc-ET" and row["dataset"] in table_of
    }


@cache
def best_on_caches() -> dict[tuple[str, int], float]:
    """Return the best known score by network and treewidth on the caches of BN-SLIM."""
    return {
        (row["instance"], int(row["tw_at_most"])): float(row["best_bic"])
        for row in _rows("bnslim_best_by_treewidth.csv")
    }


@cache
def binary_splits() -> tuple[str, ...]:
    """Return the splits that have a score in [k-max], smallest tables first."""
    folder = bench_dir() / "data" / "debd"
    present = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as splits:
            present += [(splits[split].shape, f"{path.stem}.{split}") for split in splits.files]
    known = [(shape, name) for shape, name in present if name in published_k_trees()]
    return tuple(name for shape, name in sorted(known, key=lambda item: item[0][1]))


@cache
def constant_column_bonus(name: str) -> float:
    """Return the difference to published scores, which count two states of constant columns."""
    table = binary_table(name)
    n_constant = int((table.min(axis=0) == table.max(axis=0)).sum())
    return n_constant * float(np.log(len(table))) / 2


@cache
def published_likelihoods() -> dict[str, dict[str, float]]:
    """Return the log-likelihoods per row of Chordalysis and k-MAX in [k-max] by task."""
    columns = ("chordalysis", "kmax_tw2", "kmax_tw5", "kmax_tw8")
    return {
        _task_name(row["name"]): {column: float(row[column]) for column in columns}
        for row in _rows("ijar_chordalysis_kmax.csv")
        if row["table"] == "Table 4"
    }


@cache
def published_densities() -> dict[str, dict[str, float]]:
    """Return mean test log-likelihoods by set ("plants") and model, the highest as "best"."""
    return {
        row["data"]: {
            model: float(value) for model, value in row.items() if model not in ("data", "best_by")
        }
        for row in _rows("density.csv")
    }


@cache
def published_incomplete(rate: float) -> dict[str, dict[str, float]]:
    """Return the best log-likelihood of all test rows by set and method, TSEM or SEM-kMAX.

    The best is over treewidths, and over the variants of TSEM. `rate` is that of missing cells.
    """
    name_of = {theirs: ours.removesuffix(".train") for ours, theirs in HC_ET_NAMES.items()}
    best: dict[str, dict[str, float]] = {}
    for row in _rows("tsem_vs_semkmax.csv"):
        if round(float(row["missing_pct"])) == round(100 * rate) and row["dataset"] in name_of:
            own = best.setdefault(name_of[row["dataset"]], {})
            method = row["method"].removesuffix("-poly")
            own[method] = max(own.get(method, -np.inf), float(row["ll_test"]))
    return best


def _task_name(dataset: str) -> str:
    return dataset.removesuffix(".ts") + ".train" if dataset.endswith(".ts") else dataset
