"""Figure 10: categorical tables as columns of 0 and 1, one for each state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from bench_data import uci_table
from cells import Figures
from checked_searches import learn_checked
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

import baytree as bt

TABLES = ("adult", "mushroom", "nursery", "soybean-large", "splice", "audiology")
MAX_TREEWIDTH = 5
MAX_LOSS = 0.001  # of the score
MAX_STATES = 50  # of a column; those with more are left out, mostly numbers
STARTS = {"as it comes": False, "started from the groups": True}


def cells(settings: RunSettings) -> list[Cell]:
    return [cell for *_, cell in _runs(settings)]


def _runs(settings: RunSettings) -> list[tuple[str, str, Cell]]:
    seconds = settings.seconds(full=60, quick=5)
    return [
        (
            name,
            start,
            Cell(
                f"10: {name}, {start}, {seconds:g} s, {settings.n_jobs} cores",
                partial(measure, name, knows, seconds, settings.n_jobs),
            ),
        )
        for name in settings.pick(full=TABLES, quick=TABLES[1:3])
        for start, knows in STARTS.items()
    ]


def categorical_columns(name: str) -> pd.DataFrame:
    """Return the columns of text with at least two states; "?" is a state."""
    table = uci_table(name)
    is_number = table.apply(lambda column: pd.to_numeric(column, errors="coerce").notna().mean())
    n_states = table.nunique()
    kept = (n_states > 1) & (n_states <= MAX_STATES) & ((is_number < 0.5) | (n_states <= 10))
    return table.loc[:, kept]


def indicators(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the columns of 0 and 1 for the states of each column."""
    return {
        name: pd.get_dummies(table[name], prefix=name, prefix_sep="=", dtype=np.int8)
        for name in table
    }


def start_of_groups(table: pd.DataFrame, groups: Mapping[str, pd.DataFrame]) -> dict:
    """Rewrite the best tree over the categorical columns as parents of their indicators.

    The indicators of a column stand in a row: each has the ones before it as parents, and the
    indicator of the parent in the tree that is most correlated with the group.
    """
    tree = bt.NetworkLearner(1, search="chow-liu").fit(table.astype("category")).network_
    parents: dict[str, list[str]] = {}
    for name, group in groups.items():
        above: list[str] = []
        for parent in tree.parents(name):
            both = np.corrcoef(group.to_numpy(float).T, groups[parent].to_numpy(float).T)
            strongest = np.abs(both[: group.shape[1], group.shape[1] :]).max(axis=0).argmax()
            above = [groups[parent].columns[strongest]]
        states = list(group.columns)
        for i, state in enumerate(states):
            parents[state] = states[max(0, i - MAX_TREEWIDTH + len(above)) : i] + above
    return parents


def measure(name: str, knows_groups: bool, seconds: float, n_jobs: int) -> Figures:
    table = categorical_columns(name)
    groups = indicators(table)
    rows = pd.concat(list(groups.values()), axis=1)
    start = start_of_groups(table, groups) if knows_groups else None
    figures = learn_checked(
        rows, MAX_TREEWIDTH, time_limit=seconds, n_jobs=n_jobs, initial_network=start
    )
    return {"columns": table.shape[1], "indicators": rows.shape[1], "score": figures["score"]}


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("table", "columns", "indicators", *STARTS, "difference", "verdict")
    table = FigureTable("score", header)
    for name in TABLES:
        runs = {
            start: figures[cell.name]
            for own, start, cell in _runs(settings)
            if own == name and cell.name in figures
        }
        if len(runs) == len(STARTS):
            ours, started = (runs[start]["score"] for start in STARTS)
            sizes = (decimal(runs["as it comes"][key]) for key in ("columns", "indicators"))
            scores = (decimal(score, 1) for score in (ours, started, ours - started))
            least = started - MAX_LOSS * abs(started)
            table.rows.append((name, *sizes, *scores, verdict_at_least(ours, least)))
    notes = (
        f"Every state of the categorical columns is a column of 0 and 1; k = {MAX_TREEWIDTH}. The "
        "same search as it comes, and started from the best tree over the categorical columns, "
        f"rewritten over their indicators. It may end {100 * MAX_LOSS:g} % below."
    )
    return Report("Figure 10: categorical tables as columns of 0 and 1", notes, [table])
