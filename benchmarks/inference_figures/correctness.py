"""Figure 1: do exact answers agree with those of pyAgrum?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from cells import Figures
from run_settings import Cell, RunSettings
from structure_tables import FigureTable, Report, verdict_at_most

from .agrum_engine import AgrumEngine
from .questions import known_network, likely_evidence

NETWORKS = ("alarm", "insurance", "hailfinder", "win95pts", "hepar2", "munin1", "pigs", "andes")
MOST_DIFFERENCE = 1e-9
N_OBSERVED = 5


def cells(settings: RunSettings) -> list[Cell]:
    names = settings.pick(full=NETWORKS, quick=("alarm", "hailfinder", "andes"))
    n_queries = settings.pick(full=10, quick=2)
    return [_cell(name, n_queries) for name in names]


def _cell(name: str, n_queries: int) -> Cell:
    return Cell(f"1: {name}, {n_queries} queries", partial(measure, name, n_queries))


def measure(name: str, n_queries: int) -> Figures:
    """Return the largest differences of probabilities, and of logarithms of P(e) and of the MPE."""
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
                    f"{MOST_DIFFERENCE:.0e}",
                    verdict_at_most(max(differences), MOST_DIFFERENCE, 12),
                )
            )
    notes = (
        "pyAgrum gets the probabilities as baytree has them after reading, with rows that sum to "
        "1. Evidence is from rows that were drawn from the network. MPE: our most probable states "
        "have this probability by pyAgrum's count, and no others a larger one. Its own call for "
        'them (LazyPropagation.mpe, version 3.3.1) ends with "Empty tensor", so the largest is '
        "found by products and maxima of its tensors, variable by variable."
    )
    return Report("1. Agreement with pyAgrum", notes, [table])
