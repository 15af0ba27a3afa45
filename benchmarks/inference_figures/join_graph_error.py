"""Figure 6: how far off is join-graph propagation, by its bound?"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import numpy as np
from cells import Figures
from figure_tables import REACHED, FigureTable, Report, text_of
from run_settings import Cell, RunSettings

import baytree as bt
from baytree.exceptions import ConvergenceWarning

from .questions import Observed, known_network, likely_evidence

NETWORKS = ("andes", "pigs")
WIDE = "random2000"  # too wide for exact answers
I_BOUNDS = (3, 5, 7, 9, 11)
WIDE_I_BOUNDS = (3, 5, 8)
N_OBSERVED = (5, 20)
MOST_ERROR = 0.02


def cells(settings: RunSettings) -> list[Cell]:
    n_queries = settings.pick(full=50, quick=5)
    known = [
        Cell(
            f"6: {name}, {n_observed} observed, {n_queries} queries",
            partial(measure, name, n_observed, n_queries),
        )
        for name in NETWORKS
        for n_observed in N_OBSERVED
    ]
    n_wide = settings.pick(full=5, quick=1)
    return [*known, Cell(f"6: {WIDE}, {n_wide} queries", partial(measure_wide, n_wide))]


def measure(name: str, n_observed: int, n_queries: int) -> Figures:
    """Return errors of marginals and of log P(e), milliseconds and sweeps, by bound."""
    warnings.simplefilter("ignore", ConvergenceWarning)  # counted instead
    network = known_network(name)
    queries = likely_evidence(network, n_queries, n_observed, seed=6)
    exact = [_numbers(network, network.marginals(evidence), evidence) for evidence in queries]
    logs = [network.log_probability(evidence) for evidence in queries]
    figures: Figures = {}
    for i_bound in I_BOUNDS:
        runs = []
        for evidence, expected, log_probability in zip(queries, exact, logs, strict=True):
            run = _timed(network, evidence, i_bound)
            found = _numbers(network, run.pop("marginals"), evidence)
            run["mae"] = float(np.abs(found - expected).mean())
            estimate = network.log_probability(evidence, engine=bt.IJGP(i_bound))
            run["log error"] = abs(estimate - log_probability)
            runs.append(run)
        figures[str(i_bound)] = _summed(runs)
    return figures


def measure_wide(n_queries: int) -> Figures:
    """Return time and sweeps where the truth is out of reach."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    network = known_network(WIDE)
    queries = likely_evidence(network, n_queries, N_OBSERVED[0], seed=6)
    figures: Figures = {}
    for i_bound in WIDE_I_BOUNDS:
        runs = [_timed(network, evidence, i_bound) for evidence in queries]
        for run in runs:
            run.pop("marginals")
        figures[str(i_bound)] = _summed(runs)
    return figures


def _timed(network: bt.BayesianNetwork, evidence: Observed, i_bound: int) -> Figures:
    started = time.perf_counter()
    marginals = network.marginals(evidence, engine=bt.IJGP(i_bound))
    seconds = time.perf_counter() - started
    convergence = marginals.convergence
    assert convergence is not None
    return {
        "marginals": marginals,
        "ms": 1000 * seconds,
        "sweeps": convergence.n_sweeps,
        "converged": convergence.is_converged,
        "exact": convergence.is_exact,
    }


def _numbers(network: bt.BayesianNetwork, marginals: object, evidence: Observed) -> np.ndarray:
    """Return the probabilities of all variables that were not observed."""
    free = [variable for variable in network.variables if variable not in evidence]
    return np.concatenate([marginals[variable].to_numpy() for variable in free])


def _summed(runs: list[Figures]) -> Figures:
    figures = {
        "ms": round(statistics.median(run["ms"] for run in runs), 2),
        "sweeps": statistics.median(run["sweeps"] for run in runs),
        "converged": statistics.mean(run["converged"] for run in runs),
        "exact": statistics.mean(run["exact"] for run in runs),
    }
    for what in ("mae", "log error"):
        if what in runs[0]:
            figures[what] = statistics.mean(run[what] for run in runs)
    return figures


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        "all marginals",
        (
            "network",
            "i-bound",
            "mean absolute error",
            "error of log P(e)",
            "ms",
            "sweeps",
            "converged",
            "exact",
            "verdict",
        ),
    )
    for cell in cells(settings):
        found = figures.get(cell.name)
        if found:
            _add_rows(table, cell.name.removeprefix("6: "), found)
    notes = (
        "Marginals of all variables that are not observed, against exact ones; the mean over all "
        f"states and queries. It must stay below {MOST_ERROR} and fall as the bound grows. For "
        f"{WIDE}, whose treewidth is about a thousand, there is no truth. `exact`: share of "
        "queries for which nothing had to be split."
    )
    return Report("6. Errors of join-graph propagation", notes, [table])


def _add_rows(table: FigureTable, name: str, found: Figures) -> None:
    bounds = [bound for bound in found if bound.isdigit()]
    errors = [found[bound].get("mae") for bound in bounds]
    is_falling = None not in errors and all(a >= b for a, b in pairwise(errors))
    for i, bound in enumerate(bounds):
        own, error = found[bound], errors[i]
        table.rows.append(
            (
                name,
                bound,
                "-" if error is None else f"{error:.6f}",
                "-" if error is None else f"{own['log error']:.5f}",
                text_of(own["ms"], 1),
                text_of(own["sweeps"], 1),
                f"{own['converged']:.0%}",
                f"{own['exact']:.0%}",
                "" if error is None else _verdict(error, is_falling, is_last=i == len(bounds) - 1),
            )
        )


def _verdict(error: float, is_falling: bool, *, is_last: bool) -> str:
    if error >= MOST_ERROR:
        return f"not reached: {error:.4f} against {MOST_ERROR}"
    if is_last:
        return f"{REACHED}, falling" if is_falling else "not reached: errors do not always fall"
    return REACHED
