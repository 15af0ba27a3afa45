"""Figure 5: tables with gaps of their own, out of the box; hidden cells beside mode and KNN."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from bench_data import bench_dir
from cells import Figures
from figure_tables import FigureTable, Report, text_of, verdict
from run_settings import Cell, RunSettings

import baytree as bt
from baytree.exceptions import BaytreeWarning
from imputation_figures.masked_runs import AVERAGED, OURS, TUNED, hidden_mask, measured

SETS = ("adult", "mushroom", "house-votes-84", "soybean-large", "audiology", "titanic")
QUICK_SETS = ("house-votes-84", "soybean-large")
METHODS = (OURS, AVERAGED, TUNED, "mode", "KNN")
PEERS = METHODS[-2:]
NEEDED = (OURS, *PEERS)
RATE = 0.05
MAX_STATES = 100  # names and tickets are no states


def cells(settings: RunSettings) -> list[Cell]:
    names = settings.pick(full=SETS, quick=QUICK_SETS)
    boxes = [Cell(f"5: {name}, out of the box", partial(measure_box, name)) for name in names]
    return boxes + [
        Cell(f"5: {method} on {name}", partial(measure, method, name))
        for name in names
        for method in METHODS
    ]


def measure_box(name: str) -> Figures:
    """Fill the file as it is, and count what is left."""
    path = bench_dir() / "data" / "uci" / f"{name}.csv.gz"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BaytreeWarning)
        imputer = bt.BayesianNetworkImputer(random_state=0).fit(path)
        filled = imputer.transform(path)
    holes = imputer._encoding.read(path)
    return {
        "rows": len(holes),
        "variables": holes.shape[1],
        "missing": int(holes.isna().sum().sum()),
        "left": int(filled.isna().sum().sum()),
    }


def measure(method: str, name: str) -> Figures:
    """Hide cells that are observed and have a state that is one of few."""
    codes = coded_table(name)
    mask = hidden_mask(codes.shape, RATE, seed=0) & (codes >= 0)
    return measured(method, codes, mask, seed=0)


def coded_table(name: str) -> np.ndarray:
    path = bench_dir() / "data" / "uci" / f"{name}.csv.gz"
    table = pd.read_csv(path, na_values=["?", ""], keep_default_na=False)
    numbers = [n for n in table if pd.api.types.is_numeric_dtype(table[n]) and _is_long(table[n])]
    if numbers:
        table[numbers] = bt.Discretizer().fit_transform(table[numbers])
    columns = [table[n] for n in table if table[n].nunique() <= MAX_STATES]
    return np.column_stack([pd.factorize(column, sort=True)[0] for column in columns])


def _is_long(column: pd.Series) -> bool:
    return column.nunique() > 20


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    names = settings.pick(full=SETS, quick=QUICK_SETS)
    methods = [m for m in METHODS if any(f"5: {m} on {name}" in figures for name in names)]
    header = ("data", "rows", "variables", "missing", "left", *methods, "verdict")
    table = FigureTable(f"accuracy on {100 * RATE:g} % of the observed cells", header)
    for name in names:
        box = figures.get(f"5: {name}, out of the box")
        runs = {method: figures.get(f"5: {method} on {name}", {}) for method in methods}
        if box is None or not all(runs.get(method) for method in NEEDED):
            continue
        found = {method: run.get("accuracy") for method, run in runs.items()}
        said = verdict(found[OURS], max(found[peer] for peer in PEERS), 4)
        if box["left"]:
            said = f"not reached: {box['left']:,} cells left"
        sizes = (text_of(box[key]) for key in ("rows", "variables", "missing", "left"))
        table.rows.append((name, *sizes, *(text_of(a, 4) for a in found.values()), said))
    notes = (
        "Each file is filled as it is, with the default settings. For the accuracy, numbers of "
        f"more than 20 values are cut into bins and variables of more than {MAX_STATES} states "
        "left out. The target: no cell left, and the default settings above mode and KNN."
    )
    return Report("Figure 5: real gaps", notes, [table])
