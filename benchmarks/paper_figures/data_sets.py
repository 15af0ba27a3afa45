"""Section 1: Tables 1 and 2, the data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from cells import Figures
from figure_tables import FigureTable, Report
from run_settings import Cell, RunSettings

from .tasks import (
    KNOWN_NETWORKS,
    REAL_SETS,
    SPLITS,
    SPLITS_AT_HAND,
    all_networks,
    all_splits,
    codes_of,
    has_stand_ins,
    network_of,
)

CELL = "data: sizes"
CELL_OF_STAND_INS = "data: sizes of stand-ins"


def cells(settings: RunSettings) -> list[Cell]:
    name = CELL_OF_STAND_INS if has_stand_ins(settings) else CELL
    return [Cell(name, partial(measure, settings))]


def measure(settings: RunSettings) -> Figures:
    shapes = {name: list(codes_of(name).shape) for name in all_splits(settings)}
    networks = {}
    for name in all_networks(settings):
        network = network_of(name)
        arities = [len(network.states(variable)) for variable in network.variables]
        networks[name] = [len(network.variables), len(network.arcs), min(arities), max(arities)]
    return {"splits": shapes, "networks": networks}


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    (cell,) = cells(settings)
    found = figures.get(cell.name) or {"splits": {}, "networks": {}}
    notes = (
        "The paper learns from each of the three splits of 18 sets. Of these 54 splits, "
        f"{sum(map(len, SPLITS_AT_HAND.values()))} are at hand; a dash is a split that is not. Its "
        "d is the number of rows of the test split. r0 to r14 are drawn by `random_network`, as "
        "the paper's were not published. States are counted where a column is constant too."
    )
    if has_stand_ins(settings):
        notes = "The benchmark folder is not given: tables of scikit-learn and random networks."
    return Report("1. Tables 1 and 2: data", notes, [_real(found), _networks(found)])


def _real(found: Figures) -> FigureTable:
    table = FigureTable(
        "real data", ("data", "n", "n, published", "d, published", *(f"d, {s}" for s in SPLITS))
    )
    published = {file: (name, n, d) for name, file, n, d in REAL_SETS}
    files = dict.fromkeys([*published, *(task.rsplit(".", 1)[0] for task in found["splits"])])
    for file in files:
        shapes = [found["splits"].get(f"{file}.{split}") for split in SPLITS]
        name, n, d = published.get(file, (file, None, None))
        n_here = next((shape[1] for shape in shapes if shape), None)
        rows = [f"{shape[0]:,}" if shape else "-" for shape in shapes]
        table.rows.append(
            (
                name,
                str(n_here or "-"),
                str(n or "-"),
                f"{d:,}" if d else "-",
                *rows,
            )
        )
    return table


def _networks(found: Figures) -> FigureTable:
    table = FigureTable("networks", ("network", "n", "n, published", "arcs", "states"))
    for name, (n, n_arcs, fewest, most) in found["networks"].items():
        published = str(KNOWN_NETWORKS.get(name, n if name.startswith("r") else "-"))
        states = f"{fewest} to {most}"
        table.rows.append((name, f"{n:,}", published, f"{n_arcs:,}", states))
    return table
