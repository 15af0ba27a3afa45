"""Figure 9: parents that tell something only as a pair."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_least
from run_settings import Cell, RunSettings

import baytree as bt

SIZES = (60, 120, 300)
N_STATES = {"exclusive or": 2, "sum modulo 3": 3}
N_ROWS = 4000
NOISE = 0.1
MIN_COMPLETE = 14 / 15  # tables in which all planted pairs are found


def cells(settings: RunSettings) -> list[Cell]:
    return [cell for *_, cell in _tables(settings)]


def _tables(settings: RunSettings) -> list[tuple[int, str, Cell]]:
    """Return the tables, in an order that has one of each kind first."""
    seconds = settings.seconds(full=30, quick=5)
    found = []
    for seed in range(settings.pick(full=5, quick=1)):
        for n in settings.pick(full=SIZES, quick=SIZES[:2]):
            for rule in N_STATES:
                name = f"9: {rule}, {n} variables, table {1 + seed}, {seconds:g} s"
                cell = Cell(
                    f"{name}, {settings.n_jobs} cores",
                    partial(measure, n, rule, seed, seconds, settings.n_jobs),
                )
                found.append((n, rule, cell))
    return found


def planted_table(
    n_variables: int, rule: str, seed: int
) -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """Return rows and the planted triples: the third variable is made from the two others."""
    random = np.random.default_rng(seed)
    n_states = N_STATES[rule]
    table = random.integers(0, n_states, (N_ROWS, n_variables))
    places = random.permutation(n_variables)[: 3 * (n_variables // 3)]
    triples = [(int(a), int(b), int(c)) for a, b, c in places.reshape(-1, 3)]
    for a, b, c in triples:
        noisy = random.random(N_ROWS) < NOISE
        table[:, c] = np.where(noisy, table[:, c], (table[:, a] + table[:, b]) % n_states)
    return table, triples


def measure(n_variables: int, rule: str, seed: int, seconds: float, n_jobs: int) -> Figures:
    table, triples = planted_table(n_variables, rule, seed)
    learner = bt.NetworkLearner(time_limit=seconds, n_jobs=n_jobs, random_state=seed).fit(table)
    network = learner.network_
    names = network.variables
    families = [{name, *network.parents(name)} for name in names]
    found = [any({names[v] for v in triple} <= own for own in families) for triple in triples]
    return {"planted": len(found), "found": sum(found), "score": round(learner.score_, 1)}


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("variables", "rule", "tables", "planted", "found", "tables with all", "verdict")
    table = FigureTable("planted parents found", header)
    for n in SIZES:
        for rule in N_STATES:
            runs = [
                figures[cell.name]
                for own_n, own_rule, cell in _tables(settings)
                if (own_n, own_rule) == (n, rule) and cell.name in figures
            ]
            if runs:
                complete = sum(run["found"] == run["planted"] for run in runs)
                counts = (
                    len(runs),
                    *(sum(run[key] for run in runs) for key in ("planted", "found")),
                )
                row = (decimal(n), rule, *map(decimal, counts), decimal(complete))
                table.rows.append((*row, verdict_at_least(complete, MIN_COMPLETE * len(runs), 1)))
    notes = (
        f"{N_ROWS:,} rows, the default search at its default treewidth. The variables are thirds "
        "of triples: two independent, and a third that is their exclusive or (binary) or their sum "
        f"modulo 3, but random in {100 * NOISE:g} % of the rows. No variable tells anything of "
        "another one alone. A triple is found if one family holds it."
    )
    return Report("Figure 9: parents that tell something only as a pair", notes, [table])
