"""Figure 5: tables with missing data of their own, compared with mode and KNN."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from bench_data import bench_dir
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

import baytree as bt
from baytree.exceptions import BaytreeWarning
from imputation_figures.masked_runs import BAYTREE, hidden_mask, measure_method

SETS = ("adult", "mushroom", "house-votes-84", "soybean-large", "audiology", "titanic")
QUICK_SETS = ("house-votes-84", "soybean-large")
PEERS = ("mode", "KNN")
METHODS = (BAYTREE, *PEERS)
RATE = 0.05
MAX_STATES = 100  # leaves out names and tickets


def cells(settings: RunSettings) -> list[Cell]:
    names = settings.pick(full=SETS, quick=QUICK_SETS)
    files = [Cell(f"5: {name}, out of the box", partial(measure_file, name)) for name in names]
    return files + [
        Cell(f"5: {method} on {name}", partial(measure, method, name))
        for name in names
        for method in METHODS
    ]


def measure_file(name: str) -> Figures:
    """Impute the file as it is and count the cells that are still missing."""
    path = _path(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BaytreeWarning)
        imputer = bt.BayesianNetworkImputer(random_state=0).fit(path)
        filled = imputer.transform(path)
    table = _read(path)
    return {
        "rows": len(table),
        "variables": table.shape[1],
        "missing": int(table.isna().sum().sum()),
        "left": int(filled.isna().sum().sum()),
    }


def measure(method: str, name: str) -> Figures:
    """Hide observed cells of variables with at most `MAX_STATES` states."""
    codes = coded_table(name)
    mask = hidden_mask(codes.shape, RATE, seed=0) & (codes >= 0)
    return measure_method(method, codes, mask, seed=0)


def coded_table(name: str) -> np.ndarray:
    table = _read(_path(name))
    numbers = [n for n in table if pd.api.types.is_numeric_dtype(table[n]) and _is_long(table[n])]
    if numbers:
        table[numbers] = bt.Discretizer().fit_transform(table[numbers])
    columns = [table[n] for n in table if table[n].nunique() <= MAX_STATES]
    return np.column_stack([pd.factorize(column, sort=True)[0] for column in columns])


def _path(name: str) -> Path:
    return bench_dir() / "data" / "uci" / f"{name}.csv.gz"


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, na_values=["?", ""], keep_default_na=False)


def _is_long(column: pd.Series) -> bool:
    return column.nunique() > 20


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    names = settings.pick(full=SETS, quick=QUICK_SETS)
    header = ("data", "rows", "variables", "missing", "left", *METHODS, "verdict")
    table = FigureTable(f"accuracy on {100 * RATE:g} % of the observed cells", header)
    for name in names:
        whole = figures.get(f"5: {name}, out of the box")
        runs = [figures.get(f"5: {method} on {name}") for method in METHODS]
        if whole is None or not all(runs):
            continue
        found = [run["accuracy"] for run in runs]
        verdict = verdict_at_least(found[0], max(found[1:]), 4)
        if whole["left"]:
            verdict = f"not reached: {whole['left']:,} cells left"
        sizes = (decimal(whole[key]) for key in ("rows", "variables", "missing", "left"))
        table.rows.append((name, *sizes, *(decimal(a, 4) for a in found), verdict))
    notes = (
        "Each file is imputed as it is. For the accuracy, numeric columns of more than 20 values "
        f"are cut into bins, and variables of more than {MAX_STATES} states are left out. The "
        "target is that no cell is left missing and the accuracy is above that of mode and KNN."
    )
    return Report("Figure 5: tables with missing data", notes, [table])
