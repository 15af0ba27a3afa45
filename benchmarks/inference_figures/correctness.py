"""Figure 1: agreement of exact results with pyAgrum."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from cells import Figures
from figure_tables import FigureTable, Report, verdict_at_most
from run_settings import Cell, RunSettings

from .agrum_engine import AgrumEngine
from .known_queries import known_network, likely_evidence

NETWORKS = ("alarm", "insurance", "hailfinder", "win95pts", "hepar2", "munin1", "pigs", "andes")
MAX_DIFFERENCE = 1e-9
N_OBSERVED = 5


def cells(settings: RunSettings) -> list[Cell]:
    names = settings.pick(full=NETWORKS, quick=("alarm", "hailfinder", "andes"))
    n_queries = settings.pick(full=10, quick=2)
    return [_cell(name, n_queries) for name in names]


def _cell(name: str, n_queries: int) -> Cell:
    return Cell(f"1: {name}, {n_queries} queries", partial(measure, name, n_queries))


def measure(name: str, n_queries: int) -> Figures:
    """Return the largest differences of marginals, log P(e) and log probability of the MPE."""
    network = known_network(name)
    theirs = AgrumEngine(network)
    largest = {"marginals": 0.0, "log P(e)": 0.0, "log MPE": 0.0}
    for evidence in likely_evidence(network, n_queries, N_OBSERVED, seed=1):
        ours = network.marginals(evidence)
        expected = theirs.marginals(evidence)
        log_probability = network.log_probability(evidence)
        best = network.most_probable(evidence)
        differences = {
            "marginals": max(
                float(np.abs(ours[variable].to_numpy() - own).max())
                for variable, own in zip(network.variables, expected, strict=True)
            ),
            "log P(e)": abs(log_probability - theirs.log_probability(evidence)),
            "log MPE": max(
                abs(best.log_probability - theirs.log_joint(best.assignment)),
                abs(best.log_probability - theirs.log_of_most_probable(evidence)),
            ),
        }
        largest = {what: max(largest[what], differences[what]) for what in largest}
    return largest


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        f"largest differences from pyAgrum, {N_OBSERVED} variables observed",
        ("network", "marginals", "log P(e)", "log MPE", "target", "verdict"),
    )
    for cell in cells(settings):
        found = figures.get(cell.name)
        if found:
            differences = [found[what] for what in ("marginals", "log P(e)", "log MPE")]
            table.rows.append(
                (
                    cell.name.removeprefix("1: "),
                    *(f"{difference:.1e}" for difference in differences),
                    f"{MAX_DIFFERENCE:.0e}",
                    verdict_at_most(max(differences), MAX_DIFFERENCE, 12),
                )
            )
    notes = (
        "Both programs have the same probabilities: those of baytree after reading, whose rows sum "
        "to 1. Evidence is taken from sampled rows. The MPE (most probable states) is checked "
        "twice: pyAgrum gives it the same probability, and no other states a larger one. "
        'LazyPropagation.mpe of pyAgrum 3.3.1 fails with "Empty tensor", so the largest '
        "probability is computed from products and maxima of its tensors."
    )
    return Report("Figure 1: agreement with pyAgrum", notes, [table])
